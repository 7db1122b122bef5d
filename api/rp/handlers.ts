import { querySigningCertificate } from '../../application/certificate/querySigningCertificate.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { DeviceFacts, RelyingPartyFact } from '../../application/ports/facts.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { PollSession } from '../../application/session/pollSession.ts';
import type { Sessions } from '../../application/session/sessions.ts';
import type { SessionTarget } from '../../application/session/sessionOwner.ts';
import type { StartSession } from '../../application/session/startSession.ts';
import type { SessionFlow, SessionStarted } from '../../domain/session/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { commandContext } from '../http/guards.ts';
import type { RateLimit } from '../http/rateLimit.ts';
import type { Reply, RouteRequest } from '../http/route.ts';
import { certificateAnswer, polledAnswer, startedAnswer } from './generations/answers.ts';
import type { StartBody } from './generations/detect.ts';
import { createRepeatedRequests } from './repeatedRequests.ts';
import { withSmartIdStatuses } from './smartIdStatuses.ts';

export interface RelyingPartyApi {
  readonly startSession: StartSession;
  readonly pollSession: PollSession;
  readonly sessions: Sessions;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  /** Says who was forgotten. */
  readonly vault: Pick<PersonalDataVault, 'onForgotten'>;
  /** Session-creating requests a minute of relying parties whose registration does not say. */
  readonly requestsPerMinute: number;
  /** `deviceLinkBase` of device-link answers; no query. */
  readonly deviceLinkBase: string;
  readonly facts: DeviceFacts;
  /** No new session is started. */
  readonly maintenance: boolean;
}

type ServedBody = Exclude<StartBody, { generation: 'OUTDATED' }>;
type StartRequest<Params> = RouteRequest<RelyingPartyFact, Params, unknown, StartBody>;
type CertificateRequest = RouteRequest<
  RelyingPartyFact,
  { readonly documentNumber: string },
  unknown,
  { readonly relyingPartyUUID: string; readonly certificateLevel: CertificateLevel }
>;
type PollRequest = RouteRequest<
  RelyingPartyFact,
  { readonly sessionId: string },
  { readonly timeoutMs: number },
  unknown
>;

export interface RelyingPartyHandlers {
  /** The handler of one session-creating row. */
  start<Params>(
    flow: SessionFlow,
    targetOf: (params: Params) => SessionTarget,
  ): (request: StartRequest<Params>) => Promise<Reply>;
  certificate(request: CertificateRequest): Promise<Reply>;
  poll(request: PollRequest): Promise<Reply>;
}

