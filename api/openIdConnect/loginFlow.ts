import type { BrandedPage } from './layout.ts';
import type {
  CitizenLogin,
  LoginReference,
  LoginView,
} from '../../application/openIdConnect/citizenLogin.ts';
import type { LoginState } from '../../application/openIdConnect/loginOutcome.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type {
  LoginTicket,
  LoginTickets,
} from '../../application/openIdConnect/ports/loginTickets.ts';
import { signedLink } from '../../application/session/signedLink.ts';
import type { EndResult } from '../../domain/session/events.ts';
import { Refusal, type RefusalCode } from '../../domain/shared/refusal.ts';
import { commandContext } from '../http/handling.ts';
import type { Reply, RequestContext } from '../http/route.ts';
import type { Brand } from '../pages/brand.ts';
import { againFrom } from '../pages/localTime.ts';
import { chooseLanguage, type Language } from '../verify/texts.ts';
import { consentPage } from './consentPage.ts';
import { cookieOf } from './cookies.ts';
import { languageOf } from './language.ts';
import {
  choosePage,
  failurePage,
  interactionPath,
  type InteractionView,
  onwardPage,
  organizationPage,
  waitingPage,
} from './loginPages.ts';
import type { FailureKind } from './texts.ts';

export interface LoginFlowOptions {
  readonly reply: PageReply;
  readonly login: CitizenLogin;
  readonly tickets: LoginTickets;
  readonly clock: Clock;
  /** Base address of device links, without query. */
  readonly deviceLinkBase: string;
  /** Public origin of the service. */
  readonly origin: () => string;
}

/** A browser's request within a login. */
export interface LoginExchange {
  readonly at: LoginReference;
  readonly context: RequestContext;
  /** Language of the query; null: absent. */
  readonly askedLanguage: string | null;
}

const TICKET = 'tamga_ticket';
/** Lifetime of a ticket, s: that of a readable session (specification, Limits). */
const TICKET_SECONDS = 600;

/** Set-Cookie header with the ticket for the pages of one login; null deletes it. */
export function ticketCookie(uid: string, encrypted: string | null, origin: string): string {
  const life = encrypted === null ? 0 : TICKET_SECONDS;
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  const path = interactionPath(uid);
  return `${TICKET}=${encrypted ?? ''}; Path=${path}; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`;
}

/** Ticket of the login started in this browser; null: none. */
export function ticketOf({ at }: LoginExchange, tickets: LoginTickets): LoginTicket | null {
  const encrypted = cookieOf(at.cookies, TICKET);
  return encrypted === null ? null : tickets.decrypt(at.uid, encrypted);
}

/** Command context: the relying party asks, through its client. */
export function contextFor({ context }: LoginExchange, { client }: LoginView) {
  const actor = { kind: 'relyingParty', id: client.relyingPartyId } as const;
  return (correlationId: string) => commandContext(context, actor, correlationId);
}

/** Reply with a page, and further headers. */
export type PageReply = (page: BrandedPage, headers?: Readonly<Record<string, string>>) => Reply;

/** Replies with pages in the operator's look. */
export const replyAs =
  (brand: Brand): PageReply =>
  (page, headers = {}) => {
    const { 'content-type': contentType = 'text/html', ...others } = page.headers;
    return {
      status: page.status,
      body: Buffer.from(page.html(brand)),
      contentType,
      headers: { ...others, ...headers },
    };
  };

export function see(location: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 303, headers: { location, ...headers } };
}

/** Renders the current page of a login, or continues once identity is proven. */
export async function showLogin(
  options: LoginFlowOptions,
  exchange: LoginExchange,
): Promise<Reply> {
  const { reply } = options;
  const view = await options.login.show(exchange.at);
  const shown = viewOf(exchange, view);
  if (view.prompt === 'consent') return reply(consentPage(shown));
  const ticket = ticketOf(exchange, options.tickets);
  if (ticket === null) return reply(choosePage(shown));
  const loginState = await options.login.loginState(exchange.at, ticket);
  switch (loginState.state) {
    case 'RUNNING':
    case 'AWAY':
      return reply(waiting(options, shown, ticket, loginState));
    case 'FAILED':
      return reply(failurePage(shown, failureOf(loginState.endResult), exchange.context.requestId));
    case 'PROVEN':
      return goOn(options, exchange, { view, ticket, civilId: loginState.login.civilId });
  }
}

/** Chooses the page and its reader's language. */
export function viewOf(
  { context, at, askedLanguage }: LoginExchange,
  interaction: LoginView,
): InteractionView {
  const reader = {
    uiLocales: interaction.uiLocales.join(' '),
    acceptLanguage: context.headers['accept-language'],
    cookie: at.cookies,
  };
  return { interaction, language: languageOf(reader, askedLanguage) };
}

