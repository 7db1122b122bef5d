import { mayEndOnPage } from '../../domain/citizen/citizen.ts';
import type { EndResult, SessionStarted } from '../../domain/session/events.ts';
import { sha256 } from '../../domain/shared/digest.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import { shortenedTo } from '../../domain/shared/shortenedText.ts';
import type { Citizens, Devices } from '../aggregates.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import { Unavailable } from '../ports/faults.ts';
import { backOff, pause } from '../ports/follow.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { JobPayload, Jobs } from '../reactors/ports/jobs.ts';
import type { DeviceReferenceData, RelyingPartyData } from '../ports/referenceData.ts';
import {
  isInForce,
  type Poll,
  type PollResult,
  type PollSession,
  type Sessions,
} from '../session/sessions.ts';
import type { StartSession } from '../session/startSession.ts';

/** Reasons a citizen ends a phone for, with the RFC 5280 CRLReason number of its certificates. */
const reasonNumbers = {
  unused: revocationReasons.cessationOfOperation,
  lost: revocationReasons.keyCompromise,
} as const;

export type EndingReason = keyof typeof reasonNumbers;

export const endingReasons: readonly EndingReason[] = ['unused', 'lost'];

export interface OwnPhonesDependencies {
  readonly referenceData: DeviceReferenceData;
  readonly citizens: Pick<Citizens, 'load'>;
  readonly devices: Pick<Devices, 'load'>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly startSession: StartSession;
  readonly pollSession: PollSession;
  /** Platform as a relying party of itself. */
  readonly relyingParty: { get(): Promise<RelyingPartyData> };
  /** Resolves when the read models show it. @param reason RFC 5280 CRLReason number */
  readonly endDevice: (
    documentNumber: string,
    reason: number,
    context: CommandContext,
  ) => Promise<void>;
  /** Ends a phone whose end was confirmed where the process that asked is gone. */
  readonly jobs: Pick<Jobs, 'enqueue' | 'handle'>;
  readonly randomness: Randomness;
  readonly clock: Clock;
  /** Called with the failure of an ending that no browser waits for. */
  readonly onFailure: (name: string, cause: unknown) => void;
  /** Time a browser that waits has to come for the answer first, ms; default 5000. */
  readonly headStartMs?: number;
  /** Time other phones of the citizen have to disown a new one, ms. */
  readonly enrolmentBlockMs: number;
}

/** A phone of a citizen. */
export interface OwnPhone {
  readonly civilId: string;
  readonly documentNumber: string;
}

/** Form in which a citizen ends a phone. */
export interface EndingWish {
  readonly reason: EndingReason;
  /** Document number of the phone to confirm on; null, or one that cannot be asked: the oldest that can. */
  readonly on: string | null;
}

/** Question for the PIN that is asked on a phone, and what the answer ends. */
export interface EndingQuestion extends OwnPhone {
  readonly sessionId: string;
}

/** State of the question; ENDED: it was confirmed, and the phone is ended. */
export type EndingState =
  | { readonly state: 'RUNNING'; readonly started: SessionStarted['data'] }
  | { readonly state: 'ENDED' }
  /** `TOO_NEW`: confirmed on a phone that may not end this one yet; `OVER`: no longer readable. */
  | { readonly state: 'FAILED'; readonly why: EndResult | 'TOO_NEW' | 'OVER' };

/** Citizen's own phones, ended from the citizen's page: confirmed with PIN1 on a phone. */
export interface OwnPhones {
  /** Phones that can be asked whether this one shall end, the oldest first: the others, or itself where it is the only one. */
  mayConfirm(phone: OwnPhone): Promise<readonly string[]>;
  /**
   * Asks on a phone of the citizen whether this one shall end, and ends it when that was confirmed, though the browser may
   * be gone by then.
   *
   * @param text shown on the phone; takes the tag that shortens names
   * @throws Refusal DOCUMENT_NOT_FOUND for a phone that is another's or has ended; PERMISSION_DENIED while the platform's
   * relying party is deactivated; RATE_LIMITED and others of the session
   */
  ask(
    phone: OwnPhone,
    wish: EndingWish,
    text: (limited: ReturnType<typeof shortenedTo>) => string,
    contextOf: (sessionId: string) => CommandContext,
  ): Promise<SessionStarted['data']>;
  /**
   * Waits for the answer. @returns whether the question is over
   * @throws Refusal as {@link settle}
   */
  isOver(question: EndingQuestion, wait: Pick<Poll, 'timeoutMs' | 'onGone'>): Promise<boolean>;
  /**
   * State of the question. Confirmed, the phone is ended: repeatable.
   *
   * @throws Refusal DOCUMENT_NOT_FOUND unless this citizen was asked exactly this in the session
   */
  settle(question: EndingQuestion, context: CommandContext): Promise<EndingState>;
  /** Stops waiting for answers to questions. @returns resolved once phones whose end was confirmed are ended */
  stop(): Promise<void>;
}

