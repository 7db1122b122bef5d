import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../../apps/phone/service.ts';
import type { CreatedSession, LivePhone, LiveRelyingParty } from '../../../main/drill/callers.ts';

/** Answers to the callers about one session. */
export interface SessionRecord {
  readonly sessionId: string;
  /** End results of the phone's calls that were answered 200. */
  readonly acknowledged: string[];
  /** End results the relying party's polls answered. */
  readonly polled: string[];
}

/** Sessions created, polled and answered by many at once, until stopped. */
export interface SessionLoad {
  /** Every session whose creation was answered 200. */
  readonly records: readonly SessionRecord[];
  /** Answers nobody should get, whatever fails behind the service. */
  readonly surprises: readonly string[];
  /** Sessions whose end both sides know. */
  completed(): number;
  /** Calls that failed because the service or what it needs was unavailable, with what was answered. */
  readonly interruptions: readonly string[];
  /** Begins no more sessions; resolves when those begun have ended. */
  stop(): Promise<void>;
}

/** Delay before a caller without an answer retries, ms. */
const RETRY_MS = 25;
/** Timeout of a long poll, ms. */
const HOLD_MS = 20_000;

/** Every phone answers `parallel` sessions at a time: one confirmed, one refused, one both at once. */
export function startSessionLoad(
  relyingParty: LiveRelyingParty,
  phones: readonly LivePhone[],
  parallel = 2,
): SessionLoad {
  const records: SessionRecord[] = [];
  const surprises: string[] = [];
  let completed = 0;
  const interruptions: string[] = [];
  let stopped = false;

  /** The answer; `undefined` while the service is unavailable, which the caller must expect. */
  async function create(civilId: string): Promise<CreatedSession | undefined> {
    try {
      const { status, body, created } = await relyingParty.create(civilId);
      if (status === 503) interruptions.push(`create: ${text(body)}`);
      else if (status !== 200) surprises.push(`create: ${status} ${text(body)}`);
      return created;
    } catch (error) {
      interruptions.push(`create: ${String(error)}`);
      return undefined;
    }
  }

  async function pollToEnd(record: SessionRecord): Promise<void> {
    for (;;) {
      const answer = await relyingParty.poll(record.sessionId, HOLD_MS).catch(() => undefined);
      if (answer?.status === 200 && answer.body['state'] === 'COMPLETE') {
        record.polled.push(endResultOf(answer.body));
        return;
      }
      if (answer !== undefined && answer.status !== 200 && answer.status !== 503) {
        surprises.push(`poll: ${answer.status} ${text(answer.body)}`);
        return;
      }
      // RUNNING is what a poll is answered when its time is over, on a machine that is busy.
      if (answer?.status !== 200) interruptions.push(`poll: ${text(answer?.body ?? {})}`);
      await pause(RETRY_MS);
    }
  }

  /** Repeats a phone's call until it is answered: with the end result, or because another answer was first. */
  async function answer(record: SessionRecord, send: () => Promise<string>): Promise<void> {
    for (;;) {
      try {
        record.acknowledged.push(await send());
        return;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === 'SESSION_ALREADY_COMPLETE') return;
        if (error.status !== 0 && error.status !== 503) {
          surprises.push(`answer: ${error.status} ${error.code} ${error.message}`);
          return;
        }
        interruptions.push(`answer: ${error.code} ${error.message}`);
        await pause(RETRY_MS);
      }
    }
  }

  async function cycle(phone: LivePhone, number: number): Promise<void> {
    const session = await create(phone.civilId);
    if (session === undefined) {
      await pause(RETRY_MS);
      return;
    }
    const record: SessionRecord = { sessionId: session.sessionId, acknowledged: [], polled: [] };
    records.push(record);
    const polling = pollToEnd(record);
    const confirm = () => answer(record, () => phone.confirm(session));
    const refuse = () => answer(record, () => phone.refuse(session, 'USER_REFUSED'));
    const ways = [[confirm], [refuse], [confirm, refuse]] as const;
    await Promise.all((ways[number % ways.length] ?? []).map((way) => way()));
    await polling;
    completed += 1;
  }

  async function run(phone: LivePhone, offset: number): Promise<void> {
    for (let number = offset; !stopped; number += 1) await cycle(phone, number);
  }

  const running = phones.flatMap((phone) =>
    Array.from({ length: parallel }, (_, index) => run(phone, index)),
  );
  return {
    records,
    surprises,
    completed: () => completed,
    interruptions,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** The end result in a poll's COMPLETE answer. */
export function endResultOf(body: Readonly<Record<string, unknown>>): string {
  const { endResult } = body['result'] as { readonly endResult: string };
  return endResult;
}

function text(body: object): string {
  return JSON.stringify(body).slice(0, 300);
}
