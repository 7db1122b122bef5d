import { z } from 'zod';
import { networkOf } from '../../application/attempts.ts';
import {
  loginChannels,
  type LoginTicket,
} from '../../application/openIdConnect/ports/loginTickets.ts';
import type { QrCodes } from './ports/qrCodes.ts';
import { signedLink } from '../../application/session/signedLink.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { anyone } from '../http/handling.ts';
import type { RateLimit } from '../bounds/admission.ts';
import { type Reply, type RequestContext, type Route, route } from '../http/route.ts';
import { assetRoute } from '../pages/assets.ts';
import { expectOwnPage, formOf } from './form.ts';
import { keptLanguage } from './language.ts';
import { assetsBase, loginBase, oidcAssets } from './layout.ts';
import {
  asPage,
  contextFor,
  failureKindOf,
  type LoginExchange,
  type LoginFlowOptions,
  see,
  showLogin,
  ticketCookie,
  ticketOf,
  viewOf,
} from './loginFlow.ts';
import {
  choosePage,
  clientName,
  interactionPath,
  onwardPage,
  type TypedNumber,
} from './loginPages.ts';
import { askedText } from './payment.ts';

export interface LoginRoutesOptions extends LoginFlowOptions {
  readonly qrCodes: QrCodes;
  readonly rateLimit: RateLimit;
}

/**
 * Rate limit of reads per address: many people may share one, and a QR code is renewed each second.
 */
const QUESTIONS_PER_MINUTE = 3000;
/** Rate limit of forms per address. */
const FORMS_PER_MINUTE = 120;

/** Long-poll timeout of the waiting page, ms: below the timeouts of proxies in between. */
const LONG_POLL_MS = 5000;

const LONGEST_UID = 64;
const params = z.object({ uid: z.string().max(LONGEST_UID) });
const one = z.string().max(500).nullable().catch(null).default(null);
const pageQuery = z.object({ lang: one });
const returnQuery = z.object({ state: one, sessionSecretDigest: one, userChallengeVerifier: one });

type LoginRequest<Query> = {
  readonly params: z.output<typeof params>;
  readonly query: Query;
  readonly context: RequestContext;
};