export function createOwnPhones(dependencies: OwnPhonesDependencies): OwnPhones {
  const { referenceData, citizens, devices, sessions, startSession, clock } = dependencies;
  const { headStartMs = HEAD_START_MS } = dependencies;
  const stopping = new AbortController();
  const followers = new Set<Promise<void>>();

  async function enrolmentOf(documentNumber: string) {
    const { state } = await devices.load(documentNumber);
    if (state.status === 'NONE') throw new Unavailable('database');
    return state.enrolled;
  }

  async function mayEnd({ civilId, documentNumber }: OwnPhone, by: string): Promise<boolean> {
    const [{ state }, phone, other] = await Promise.all([
      citizens.load(civilId),
      enrolmentOf(by),
      enrolmentOf(documentNumber),
    ]);
    const settledSince = new Date(clock.now().getTime() - dependencies.enrolmentBlockMs);
    return mayEndOnPage(state, phone, other, settledSince.toISOString());
  }

  /** @throws Refusal DOCUMENT_NOT_FOUND */
  async function askedIn(question: EndingQuestion) {
    const { state } = await sessions.load(question.sessionId, {
      trusts: ({ status }) => status !== 'NONE',
    });
    const challenge = state.status === 'NONE' ? null : state.started.rpChallenge;
    const reason = endingReasons.find((each) => challenge === challengeOf(question, each));
    if (state.status === 'NONE' || reason === undefined) throw new Refusal('DOCUMENT_NOT_FOUND');
    return { started: state.started, reason };
  }

  /** Result of a question in the platform's name; null: no longer readable. */
  async function answerTo(
    { sessionId }: EndingQuestion,
    wait: Pick<Poll, 'timeoutMs' | 'onGone'>,
  ): Promise<PollResult | null> {
    const { relyingPartyId } = await dependencies.relyingParty.get();
    try {
      return await dependencies.pollSession({ sessionId, relyingPartyId, ...wait });
    } catch (error) {
      if (isRefusal(error, 'SESSION_NOT_FOUND')) return null;
      throw error;
    }
  }

  /** Others alone: a phone that is lost could refuse the question, and end it for the others. */
  async function mayConfirm({ civilId, documentNumber }: OwnPhone): Promise<readonly string[]> {
    const active = await referenceData.activeDevicesOf(civilId);
    const now = clock.now().toISOString();
    const numbers = active
      .filter(({ authentication }) => isInForce(authentication, now))
      .map((device) => device.documentNumber)
      .toReversed();
    const others = numbers.filter((each) => each !== documentNumber);
    return others.length === 0 ? numbers : others;
  }

  async function settle(question: EndingQuestion, context: CommandContext): Promise<EndingState> {
    const { started, reason } = await askedIn(question);
    const result = await answerTo(question, atOnce);
    if (result === null) return { state: 'FAILED', why: 'OVER' };
    if (result.state === 'RUNNING') return { state: 'RUNNING', started };
    const { confirmation, endResult } = result.session.outcome;
    if (confirmation === null) return { state: 'FAILED', why: endResult };
    if (!(await mayEnd(question, confirmation.documentNumber))) {
      return { state: 'FAILED', why: 'TOO_NEW' };
    }
    await dependencies.endDevice(question.documentNumber, reasonNumbers[reason], context);
    return { state: 'ENDED' };
  }

  /** Ends the phone once that was confirmed. @param until ms since 1970 */
  async function follow(question: EndingQuestion, until: number, context: CommandContext) {
    const { signal } = stopping;
    const timeoutMs = Math.max(0, until + LATE_MS - clock.now().getTime());
    const result = await answerTo(question, { timeoutMs, onGone: goneWith(signal) });
    if (result?.state !== 'COMPLETE' || result.session.outcome.confirmation === null) return;
    // Cut short by a stop: another process would make up for it when the time for the answer is over, not sooner.
    await pause(headStartMs, signal);
    await settle(question, context);
  }

  /** Repeats {@link follow} after failures, at most while the session can be read. */
  async function followOn(...following: Parameters<typeof follow>): Promise<void> {
    for (let tries = 1; !stopping.signal.aborted; tries += 1) {
      try {
        await follow(...following);
        return;
      } catch (cause) {
        if (tries === 1) dependencies.onFailure('endPhone', cause);
        await pause(backOff(tries), stopping.signal);
      }
    }
  }

  /** Looks once more when the time for the answer is over. A failure is logged: others end the phone, too. */
  async function lookLater({ sessionId, documentNumber }: EndingQuestion, at: Date) {
    const job = { name: JOB, id: `${JOB}/${sessionId}`, payload: { sessionId, documentNumber } };
    await dependencies.jobs
      .enqueue({ ...job, runAt: at })
      .catch((cause: unknown) => dependencies.onFailure('endPhone', cause));
  }

  dependencies.jobs.handle(JOB, async (payload: JobPayload) => {
    const { sessionId, documentNumber } = payload as unknown as EndingQuestion;
    const phone = await referenceData.device(documentNumber);
    if (phone?.active !== true) return;
    const { civilId } = phone;
    const { state } = await settle(
      { civilId, documentNumber, sessionId },
      {
        actor: { kind: 'citizen', id: civilId },
        correlationId: sessionId,
        causationId: JOB,
        requestId: null,
        ip: null,
      },
    );
    if (state === 'RUNNING') throw new Error('The time to answer has not ended.');
  });

  return {
    mayConfirm,

    async ask(phone, { reason, on }, text, contextOf) {
      const { civilId, documentNumber } = phone;
      const device = await referenceData.device(documentNumber);
      if (device?.civilId !== civilId || !device.active) throw new Refusal('DOCUMENT_NOT_FOUND');
      const relyingParty = await dependencies.relyingParty.get();
      if (!relyingParty.active) throw new Refusal('PERMISSION_DENIED');
      const able = await mayConfirm(phone);
      const asked = able.find((each) => each === on) ?? able[0] ?? documentNumber;
      const sessionId = dependencies.randomness.timeOrderedUuid();
      const interactions = [
        {
          type: 'confirmationMessageAndVerificationCodeChoice',
          displayText200: text(shortenedTo(200)),
        },
        { type: 'displayTextAndPIN', displayText60: text(shortenedTo(60)) },
      ] as const;
      const started = await startSession(
        {
          relyingParty,
          generation: 'G2',
          nested: {
            interactionsAsSent: Buffer.from(JSON.stringify(interactions)).toString('base64'),
            signatureAlgorithm: 'rsassa-pss',
            linkedSessionId: null,
          },
          flow: 'NOTIFICATION',
          target: { type: 'document', documentNumber: asked },
          isCitizensWish: true,
          content: {
            kind: 'AUTHENTICATION',
            rpChallenge: challengeOf({ ...phone, sessionId }, reason),
            hashType: 'SHA512',
          },
          relyingPartyName: relyingParty.name,
          certificateLevel: 'ADVANCED',
          interactions,
          vcType: null,
          callbackUrl: null,
          fileName: null,
          subsystem: null,
          onBehalfOf: null,
          sessionId,
        },
        contextOf,
      );
      const question = { ...phone, sessionId };
      const until = Date.parse(started.answerBefore);
      await lookLater(question, new Date(until + LATE_MS));
      const following = followOn(question, until, contextOf(sessionId)).finally(() =>
        followers.delete(following),
      );
      followers.add(following);
      return started;
    },

    async isOver(question, wait) {
      await askedIn(question);
      const result = await answerTo(question, wait);
      return result?.state !== 'RUNNING';
    },

    settle,

    async stop() {
      stopping.abort();
      await Promise.all(followers);
    },
  };
}

/** Job that ends a phone whose end was confirmed. */
const JOB = 'endPhone';

/** Time a browser that waits has to come first, ms: logins may end with the phone, and with them the page that says so. */
const HEAD_START_MS = 5000;

/** Time after the end of a session in which its answer is shown, ms. */
const LATE_MS = 5000;

function goneWith(signal: AbortSignal): Poll['onGone'] {
  return (callback) => {
    signal.addEventListener('abort', callback, { once: true });
    return () => signal.removeEventListener('abort', callback);
  };
}

const atOnce = { timeoutMs: 0, onGone: () => () => undefined };

/**
 * Challenge signed by whoever confirms, base64: of what is asked, in this session alone. The session's id is not known
 * before, so that no answer to another question fits.
 */
function challengeOf(
  { civilId, documentNumber, sessionId }: EndingQuestion,
  reason: EndingReason,
): string {
  const lines = ['TAMGA_END_PHONE_V1', personEtsi(civilId), documentNumber, reason, sessionId];
  return sha256(lines.join('\n')).toString('base64');
}
