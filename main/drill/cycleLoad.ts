import { setTimeout as pause } from 'node:timers/promises';
import { openLoop } from './openLoop.ts';
import { ServiceError } from '../../apps/phone/service.ts';
import type { Answer, CreatedSession, LivePhone, LiveRelyingParty } from './callers.ts';

/** Answers to callers about one session, for comparison with the log. */
export interface AcknowledgedSession {
  readonly sessionId: string;
  /** The phone was told that its confirmation counts. */
  confirmed: boolean;
}

/** A call that failed or was slow. Times are `performance.now()`, ms. */
export interface Disturbance {
  readonly begun: number;
  readonly ended: number;
  readonly failed: boolean;
}

/** Result of a load. Times are `performance.now()`, ms. */
export interface LoadFigures {
  /** Cycles begun. */
  readonly cycles: number;
  /** Creations that were not answered 200, by what was answered. */
  readonly createsFailed: readonly string[];
  /** Confirmations and polls answered 502, 503 or not at all, by what was answered; callers repeat them. */
  readonly othersRefused: readonly string[];
  /** Sessions just created that a process did not know. */
  readonly unknown: readonly string[];
  /** Polls not answered within {@link SLEPT_MS} of the acknowledged confirmation. */
  readonly slept: readonly LatePoll[];
  /** Answers nobody should get, whatever fails behind the service. */
  readonly surprises: readonly string[];
  /** The longest a creation, a confirmation or, after its confirmation, a poll took, ms. */
  readonly longestMs: number;
  /** Calls that failed or were slow. */
  readonly disturbances: readonly Disturbance[];
  /** Start of the last cycle. */
  readonly endedAt: number;
  readonly sessions: readonly AcknowledgedSession[];
}

/** A poll that was answered late; times of `performance.now()`. */
export interface LatePoll {
  readonly sessionId: string;
  readonly confirmedAt: number;
  readonly answeredAt: number;
}

export interface CycleLoadOptions {
  readonly relyingParty: LiveRelyingParty;
  readonly phones: readonly LivePhone[];
  /** Origins of two API processes: a session is created at one and polled at the other. */
  readonly origins: readonly [string, string];
  readonly perSecond: number;
  readonly milliseconds: number;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
  /** A call that takes longer is no full service, ms. */
  readonly slowMs: number;
}

/** A poll that is answered later after its confirmation slept through it, ms. */
export const SLEPT_MS = 5000;
/** Timeout of a long poll, ms. */
const HOLD_MS = 30_000;
/** Delay before a refused caller retries, ms. */
const RETRY_MS = 250;
/** Wrong answers after which a phone gives up. */
const WRONG_ANSWERS = 20;

