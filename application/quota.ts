import { Refusal } from '../domain/shared/refusal.ts';
import { countAttempt, givenBackOnFailure, limitDetail, type NamedLimit } from './attempts.ts';
import type { AttemptLimits } from './ports/attemptLimits.ts';
import type { Clock } from './ports/clock.ts';

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
