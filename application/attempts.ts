import { AsyncLocalStorage } from 'node:async_hooks';
import { Refusal } from '../domain/shared/refusal.ts';
import type { AttemptLimits } from './ports/attemptLimits.ts';

type GiveBack = () => unknown;

/** Counts of one request against limits, to be given back when the request fails on our side. */
export class CountedAttempts {
  /** Null: none, as for most of the many requests at a time. */
  #counts: GiveBack[] | null = null;

  add(giveBack: GiveBack): void {
    (this.#counts ??= []).push(giveBack);
  }

  /** Gives each count back once. Never fails: a count that stays ends with its window. */
  async giveBack(): Promise<void> {
    const counts = this.#counts ?? [];
    this.#counts = null;
    await Promise.allSettled(counts.map((each) => Promise.resolve().then(each)));
  }
}

const current = new AsyncLocalStorage<CountedAttempts>();

/** Runs `act`; everything it counts belongs to `counts`. */
export function countingInto<Result>(counts: CountedAttempts, act: () => Result): Result {
  return current.run(counts, act);
}

/** Runs `act`; what it counted is given back when it fails. Once it has succeeded its counts stay, whatever fails after it. */
export async function givenBackOnFailure<Result>(act: () => Promise<Result>): Promise<Result> {
  const counts = new CountedAttempts();
  try {
    return await countingInto(counts, act);
  } catch (error) {
    await counts.giveBack();
    throw error;
  }
}

/** Adds a count to the request it belongs to; without one it stays. */
export function counted(giveBack: GiveBack): void {
  current.getStore()?.add(giveBack);
}

/**
 * Counts an attempt, given back when its request fails on our side. The only place that counts attempts.
 *
 * @returns 0 when it may be made, otherwise the seconds to wait
 */
export async function countAttempt(
  limits: AttemptLimits,
  key: string,
  { keptFree = 0, places = 1 }: { readonly keptFree?: number; readonly places?: number } = {},
): Promise<number> {
  const seconds = await limits.attempt(key, keptFree, places);
  if (seconds === 0) counted(() => limits.takeBack(key, places));
  return seconds;
}

/** A limit as its refusals name it. */
export interface NamedLimit {
  /** Sentence saying which limit is reached and what to do. */
  readonly what: string;
  /** Name of its setting; null: it is fixed. */
  readonly setting: string | null;
}

/** Detail of a refusal by a limit: which one, its setting, and when it ends. */
export function limitDetail({ what, setting }: NamedLimit, until: Date): string {
  const by = setting === null ? 'A fixed limit' : `Limited by ${setting}`;
  return `${what} ${by} until ${until.toISOString()}.`;
}

/** @param seconds to wait from `now` */
export function limitReached(limit: NamedLimit, seconds: number, now: Date): Refusal {
  return new Refusal('RATE_LIMITED', {
    detail: limitDetail(limit, new Date(now.getTime() + seconds * 1000)),
    retryAfterSeconds: Math.ceil(seconds),
  });
}
