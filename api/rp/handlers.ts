import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { querySigningCertificate } from '../../application/certificate/querySigningCertificate.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type {
  DeviceReferenceData,
  RelyingPartyData,
} from '../../application/ports/referenceData.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { PollSession, Sessions } from '../../application/session/sessions.ts';
import { NoSuitableCertificate, type SessionTarget } from '../../application/session/sessions.ts';
import type { SessionStep } from '../../application/session/sessionSteps.ts';
import type { StartSession } from '../../application/session/startSession.ts';
import { registeredNameBeside } from '../../domain/relyingParty/names.ts';
import type { SessionFlow, SessionStarted } from '../../domain/session/events.ts';
import type { SignalsAsked } from '../../domain/session/riskSignals.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { commandContext } from '../http/handling.ts';
import { AnsweredAs } from '../problems/problem.ts';
import type { RateLimit } from '../bounds/admission.ts';
import type { Reply, RouteRequest } from '../http/route.ts';
import {
  certificateAnswer,
  type certificateQueryBody,
  polledAnswer,
  runningAnswer,
  type StartBody,
  startedAnswer,
} from './generations/generations.ts';
import { checkPermission } from './guard.ts';
import { sessionEvents } from './sessionEvents.ts';

export interface RelyingPartyApi {
  readonly startSession: StartSession;
  readonly pollSession: PollSession;
  readonly sessions: Sessions;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  /** Notifies of crypto-shredding. */
  readonly vault: Pick<PersonalDataVault, 'onForgotten'>;
  /** Default rate limit of session-creating requests, per minute and relying party. */
  readonly requestsPerMinute: number;
  /** `deviceLinkBase` of device-link responses, without query. */
  readonly deviceLinkBase: string;
  readonly referenceData: DeviceReferenceData;
  /** Maintenance mode: no new session is started. */
  readonly maintenance: boolean;
  /** Pause between signs of life of a stream of a session's events, ms; see {@link sessionEvents}. */
  readonly heartbeatMs?: number;
}

type ServedBody = Exclude<StartBody, { generation: 'OUTDATED' }>;
type StartRequest<Params> = RouteRequest<RelyingPartyData, Params, unknown, StartBody>;
type CertificateRequest = RouteRequest<
  RelyingPartyData,
  { readonly documentNumber: string },
  unknown,
  z.output<typeof certificateQueryBody>
>;
type SessionRequest = RouteRequest<
  RelyingPartyData,
  { readonly sessionId: string },
  unknown,
  unknown
>;
interface PollRequest extends SessionRequest {
  readonly query: { readonly timeoutMs: number };
}