/** Begins cycles (create, poll held, phone confirms, COMPLETE) at a fixed rate and waits for the last of them. */
export async function runCycleLoad(options: CycleLoadOptions): Promise<LoadFigures> {
  const { relyingParty, phones, origins, slowMs } = options;
  const createsFailed: string[] = [];
  const unknown: string[] = [];
  const slept: LatePoll[] = [];
  const surprises: string[] = [];
  const sessions: AcknowledgedSession[] = [];
  let cycles = 0;
  const othersRefused: string[] = [];
  let longestMs = 0;
  const disturbances: Disturbance[] = [];
  const busy = new Map<LivePhone, number>();
  const underWay = (phone: LivePhone) => busy.get(phone) ?? 0;
  let endedAt = performance.now();

  /** Notes how a call went that is expected to be quick. */
  function note(begun: number, failed: boolean): void {
    const ended = performance.now();
    longestMs = Math.max(longestMs, ended - begun);
    if (failed || ended - begun > slowMs) disturbances.push({ begun, ended, failed });
  }

  async function create(phone: LivePhone, origin: string): Promise<CreatedSession | undefined> {
    const begun = performance.now();
    const answer = await relyingParty
      .create(phone.civilId, origin)
      .catch((error: unknown) => ({ ...unanswered(error), created: undefined }));
    note(begun, answer.created === undefined);
    if (answer.created !== undefined) return answer.created;
    createsFailed.push(kindOf('create', answer));
    if (!isOutage(answer.status)) surprises.push(`create: ${told(answer)}`);
    return undefined;
  }

  /** @param confirmed when the phone was told that it confirmed; `null` before that */
  async function poll(sessionId: string, origin: string, confirmed: () => number | null) {
    for (;;) {
      const begun = performance.now();
      const answer = await relyingParty.poll(sessionId, HOLD_MS, origin).catch(unanswered);
      const since = Math.max(begun, confirmed() ?? performance.now());
      const answeredAt = performance.now();
      if (answeredAt - since > SLEPT_MS) slept.push({ sessionId, confirmedAt: since, answeredAt });
      if (answer.status === 200) {
        note(since, false);
        if (answer.body['state'] === 'COMPLETE') return;
        continue;
      }
      note(since, true);
      if (answer.status === 404) unknown.push(`poll of ${sessionId}: ${told(answer)}`);
      else if (isOutage(answer.status)) othersRefused.push(kindOf('poll', answer));
      else {
        surprises.push(`poll: ${told(answer)}`);
        return;
      }
      await pause(RETRY_MS);
    }
  }

  async function confirm(phone: LivePhone, session: CreatedSession): Promise<void> {
    let wrong = 0;
    for (;;) {
      const begun = performance.now();
      try {
        const endResult = await phone.confirm(session);
        note(begun, false);
        if (endResult !== 'OK') surprises.push(`confirm: ${endResult}`);
        return;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        // The answer to the confirmation that was first got lost.
        if (error.code === 'SESSION_ALREADY_COMPLETE') return;
        note(begun, true);
        const text = `confirm of ${session.sessionId}: ${error.status} ${error.code}`;
        if (error.status === 404) unknown.push(text);
        else if (isOutage(error.status)) othersRefused.push(kindOf('confirm', refusal(error)));
        else {
          surprises.push(text);
          wrong += 1;
        }
      }
      if (wrong === WRONG_ANSWERS) return;
      await pause(RETRY_MS);
    }
  }

  async function cycle(index: number): Promise<void> {
    const [here, there] = index % 2 === 0 ? origins : [origins[1], origins[0]];
    const phone = leastBusy(index);
    busy.set(phone, underWay(phone) + 1);
    cycles += 1;
    endedAt = performance.now();
    await logIn(phone, here, there).finally(() => busy.set(phone, underWay(phone) - 1));
  }

  /** Phone with the fewest cycles under way: nobody logs in anew before their logins end, unless all of them wait. */
  function leastBusy(index: number): LivePhone {
    const inTurn = [
      ...phones.slice(index % phones.length),
      ...phones.slice(0, index % phones.length),
    ];
    const [phone] = inTurn.sort((one, other) => underWay(one) - underWay(other));
    if (phone === undefined) throw new Error('There is no phone.');
    return phone;
  }

  async function logIn(phone: LivePhone, here: string, there: string): Promise<void> {
    const session = await create(phone, here);
    if (session === undefined) return;
    const record: AcknowledgedSession = { sessionId: session.sessionId, confirmed: false };
    sessions.push(record);
    let confirmedAt: number | null = null;
    const polled = poll(session.sessionId, there, () => confirmedAt);
    await confirm(phone, session);
    confirmedAt = performance.now();
    record.confirmed = true;
    await polled;
  }

  await openLoop(options.perSecond, options.milliseconds, cycle, options.signal);
  return {
    cycles,
    createsFailed,
    othersRefused,
    unknown,
    slept,
    surprises,
    longestMs,
    disturbances,
    endedAt,
    sessions,
  };
}

/** True for what a caller repeats: no answer, a balancer's that it got none, a refusal for now. */
function isOutage(status: number): boolean {
  return [0, 502, 503].includes(status);
}

/** Stands for the answer that a call did not get. */
function unanswered(error: unknown): Pick<Answer, 'status' | 'body'> {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return { status: 0, body: { code: String(cause) } };
}

/** Answer that a phone was refused with, or did not get. */
function refusal({ status, code, cause }: ServiceError): Pick<Answer, 'status' | 'body'> {
  return status === 0 ? unanswered(cause) : { status, body: { code } };
}

/** Text by which answers are counted. */
function kindOf(what: string, { status, body }: Pick<Answer, 'status' | 'body'>): string {
  const { code } = body;
  return typeof code === 'string' ? `${what} ${status} ${code}` : `${what} ${status}`;
}

function told({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  return `${status} ${JSON.stringify(body).slice(0, 300)}`;
}