export function createHandlers(api: RelyingPartyApi): RelyingPartyHandlers {
  const repeated = createRepeatedRequests<SessionStarted['data']>(api.clock);
  const answers = createAnswerCache(api);

  async function isRunning({ sessionId }: SessionStarted['data']): Promise<boolean> {
    const { state } = await api.sessions.load(sessionId);
    return state.status === 'RUNNING';
  }

  /** Lets the owner of the body on, until its requests are too many. */
  async function admit(relyingParty: RelyingPartyFact, relyingPartyUUID: string): Promise<void> {
    const { relyingPartyId, requestsPerMinute } = relyingParty;
    if (relyingPartyUUID !== relyingPartyId) {
      throw new Refusal('UNAUTHENTICATED', {
        detail: 'The relyingPartyUUID does not belong to this API secret.',
      });
    }
    await api.rateLimit.consume(relyingPartyId, requestsPerMinute ?? api.requestsPerMinute);
  }

  async function start<Params>(
    { principal: relyingParty, body, context }: StartRequest<Params>,
    flow: SessionFlow,
    targetOf: () => SessionTarget,
  ): Promise<Reply> {
    await admit(relyingParty, body.relyingPartyUUID);
    if (api.maintenance) throw new Refusal('MAINTENANCE', { retryAfterSeconds: MAINTENANCE_RETRY });
    if (body.generation === 'OUTDATED') throw tooOld(relyingParty, body.field);
    const { relyingPartyId } = relyingParty;
    const target = targetOf();
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

  return {
    start: (flow, targetOf) => (request) =>
      withSmartIdStatuses(request.principal, () =>
        start(request, flow, () => targetOf(request.params)),
      ),

    certificate: ({ principal, params: { documentNumber }, body }) =>
      withSmartIdStatuses(principal, async () => {
        await admit(principal, body.relyingPartyUUID);
        const { certificateLevel } = body;
        const found = await querySigningCertificate(api, { documentNumber, certificateLevel });
        return { body: certificateAnswer(found) };
      }),

    poll: async ({ principal: { relyingPartyId }, params: { sessionId }, query, context }) => {
      const known = answers.get(sessionId, relyingPartyId);
      if (known !== undefined) return known;
      const asOf = answers.clearings();
      const result = await api.pollSession({
        sessionId,
        relyingPartyId,
        timeoutMs: query.timeoutMs,
        onGone: (callback) => context.onGone(callback),
      });
      if (result.state === 'RUNNING') return running;
      const body = Buffer.from(JSON.stringify(polledAnswer(result)));
      const reply = { body, contentType: 'application/json' };
      const { readableUntil: until, onBehalfOf } = result.session.started;
      // What right there is can change between two answers.
      if (onBehalfOf === null) answers.set(sessionId, { reply, relyingPartyId, until }, asOf);
      return reply;
    },
  };
}

/**
 * Whether the same body can only be meant for the same person. A choice of certificate by whoever comes has neither name
 * nor challenge: two visitors' requests are the same to the byte, and one must not be given the other's session.
 */
function isForOneVisitor(target: SessionTarget, body: ServedBody): boolean {
  if (target.type !== 'anyone' || body.content.kind !== 'CERTIFICATE_CHOICE') return true;
  return 'nonce' in body && body.nonce !== null;
}

/** After how many seconds asking again makes sense. */
const MAINTENANCE_RETRY = 60;

function tooOld({ smartIdStatuses }: RelyingPartyFact, field: string): Refusal {
  const detail = 'Belongs to a version of the protocol that is no longer served.';
  const errors = [{ pointer: `/${field}`, detail }];
  return new Refusal(smartIdStatuses ? 'CLIENT_TOO_OLD' : 'INVALID_REQUEST', { errors });
}

const running: Reply = {
  body: Buffer.from(JSON.stringify({ state: 'RUNNING' })),
  contentType: 'application/json',
};

interface Answer {
  readonly reply: Reply;
  readonly relyingPartyId: string;
  /** ISO 8601: the session is not readable from here on. */
  readonly until: string;
}

const ANSWER_LIFE_MS = 10_000;
const MAX_ANSWERS = 1_000;

/**
 * Answers of complete sessions, ready to be sent. They hold personal data, so each lives for seconds only, long enough
 * for a client that polls again, and none outlives the forgetting of a person.
 */
function createAnswerCache({ clock, vault }: Pick<RelyingPartyApi, 'clock' | 'vault'>) {
  const answers = new Map<string, Answer & { readonly dropAt: number }>();
  let clearings = 0;
  vault.onForgotten(() => {
    clearings += 1;
    answers.clear();
  });
  return {
    /** To be asked before what an answer is made of is read. */
    clearings: () => clearings,
    get(sessionId: string, relyingPartyId: string): Reply | undefined {
      const answer = answers.get(sessionId);
      if (answer?.relyingPartyId !== relyingPartyId) return undefined;
      const now = clock.now();
      if (now.getTime() < answer.dropAt && now.toISOString() < answer.until) return answer.reply;
      answers.delete(sessionId);
      return undefined;
    },
    /** @param asOf the clearings before reading: an answer read before one may name whom it was for */
    set(sessionId: string, answer: Answer, asOf: number): void {
      if (asOf !== clearings) return;
      const now = clock.now().getTime();
      for (const [old, { dropAt }] of answers) {
        if (dropAt > now && answers.size < MAX_ANSWERS) break;
        answers.delete(old);
      }
      answers.set(sessionId, Object.assign({}, answer, { dropAt: now + ANSWER_LIFE_MS }));
    },
  };
}