/** Handlers of the relying-party API. */
export function createHandlers(api: RelyingPartyApi) {
  const repeated = createRepeatedRequests<SessionStarted['data']>(api.clock);
  const answers = createResponseCache(api);

  async function isRunning({ sessionId }: SessionStarted['data']): Promise<boolean> {
    const { state } = await api.sessions.load(sessionId);
    return state.status === 'RUNNING';
  }

  /** Applies the checks of the relying party named in the body, and its rate limit. */
  async function admit(relyingParty: RelyingPartyData, relyingPartyUUID: string): Promise<void> {
    const { relyingPartyId, requestsPerMinute } = relyingParty;
    if (relyingPartyUUID !== relyingPartyId) {
      throw new Refusal('UNAUTHENTICATED', {
        detail: 'The relyingPartyUUID does not belong to this API secret.',
      });
    }
    await api.rateLimit.consume(relyingPartyId, requestsPerMinute ?? api.requestsPerMinute);
  }

  async function start<Params>(
    { principal: relyingParty, params, body, context }: StartRequest<Params>,
    flow: SessionFlow,
    targetOf: (params: Params) => SessionTarget,
  ): Promise<Reply> {
    await admit(relyingParty, body.relyingPartyUUID);
    if (api.maintenance) throw new Refusal('MAINTENANCE', { retryAfterSeconds: MAINTENANCE_RETRY });
    if (body.generation === 'OUTDATED') throw tooOld(relyingParty, body.field);
    const { relyingPartyId } = relyingParty;
    const target = targetOf(params);
    const begin = () =>
      api.startSession(
        {
          relyingParty,
          generation: body.generation,
          nested: body.nested,
          flow,
          target,
          content: body.content,
          relyingPartyName: body.relyingPartyName,
          certificateLevel: body.certificateLevel,
          interactions: body.interactions,
          vcType: body.vcType === 'numeric4' ? 'alphaNumeric4' : body.vcType,
          callbackUrl: body.initialCallbackUrl,
          fileName: body.fileName,
          riskSignals: signalsAsked(relyingParty, body),
          subsystem: body.rp_app,
          onBehalfOf: body.onBehalfOf,
        },
        (sessionId) =>
          commandContext(context, { kind: 'relyingParty', id: relyingPartyId }, sessionId),
      );
    const request = { relyingPartyId, path: context.target, body: context.rawBody };
    const started = isForOneVisitor(target, body)
      ? await repeated.share(request, begin, isRunning)
      : await begin();
    return { body: startedAnswer(started, api.deviceLinkBase, body.vcType) };
  }

  async function poll({
    principal: { relyingPartyId, smartIdStatuses },
    params: { sessionId },
    query,
    context,
  }: PollRequest): Promise<Reply> {
    const known = answers.get(sessionId, relyingPartyId);
    if (known !== undefined) return known;
    const asOf = answers.clearings();
    const result = await api.pollSession({
      sessionId,
      relyingPartyId,
      timeoutMs: query.timeoutMs,
      onGone: (callback) => context.onGone(callback),
    });
    if (result.state === 'RUNNING') return runningReplies[result.step ?? 'NONE'];
    const body = Buffer.from(JSON.stringify(polledAnswer(result, smartIdStatuses)));
    const reply = { body, contentType: 'application/json' };
    const { readableUntil: until, onBehalfOf } = result.session.started;
    // Not cached with an organization: the right may change between two polls.
    if (onBehalfOf === null) answers.set(sessionId, { reply, relyingPartyId, until }, asOf);
    return reply;
  }

  return {
    /** Makes the handler of a session-creating route. */
    start:
      <Params>(flow: SessionFlow, targetOf: (params: Params) => SessionTarget) =>
      (request: StartRequest<Params>) =>
        withSmartIdStatuses(request.principal, () => start(request, flow, targetOf)),

    certificate: ({ principal, params: { documentNumber }, body }: CertificateRequest) =>
      withSmartIdStatuses(principal, async () => {
        await admit(principal, body.relyingPartyUUID);
        const { certificateLevel, relyingPartyName } = body;
        registeredNameBeside(relyingPartyName, principal);
        const found = await querySigningCertificate(api, { documentNumber, certificateLevel });
        return { body: certificateAnswer(found) };
      }),

    poll,

    events: (request: SessionRequest): Promise<Reply> =>
      sessionEvents({
        poll: (timeoutMs) => poll({ ...request, query: { timeoutMs } }),
        context: request.context,
        heartbeatMs: api.heartbeatMs,
      }),

    cancel: async ({ principal, params, context, ...request }: SessionRequest): Promise<Reply> => {
      const { relyingPartyId } = principal;
      const { sessionId } = params;
      await api.sessions.handle(
        sessionId,
        { type: 'CancelSession', relyingPartyId, now: api.clock.now().toISOString() },
        commandContext(context, { kind: 'relyingParty', id: relyingPartyId }, sessionId),
      );
      return poll({ ...request, principal, params, context, query: { timeoutMs: 0 } });
    },
  };
}

/** @throws Refusal PERMISSION_DENIED, INVALID_REQUEST */
function signalsAsked(
  relyingParty: RelyingPartyData,
  { riskSignals: names, riskSignalsRequired: required }: ServedBody,
): SignalsAsked | null {
  if (names === null) {
    if (!required) return null;
    const detail = 'Needs riskSignals.';
    throw new Refusal('INVALID_REQUEST', { errors: [{ pointer: '/riskSignalsRequired', detail }] });
  }
  checkPermission(relyingParty, 'RISK_SIGNALS');
  return { names, required };
}

/**
 * True when identical bodies can only mean the same citizen. An anonymous certificate choice has
 * neither name nor challenge: the requests of two visitors are identical, and must not share a
 * session.
 */
function isForOneVisitor(target: SessionTarget, body: ServedBody): boolean {
  if (target.type !== 'anyone' || body.content.kind !== 'CERTIFICATE_CHOICE') return true;
  return 'nonce' in body && body.nonce !== null;
}

/** Retry-After during maintenance, s. */
const MAINTENANCE_RETRY = 60;

function tooOld({ smartIdStatuses }: RelyingPartyData, field: string): Refusal {
  const detail = 'Belongs to a version of the protocol that is no longer supported.';
  const errors = [{ pointer: `/${field}`, detail }];
  return new Refusal(smartIdStatuses ? 'CLIENT_TOO_OLD' : 'INVALID_REQUEST', { errors });
}

/** Answers of sessions that run, made once: thousands of polls wait at a time. */
const runningReplies: Readonly<Record<SessionStep | 'NONE', Reply>> = {
  NONE: runningReply(null),
  DELIVERED: runningReply('DELIVERED'),
  OPENED: runningReply('OPENED'),
  PIN_ENTRY: runningReply('PIN_ENTRY'),
};