/** Login and consent by browser; every response is a page. */
export function loginRoutes(options: LoginRoutesOptions): readonly Route[] {
  const { reply, login, tickets, clock, qrCodes, deviceLinkBase, rateLimit, origin } = options;
  const html = { 200: 'text/html; charset=utf-8', 303: null } as const;
  const common = { guard: anyone, params } as const;

  async function counted(context: RequestContext, perMinute: number): Promise<void> {
    await rateLimit.consume(`${perMinute}:${networkOf(context.ip)}`, perMinute);
  }

  const exchangeOf = ({ params: { uid }, context }: LoginRequest<unknown>): LoginExchange => ({
    at: { uid, cookies: context.headers.cookie },
    context,
    askedLanguage: null,
  });

  /** Responds with a page, also to refusals. */
  const paged =
    <Query>(answer: (exchange: LoginExchange, query: Query) => Promise<Reply>) =>
    async (request: LoginRequest<Query>): Promise<Reply> => {
      const exchange = exchangeOf(request);
      try {
        await counted(request.context, QUESTIONS_PER_MINUTE);
        return await answer(exchange, request.query);
      } catch (error) {
        return asPage(options, exchange, error);
      }
    };

  /** Route of a form of one of these pages. */
  const form = (
    name: string,
    summary: string,
    answer: (exchange: LoginExchange, fields: URLSearchParams) => Promise<Reply>,
  ) =>
    route({
      ...common,
      name: `login.${name}`,
      summary,
      method: 'POST',
      path: `${loginBase}/:uid/${name}`,
      bodyType: 'application/x-www-form-urlencoded',
      response: html,
      maxBodyBytes: 4096,
      handle: paged(async (exchange) => {
        await counted(exchange.context, FORMS_PER_MINUTE);
        expectOwnPage(exchange.context, origin());
        return answer(exchange, formOf(exchange.context));
      }),
    });

  async function begin(exchange: LoginExchange, fields: URLSearchParams): Promise<Reply> {
    const view = await login.show(exchange.at);
    const shown = viewOf(exchange, view);
    const asked = fields.get('channel') ?? 'push';
    const channel = loginChannels.find((each) => each === asked);
    if (channel === undefined) throw new Refusal('INVALID_REQUEST');
    const identifier = channel === 'push' ? (fields.get('id') ?? '') : null;
    const text = askedText(shown);
    const wish = { channel, identifier, client: clientName(shown), text };
    let ticket: LoginTicket;
    try {
      ticket = await login.start(exchange.at, wish, contextFor(exchange, view));
    } catch (error) {
      const fault = identifier === null ? null : numberFaultOf(error);
      if (fault === null) throw error;
      return reply(choosePage(shown, { typed: identifier ?? '', fault }));
    }
    const encrypted = tickets.encrypt(view.uid, ticket);
    const cookie = ticketCookie(view.uid, encrypted, origin());
    return see(interactionPath(view.uid), { 'set-cookie': cookie });
  }

  async function comeBack(
    exchange: LoginExchange,
    returned: z.output<typeof returnQuery>,
  ): Promise<Reply> {
    const { uid } = exchange.at;
    const ticket = ticketOf(exchange, tickets);
    if (ticket === null) throw new Refusal('INTERACTION_NOT_FOUND');
    // Reloading after the return from the app, or after a refusal, shows the result.
    const isDue = ticket.awaitedState !== null;
    const loginState = isDue ? await login.loginState(exchange.at, ticket) : null;
    if (loginState?.state !== 'AWAY') return see(interactionPath(uid));
    if (!(await login.isReturn(exchange.at, ticket, returned))) {
      throw new Refusal('INTERACTION_NOT_FOUND');
    }
    const encrypted = tickets.encrypt(uid, { ...ticket, awaitedState: null });
    return see(interactionPath(uid), { 'set-cookie': ticketCookie(uid, encrypted, origin()) });
  }

  async function choose(exchange: LoginExchange, fields: URLSearchParams): Promise<Reply> {
    const view = await login.show(exchange.at);
    const ticket = ticketOf(exchange, tickets);
    if (ticket === null) return see(interactionPath(view.uid));
    const register = fields.get('organization') ?? '';
    const context = contextFor(exchange, view)(ticket.sessionId);
    const choice = { ticket, register: register === '' ? null : register };
    const next = await login.finish(exchange.at, choice, context);
    return reply(onwardPage(viewOf(exchange, view).language, next), {
      'set-cookie': ticketCookie(view.uid, null, origin()),
    });
  }

  async function decide(exchange: LoginExchange, fields: URLSearchParams): Promise<Reply> {
    const view = await login.show(exchange.at);
    const { language } = viewOf(exchange, view);
    if (fields.get('decision') !== 'allow') {
      return reply(onwardPage(language, await login.abort(exchange.at)));
    }
    const chosen = fields.getAll('scope');
    const scopes = view.scopes.filter((name) => name === 'openid' || chosen.includes(name));
    const context = contextFor(exchange, view)(view.uid);
    return reply(onwardPage(language, await login.agree(exchange.at, scopes, context)));
  }

  return [
    assetRoute(
      'loginStyle',
      'Get the style sheet of the login pages',
      assetsBase,
      oidcAssets.style,
    ),
    assetRoute('loginScript', 'Get the script of the login pages', assetsBase, oidcAssets.script),
    route({
      ...common,
      name: 'login.show',
      summary: 'Show the login or consent page that a client waits for',
      method: 'GET',
      path: `${loginBase}/:uid`,
      query: pageQuery,
      response: { 200: html[200] },
      handle: paged(async (exchange, { lang }: z.output<typeof pageQuery>) => {
        const shown = await showLogin(options, { ...exchange, askedLanguage: lang });
        const kept = keptLanguage(lang, origin().startsWith('https:'));
        // A login that is over has a cookie of its own.
        return { ...shown, headers: { ...kept, ...shown.headers } };
      }),
    }),
    form('start', 'Ask the citizen to authenticate', begin),
    route({
      ...common,
      name: 'login.status',
      summary: 'Get whether the phone has answered, after a short wait',
      method: 'GET',
      path: `${loginBase}/:uid/status`,
      countedOnly: true,
      response: { 200: z.object({ state: z.enum(['waiting', 'away', 'ended']) }) },
      handle: async (request) => {
        const { context } = request;
        await counted(context, QUESTIONS_PER_MINUTE);
        const exchange = exchangeOf(request);
        const ticket = ticketOf(exchange, tickets);
        if (ticket === null) return { body: { state: 'ended' } };
        const onGone = (callback: () => void) => context.onGone(callback);
        const wait = { timeoutMs: LONG_POLL_MS, onGone };
        const { state } = await login.loginState(exchange.at, ticket, wait);
        const shownState = state === 'RUNNING' ? 'waiting' : state === 'AWAY' ? 'away' : 'ended';
        return { body: { state: shownState } };
      },
    }),
    route({
      ...common,
      name: 'login.qr',
      summary: 'Get the QR code of a login, valid for 20 seconds',
      method: 'GET',
      path: `${loginBase}/:uid/qr.svg`,
      query: z.object({ turn: one }),
      countedOnly: true,
      response: { 200: 'image/svg+xml' },
      handle: async (request) => {
        await counted(request.context, QUESTIONS_PER_MINUTE);
        const exchange = exchangeOf(request);
        const ticket = ticketOf(exchange, tickets);
        if (ticket?.channel !== 'qr') throw new Refusal('SESSION_NOT_FOUND');
        const loginState = await login.loginState(exchange.at, ticket);
        if (loginState.state !== 'RUNNING') throw new Refusal('SESSION_NOT_FOUND');
        const link = { type: 'QR', base: deviceLinkBase, lang: 'mon', now: clock.now() } as const;
        const picture = qrCodes.svg(signedLink(loginState.session.started, link));
        return { body: Buffer.from(picture), contentType: 'image/svg+xml' };
      },
    }),
    route({
      ...common,
      name: 'login.return',
      summary: 'Receive the browser when the app returns',
      method: 'GET',
      path: `${loginBase}/:uid/return`,
      query: returnQuery,
      response: html,
      handle: paged(comeBack),
    }),
    form('restart', 'Discard the attempt and show the ways to log in', ({ at }) => {
      const cookie = ticketCookie(at.uid, null, origin());
      return Promise.resolve(see(interactionPath(at.uid), { 'set-cookie': cookie }));
    }),
    form('organization', 'Choose whom the citizen acts for', choose),
    form('consent', 'Give or refuse consent', decide),
    form('abort', 'Return to the client without a login', async (exchange) => {
      const view = await login.show(exchange.at);
      return reply(onwardPage(viewOf(exchange, view).language, await login.abort(exchange.at)), {
        'set-cookie': ticketCookie(view.uid, null, origin()),
      });
    }),
  ];
}

/** Fault of the number that was typed; null: another. */
function numberFaultOf(error: unknown): TypedNumber['fault'] | null {
  const kind = failureKindOf(error);
  return kind === 'invalidInput' || kind === 'unknownPerson' ? kind : null;
}
