import { AsyncLocalStorage } from 'node:async_hooks';
import { Refusal } from '../domain/shared/refusal.ts';
import type { AttemptLimits } from './ports/attemptLimits.ts';
import type { Clock } from './ports/clock.ts';

type GiveBack = () => unknown;

/** Counts of one request against limits, to be given back when the request fails on our side. */
export class CountedAttempts {
  /** Null: none, as for most of the many requests at a time. */
  #counts: GiveBack[] | null = null;
  /** The count of the address that the request comes from, which is among the others, too. */
  ofAddress: CountedAttempts | null = null;

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

/** Counts a request for its address by `count`. */
export function countingAddress<Result>(count: () => Result): Result {
  const ofAddress = new CountedAttempts();
  const request = current.getStore();
  if (request !== undefined) {
    request.ofAddress = ofAddress;
    request.add(() => ofAddress.giveBack());
  }
  return countingInto(ofAddress, count);
}

/** Gives back what the current request counted for its address, because it counts elsewhere; its other counts stay. */
export function giveBackOfAddress(): void {
  void current.getStore()?.ofAddress?.giveBack();
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

/** Unit in which sizes are counted, bytes. */
const UNIT = 64 * 1024;

/** Limit of what one caller may have the service keep or make within a day. */
export interface Quota {
  /**
   * Counts something, and takes it back when `make` fails: what was not made costs nothing.
   *
   * @param bytes its size, where sizes are limited, too
   * @throws Refusal QUOTA_EXCEEDED with the limit, its setting and when it ends
   */
  spend<Result>(caller: string, bytes: number, make: () => Promise<Result>): Promise<Result>;
}

/** One counted quantity; its limit is in `counts`. */
export interface CountedQuantity {
  /** Sentence and setting of the limit. */
  readonly limit: NamedLimit & { readonly setting: string };
  /** Limits a key to so many within the window. */
  readonly counts: AttemptLimits;
  /** Places that something of this size takes; default: one, whatever its size. */
  readonly placesOf?: (bytes: number) => number;
}

/** Places of a size, 64 KiB each; an empty file takes one. */
export const placesOfBytes = (bytes: number): number => Math.max(1, Math.ceil(bytes / UNIT));

/** Places of a limit given in megabytes. */
export const placesOfMegabytes = (megabytes: number): number => (megabytes * 1024 * 1024) / UNIT;

/** @param quantities counted one after the other; none: no limit */
export function createQuota(quantities: readonly CountedQuantity[], clock: Clock): Quota {
  async function count(
    { limit, counts, placesOf }: CountedQuantity,
    caller: string,
    bytes: number,
  ) {
    const places = placesOf?.(bytes) ?? 1;
    const key = `quota ${limit.setting} ${caller}`;
    const seconds = await countAttempt(counts, key, { places });
    if (seconds === 0) return;
    throw new Refusal('QUOTA_EXCEEDED', {
      detail: limitDetail(limit, new Date(clock.now().getTime() + seconds * 1000)),
      retryAfterSeconds: seconds,
    });
  }

  return {
    spend: (caller, bytes, make) =>
      givenBackOnFailure(async () => {
        for (const quantity of quantities) await count(quantity, caller, bytes);
        return make();
      }),
  };
}

/** An IPv4 address, or the /64 network of an IPv6 address, which belongs to one customer. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const leading = head === '' ? [] : head.split(':');
  const trailing = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - leading.length - trailing.length)).fill('0');
  const groups = [...leading, ...(tail === undefined ? [] : zeros), ...trailing];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