function runningReply(step: SessionStep | null): Reply {
  const body = Buffer.from(JSON.stringify(runningAnswer(step)));
  return { body, contentType: 'application/json' };
}

interface Answer {
  readonly reply: Reply;
  readonly relyingPartyId: string;
  /** End of readability, ISO 8601. */
  readonly until: string;
}

const ANSWER_LIFE_MS = 10_000;
const MAX_ANSWERS = 1_000;

/**
 * Cache of responses to completed sessions. They contain personal data, so each lives for seconds,
 * long enough for a client that polls again, and none outlives the crypto-shredding of a person.
 */
function createResponseCache({ clock, vault }: Pick<RelyingPartyApi, 'clock' | 'vault'>) {
  const answers = new Map<string, Answer & { readonly dropAt: number }>();
  let clearings = 0;
  vault.onForgotten(() => {
    clearings += 1;
    answers.clear();
  });
  return {
    /** Number of clearings; read it before the data of a response. */
    clearings: () => clearings,
    get(sessionId: string, relyingPartyId: string): Reply | undefined {
      const answer = answers.get(sessionId);
      if (answer?.relyingPartyId !== relyingPartyId) return undefined;
      const now = clock.now();
      if (now.getTime() < answer.dropAt && now.toISOString() < answer.until) return answer.reply;
      answers.delete(sessionId);
      return undefined;
    },
    /**
     * @param asOf number of clearings before the data was read: a response from before a clearing
     * may name the forgotten person
     */
    set(sessionId: string, answer: Answer, asOf: number): void {
      if (asOf !== clearings) return;
      const now = clock.now().getTime();
      for (const [old, { dropAt }] of answers) {
        if (dropAt > now && answers.size < MAX_ANSWERS) break;
        answers.delete(old);
      }
      answers.set(sessionId, { ...answer, dropAt: now + ANSWER_LIFE_MS });
    },
  };
}

/**
 * Applies Smart-ID's HTTP statuses to errors of `work` for relying parties registered for them: 471
 * certificate below the requested level; 472 no certificate in force, the person must act; 580
 * maintenance. The body is unchanged. 480, for retired protocols, is the status of CLIENT_TOO_OLD
 * itself: other relying parties receive INVALID_REQUEST.
 */
async function withSmartIdStatuses<Result>(
  { smartIdStatuses }: Pick<RelyingPartyData, 'smartIdStatuses'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const status = smartIdStatuses && isRefusal(error) ? statusOf(error) : null;
    throw status === null ? error : new AnsweredAs(status, error as Refusal);
  }
}

function statusOf(refusal: Refusal): number | null {
  if (refusal instanceof NoSuitableCertificate) return refusal.hasAnotherLevel ? 471 : 472;
  return refusal.code === 'MAINTENANCE' ? 580 : null;
}

/** Window of an idempotent retry, ms (contract §2). */
const WINDOW_MS = 15_000;
const MAX_REMEMBERED = 20_000;

interface SentRequest {
  readonly relyingPartyId: string;
  readonly path: string;
  readonly body: Buffer;
}

/**
 * Detects retries of session-creating requests, typically after a lost response: same relying
 * party, path and body bytes within 15 seconds share one response. Remembered in this process only
 * and for a bounded number of requests: a retry sent to another process starts a second session.
 */
function createRepeatedRequests<Answer>(clock: Clock) {
  const remembered = new Map<string, { readonly answer: Promise<Answer>; readonly at: number }>();

  function forgetOld(now: number) {
    for (const [key, { at }] of remembered) {
      if (now - at < WINDOW_MS && remembered.size < MAX_REMEMBERED) return;
      remembered.delete(key);
    }
  }

  return {
    /** @param isCurrent true when an earlier response may be repeated */
    async share(
      { relyingPartyId, path, body }: SentRequest,
      start: () => Promise<Answer>,
      isCurrent: (answer: Answer) => Promise<boolean>,
    ): Promise<Answer> {
      const now = clock.now().getTime();
      const key = createHash('sha256')
        .update(`${relyingPartyId}\n${path}\n`)
        .update(body)
        .digest('base64');
      forgetOld(now);
      const before = remembered.get(key);
      if (before !== undefined) {
        const answer = await before.answer;
        if (await isCurrent(answer)) return answer;
      }
      // Concurrent retries that find the response outdated share one restart.
      const replaced = remembered.get(key);
      if (replaced !== undefined && replaced !== before) return replaced.answer;
      const answer = start();
      remembered.delete(key);
      remembered.set(key, { answer, at: now });
      answer.catch(() => remembered.delete(key));
      return answer;
    },
  };
}
