import { z } from 'zod';
import { networkOf } from '../../application/attempts.ts';
import { endingReasons, type OwnPhones } from '../../application/citizen/ownPhones.ts';
import type { OwnServices } from '../../application/citizen/ownServices.ts';
import type {
  CitizenConsents,
  ConsentOverview,
} from '../../application/openIdConnect/citizenConsents.ts';
import type { Clock } from '../../application/ports/clock.ts';
import { Refusal, type RefusalCode } from '../../domain/shared/refusal.ts';
import type { RateLimit } from '../bounds/admission.ts';
import { anyone, commandContext } from '../http/handling.ts';
import { type Reply, type RequestContext, type Route, route } from '../http/route.ts';
import { expectOwnPage, formOf } from '../openIdConnect/form.ts';
import { keptLanguage, languageOf } from '../openIdConnect/language.ts';
import { type BrandedPage, mePath } from '../openIdConnect/layout.ts';
import { type PageReply, retryHeader, see } from '../openIdConnect/loginFlow.ts';
import { againFrom } from '../pages/localTime.ts';
import type { Language } from '../verify/texts.ts';
import { confirmingPage, endingPath, phonePage } from './endingPages.ts';
import { HISTORY_PAGE, type OwnHistoryReader } from './ownHistory.ts';
import type { OwnThings } from './ownThings.ts';
import {
  historyPage,
  historyPath,
  overviewPage,
  ownFailurePage,
  phoneName,
  phonePath,
  sessionPage,
  welcomePage,
} from './pages.ts';
import { type OwnFailure, ownTexts } from './texts.ts';

export interface MeRoutesOptions {
  readonly reply: PageReply;
  readonly consents: Pick<CitizenConsents, 'show' | 'loginAddress'>;
  readonly things: OwnThings;
  readonly ownHistory: OwnHistoryReader;
  readonly phones: OwnPhones;
  readonly services: OwnServices;
  /** Telephone number of the help desk; null: none. */
  readonly helpLine: string | null;
  readonly clock: Clock;
  readonly rateLimit: RateLimit;
  /** Public origin of the service. */
  readonly origin: () => string;
}

/** Rate limit per address, polls of a waiting page included. */
const REQUESTS_PER_MINUTE = 300;
/** Long-poll timeout of the waiting page, ms: below the timeouts of proxies in between. */
const LONG_POLL_MS = 5000;
/** Sessions behind which the history is not listed: rows before a page are read, too. */
const HISTORY_END = 1000;

const word = z.string().max(10).nullable().catch(null).default(null);
const lang = { lang: word };
const from = z.coerce.number().int().min(0).max(HISTORY_END).catch(0).default(0);
const id = z.uuid().toLowerCase();

const failures: Partial<Record<RefusalCode, OwnFailure>> = {
  DOCUMENT_NOT_FOUND: 'notHere',
  SESSION_NOT_FOUND: 'notHere',
  INVALID_REQUEST: 'notHere',
  RATE_LIMITED: 'busy',
  NO_SUITABLE_CERTIFICATE: 'noPhone',
  PERSON_NOT_FOUND: 'noPhone',
  PERMISSION_DENIED: 'noPhone',
  MAINTENANCE: 'away',
  OVERLOADED: 'away',
  DEPENDENCY_UNAVAILABLE: 'away',
};

/** Pages that a login leads back to. */
const OWN_PAGE = /^\/me(?:\/history(?:\/[\da-f-]{36})?|\/phones\/[\da-f-]{36})?(?=\?|$)/i;

/** Own page that a target names, without its query; the first of all others, so that no link leads elsewhere. */
function ownPageOf(target: string): string {
  return OWN_PAGE.exec(target)?.[0] ?? mePath;
}

/** A logged-in citizen at these pages. */
interface Visit {
  readonly language: Language;
  readonly context: RequestContext;
  readonly citizen: ConsentOverview;
}