function waiting(
  { clock, deviceLinkBase }: LoginFlowOptions,
  view: InteractionView,
  { channel }: LoginTicket,
  { state, session }: Extract<LoginState, { session: unknown }>,
): BrandedPage {
  const { started } = session;
  const now = clock.now();
  const isAway = state === 'AWAY';
  const lang = view.language === 'mn' ? 'mon' : 'eng';
  return waitingPage(view, {
    channel,
    started,
    isAway,
    leftMs: Date.parse(started.answerBefore) - now.getTime(),
    appLink:
      channel === 'app' && !isAway
        ? signedLink(started, { type: 'Web2App', base: deviceLinkBase, lang, now })
        : null,
  });
}

/** Completes the login, or asks first whom the citizen acts for. */
async function goOn(
  options: LoginFlowOptions,
  exchange: LoginExchange,
  proven: {
    readonly view: LoginView;
    readonly ticket: LoginTicket;
    readonly civilId: string;
  },
): Promise<Reply> {
  const { login, reply } = options;
  const { view, ticket, civilId } = proven;
  const choices = await login.choices(exchange.at, civilId);
  if (choices.length > 0) return reply(organizationPage(viewOf(exchange, view), choices));
  const context = contextFor(exchange, view)(ticket.sessionId);
  const next = await login.finish(exchange.at, { ticket, register: null }, context);
  // A phone can answer before the browser is here from the form.
  return reply(onwardPage(viewOf(exchange, view).language, next), {
    'set-cookie': ticketCookie(view.uid, null, options.origin()),
  });
}

const endings: Partial<Record<EndResult | 'NOT_BELIEVED' | 'OVER', FailureKind>> = {
  WRONG_VC: 'wrongCode',
  TIMEOUT: 'timeout',
  OVER: 'timeout',
  CANCELLED_BY_RP: 'timeout',
  NOT_BELIEVED: 'notBelieved',
  DOCUMENT_UNUSABLE: 'phoneUnusable',
  REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP: 'phoneUnusable',
  PROTOCOL_FAILURE: 'phoneUnusable',
  EXPECTED_LINKED_SESSION: 'phoneUnusable',
  SERVER_ERROR: 'serviceAway',
};

function failureOf(endResult: EndResult | 'NOT_BELIEVED' | 'OVER'): FailureKind {
  return endResult.startsWith('USER_REFUSED') ? 'refused' : (endings[endResult] ?? 'notBelieved');
}

const refusals: Partial<Record<RefusalCode, FailureKind>> = {
  INTERACTION_NOT_FOUND: 'wrongBrowser',
  PERSON_NOT_FOUND: 'unknownPerson',
  INVALID_REQUEST: 'invalidInput',
  RATE_LIMITED: 'busy',
  PERMISSION_DENIED: 'notPermitted',
  SESSION_NOT_COMPLETE: 'notBelieved',
  MAINTENANCE: 'serviceAway',
  OVERLOADED: 'serviceAway',
  DEPENDENCY_UNAVAILABLE: 'serviceAway',
  ORG_NOT_FOUND: 'noRight',
  ORG_NOT_ACTIVE: 'noRight',
  REPRESENTATION_DENIED: 'noRight',
  REPRESENTATION_PENDING: 'noRight',
  REPRESENTATION_EXPIRED: 'noRight',
  REPRESENTATION_REVOKED: 'noRight',
};

/** Kind of a refusal for the error page; null: unexpected. */
export function failureKindOf(error: unknown): FailureKind | null {
  return error instanceof Refusal ? (refusals[error.code] ?? null) : null;
}

/** Renders a refusal as an error page; unexpected errors are passed on. */
export async function asPage(
  { login, reply, clock }: LoginFlowOptions,
  exchange: LoginExchange,
  error: unknown,
): Promise<Reply> {
  const kind = failureKindOf(error);
  if (!(error instanceof Refusal) || kind === null) throw error;
  const interaction = kind === 'wrongBrowser' ? null : await login.show(exchange.at).catch(none);
  const page = failurePage(
    { interaction, language: languageFor(exchange, interaction) },
    kind,
    exchange.context.requestId,
    kind === 'busy' ? againFrom(clock.now(), error.retryAfterSeconds) : null,
  );
  return reply(page, retryHeader(error));
}

/** Header that says when a refused request may be made again. */
export function retryHeader({ retryAfterSeconds }: Refusal): Readonly<Record<string, string>> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
}

function languageFor(exchange: LoginExchange, interaction: LoginView | null): Language {
  if (interaction !== null) return viewOf(exchange, interaction).language;
  const { context, at, askedLanguage } = exchange;
  const acceptLanguage = context.headers['accept-language'];
  return askedLanguage === null
    ? languageOf({ uiLocales: null, acceptLanguage, cookie: at.cookies })
    : chooseLanguage(askedLanguage, acceptLanguage);
}

function none(): null {
  return null;
}