/** Pages of a citizen's own things, for the browser the citizen is logged in with. */
export function meRoutes(options: MeRoutesOptions): readonly Route[] {
  const { reply, consents, things, ownHistory, phones, services } = options;
  const { helpLine, clock, rateLimit, origin } = options;
  const response = { 200: 'text/html; charset=utf-8', 303: null } as const;
  const common = { guard: anyone, response } as const;

  async function counted({ ip }: RequestContext): Promise<void> {
    await rateLimit.consume(`me:${networkOf(ip)}`, REQUESTS_PER_MINUTE);
  }

  function languageFor({ headers }: RequestContext, asked: string | null): Language {
    const { cookie, 'accept-language': acceptLanguage } = headers;
    return languageOf({ uiLocales: null, acceptLanguage, cookie }, asked);
  }

  /** Replies with the page; a language that was asked for is kept. */
  function shown(page: BrandedPage, asked: string | null): Reply {
    return reply(page, keptLanguage(asked, origin().startsWith('https:')));
  }

  /** Answers who is logged in, others with the way to log in; refusals are pages. */
  async function visited(
    context: RequestContext,
    asked: string | null,
    answer: (visit: Visit) => Promise<Reply>,
    isEnded = false,
  ): Promise<Reply> {
    const language = languageFor(context, asked);
    try {
      await counted(context);
      const citizen = await consents.show(context.headers.cookie);
      if (citizen !== null) return await answer({ language, context, citizen });
      const loginAddress = consents.loginAddress(language, mePath, ownPageOf(context.target));
      return shown(welcomePage(language, loginAddress, isEnded), asked);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const kind = failures[error.code];
      if (kind === undefined) throw error;
      const again = kind === 'busy' ? againFrom(clock.now(), error.retryAfterSeconds) : null;
      return reply(ownFailurePage(language, kind, { again }), retryHeader(error));
    }
  }

  const contextOf = ({ context, citizen }: Visit) => {
    const actor = { kind: 'citizen', id: citizen.civilId } as const;
    return (correlationId: string) => commandContext(context, actor, correlationId);
  };

  async function askOnPhone(visit: Visit, documentNumber: string): Promise<Reply> {
    const { language, context, citizen } = visit;
    const form = formOf(context);
    const wanted = form.get('reason');
    const reason = endingReasons.find((each) => each === wanted);
    if (reason === undefined) throw new Refusal('INVALID_REQUEST');
    const { civilId } = citizen;
    const { phone } = await things.phone(civilId, documentNumber);
    const { title } = ownTexts[language].ending;
    const { sessionId } = await phones.ask(
      { civilId, documentNumber },
      { reason, on: form.get('on') },
      (limited) => limited`${title} ${phoneName(phone, language)}`,
      contextOf(visit),
    );
    return see(endingPath(documentNumber, sessionId));
  }

  async function showEnding(
    visit: Visit,
    { documentNumber, sessionId }: { readonly documentNumber: string; readonly sessionId: string },
    asked: string | null,
  ): Promise<Reply> {
    const { language, citizen } = visit;
    const question = { civilId: citizen.civilId, documentNumber, sessionId };
    const ending = await phones.settle(question, contextOf(visit)(sessionId));
    switch (ending.state) {
      case 'ENDED':
        return see(`${mePath}?ended=yes`);
      case 'RUNNING': {
        const { phone } = await things.phone(citizen.civilId, documentNumber);
        return shown(confirmingPage(language, phone, ending.started, clock.now()), asked);
      }
      case 'FAILED': {
        const { why } = ending;
        if (why === 'TOO_NEW') return reply(ownFailurePage(language, 'tooNew'));
        if (why === 'OVER') return reply(ownFailurePage(language, 'over'));
        return reply(ownFailurePage(language, 'notConfirmed', { endResult: why }));
      }
    }
  }

  return [
    route({
      ...common,
      name: 'me',
      summary: "Show the logged-in citizen's own page, or the login",
      method: 'GET',
      path: mePath,
      query: z.object({ ...lang, ended: word }),
      handle: ({ context, query }) => {
        const isEnded = query.ended === 'yes';
        const answer = async ({ language, citizen }: Visit) => {
          const overview = await things.overview(citizen.civilId);
          return shown(overviewPage(language, citizen, overview, isEnded), query.lang);
        };
        return visited(context, query.lang, answer, isEnded);
      },
    }),
    route({
      ...common,
      name: 'me.return',
      summary: 'Receive the browser after the login',
      method: 'GET',
      path: `${mePath}/return`,
      query: z.object({ state: z.string().max(200).nullable().catch(null).default(null) }),
      handle: ({ query: { state } }) => Promise.resolve(see(ownPageOf(state ?? ''))),
    }),
    route({
      ...common,
      name: 'me.history',
      summary: 'Show the requests to the logged-in citizen, latest first',
      method: 'GET',
      path: historyPath,
      query: z.object({ ...lang, from }),
      handle: ({ context, query }) =>
        visited(context, query.lang, async ({ language, citizen }) => {
          const history = await ownHistory.history(citizen.civilId, query.from);
          return shown(historyPage(language, history, HISTORY_PAGE), query.lang);
        }),
    }),
    route({
      ...common,
      name: 'me.session',
      summary: 'Show one request to the logged-in citizen, and how it ended',
      method: 'GET',
      path: `${historyPath}/:sessionId`,
      params: z.object({ sessionId: id }),
      query: z.object(lang),
      handle: ({ context, params, query }) =>
        visited(context, query.lang, async ({ language, citizen }) => {
          const { civilId } = citizen;
          const found = await ownHistory.session(civilId, params.sessionId);
          const blockedUntil = await services.blockedUntil(civilId, found.session);
          const { session } = found;
          const answeredOn = session.status === 'COMPLETE' ? session.outcome.documentNumber : null;
          const phone = answeredOn === null ? null : await things.phoneOf(civilId, answeredOn);
          const page = sessionPage(language, { ...found, phone, blockedUntil, helpLine });
          return shown(page, query.lang);
        }),
    }),
    route({
      ...common,
      name: 'me.session.allow',
      summary: 'Undo "It was not me": the relying party may send requests again',
      method: 'POST',
      path: `${historyPath}/:sessionId/allow`,
      params: z.object({ sessionId: id }),
      bodyType: 'application/x-www-form-urlencoded',
      maxBodyBytes: 1024,
      handle: ({ context, params: { sessionId } }) => {
        expectOwnPage(context, origin());
        return visited(context, null, async (visit) => {
          const { civilId } = visit.citizen;
          const { session } = await ownHistory.session(civilId, sessionId);
          await services.allow(civilId, session, contextOf(visit)(sessionId));
          return see(`${historyPath}/${sessionId}`);
        });
      },
    }),
    route({
      ...common,
      name: 'me.phone',
      summary: "Show one of the logged-in citizen's phones, with the form that ends it",
      method: 'GET',
      path: phonePath(':phone'),
      params: z.object({ phone: id }),
      query: z.object(lang),
      handle: ({ context, params, query }) =>
        visited(context, query.lang, async ({ language, citizen }) => {
          const { civilId } = citizen;
          const { phone, others } = await things.phone(civilId, params.phone);
          const able = await phones.mayConfirm({ civilId, documentNumber: params.phone });
          const confirming = able.flatMap((each) =>
            others.filter(({ documentNumber }) => documentNumber === each),
          );
          return shown(phonePage(language, { phone, confirming }), query.lang);
        }),
    }),
    route({
      ...common,
      name: 'me.phone.end',
      summary: 'Ask the citizen on a phone to confirm with PIN1 that this phone ends',
      method: 'POST',
      path: `${phonePath(':phone')}/end`,
      params: z.object({ phone: id }),
      bodyType: 'application/x-www-form-urlencoded',
      maxBodyBytes: 1024,
      handle: ({ context, params }) => {
        expectOwnPage(context, origin());
        return visited(context, null, (visit) => askOnPhone(visit, params.phone));
      },
    }),
    route({
      ...common,
      name: 'me.phone.ending',
      summary: 'Wait for the PIN, then end the phone',
      method: 'GET',
      path: endingPath(':phone', ':sessionId'),
      params: z.object({ phone: id, sessionId: id }),
      query: z.object(lang),
      handle: ({ context, params, query }) =>
        visited(context, query.lang, (visit) =>
          showEnding(
            visit,
            { documentNumber: params.phone, sessionId: params.sessionId },
            query.lang,
          ),
        ),
    }),
    route({
      guard: anyone,
      name: 'me.phone.ending.status',
      summary: 'Get whether the phone has answered, after a short wait',
      method: 'GET',
      path: `${endingPath(':phone', ':sessionId')}/status`,
      params: z.object({ phone: id, sessionId: id }),
      countedOnly: true,
      response: { 200: z.object({ state: z.enum(['waiting', 'ended']) }) },
      handle: async ({ context, params }) => {
        await counted(context);
        const citizen = await consents.show(context.headers.cookie);
        if (citizen === null) return { body: { state: 'ended' } };
        const { civilId } = citizen;
        const wait = { timeoutMs: LONG_POLL_MS, onGone: context.onGone.bind(context) };
        const { phone: documentNumber, sessionId } = params;
        const isOver = await phones.isOver({ civilId, documentNumber, sessionId }, wait);
        return { body: { state: isOver ? 'ended' : 'waiting' } };
      },
    }),
  ];
}
