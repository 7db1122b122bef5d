import type { Clock } from './ports/clock.ts';
import { AWAY_MS, type FailedDelivery, type Undelivered } from './ports/undelivered.ts';
import type { JobPayload, Jobs } from './reactors/ports/jobs.ts';

export interface DeliveryDependencies {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly undelivered: Undelivered;
  readonly clock: Clock;
}

/** ISO 8601. */
export interface GivenUp {
  readonly since: string;
  readonly givenUpAt: string;
}

export interface DeliveryOptions<Content extends object> extends DeliveryDependencies {
  readonly kind: FailedDelivery['kind'];
  /** Name of its jobs, whose payload is the content. */
  readonly job: string;
  /** Tells deliveries apart. */
  readonly idOf: (content: Content) => string;
  /** Null: the push gateway. */
  readonly clientIdOf: (content: Content) => string | null;
  /** @throws Error when the recipient did not take it; its message is shown to operators */
  readonly deliver: (content: Content) => Promise<void>;
  /** Called with each attempt that failed. */
  readonly onFailed: (content: Content, cause: unknown) => void;
  /** Records that no other attempt follows. */
  readonly giveUp: (content: Content, times: GivenUp) => Promise<void>;
}

/** Time after which a delivery is given up, ms. */
export const GIVEN_UP_AFTER_MS = 86_400_000;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 3_600_000;
/** Deliveries of a kind at once in one process: recipients that hang leave the other places to others. */
const AT_ONCE = 2;
/** Delay of a delivery for which there was no place, ms. */
export const NO_PLACE_MS = 1_000;
/** Distance between those that found no place, so that a thousand that wait are not all moved every second, ms. */
const SPACING_MS = 50;

/**
 * Delay of the next attempt, ms: the first after one failure, doubling up to the longest.
 *
 * @param failures in a row, one or more
 */
export function delayAfter(
  failures: number,
  firstMs = FIRST_DELAY_MS,
  longestMs = LONGEST_DELAY_MS,
): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

interface Tries {
  /** Number of failures. */
  readonly failures: number;
  /** Number of times it waited for a place. */
  readonly waits: number;
  /** Beginning of the day after which it is given up, epoch ms. */
  readonly since: number;
  /** Time of the last attempt, epoch ms; absent: none, or one of a release that did not say. */
  readonly triedAt?: number;
}

/**
 * Delivers outward by jobs: tried again with growing delays, shown to operators meanwhile, given up after a day with an
 * event.
 *
 * @returns the handler of the jobs, and what enqueues the first one. @throws Unavailable, both
 */
export function createDelivery<Content extends object>(options: DeliveryOptions<Content>) {
  const { jobs, undelivered, clock, kind, job, idOf, clientIdOf } = options;
  let running = 0;
  let nextPlaceAt = 0;

  function enqueue(delivery: Content & Tries, delayMs = 0): Promise<void> {
    return jobs.enqueue({
      name: job,
      id: `${job}/${idOf(delivery)}/${delivery.failures}/${delivery.waits}`,
      payload: { ...delivery } as unknown as JobPayload,
      ...(delayMs > 0 && { runAt: new Date(clock.now().getTime() + delayMs) }),
    });
  }

  function untried(): Tries {
    return { failures: 0, waits: 0, since: clock.now().getTime() };
  }

  async function failed(delivery: Content & Tries, cause: unknown): Promise<void> {
    const { failures, triedAt = delivery.since } = delivery;
    options.onFailed(delivery, cause);
    const now = clock.now();
    // An outage of the platform is not time that the recipient had.
    const wasAway = now.getTime() - triedAt >= AWAY_MS;
    const since = wasAway ? now.getTime() : delivery.since;
    const isGivenUp = now.getTime() - since >= GIVEN_UP_AFTER_MS;
    if (!isGivenUp) {
      const tries = { failures: failures + 1, since, triedAt: now.getTime() };
      await enqueue({ ...delivery, ...tries }, delayAfter(tries.failures));
    }
    await undelivered.put({
      id: idOf(delivery),
      kind,
      clientId: clientIdOf(delivery),
      since: new Date(since),
      attempts: failures + 1,
      reason: cause instanceof Error ? cause.message : 'Error',
      triedAt: now,
      isGivenUp,
    });
    if (!isGivenUp) return;
    await options.giveUp(delivery, {
      since: new Date(since).toISOString(),
      givenUpAt: now.toISOString(),
    });
  }

  async function attempt(payload: JobPayload): Promise<void> {
    const delivery = { ...untried(), ...payload } as unknown as Content & Tries;
    if (running >= AT_ONCE) {
      const now = clock.now().getTime();
      nextPlaceAt = Math.max(now + NO_PLACE_MS, nextPlaceAt + SPACING_MS);
      await enqueue({ ...delivery, waits: delivery.waits + 1 }, nextPlaceAt - now);
      return;
    }
    running += 1;
    try {
      await options.deliver(delivery);
    } catch (error) {
      await failed(delivery, error);
      return;
    } finally {
      running -= 1;
    }
    if (delivery.failures > 0) await undelivered.remove(idOf(delivery));
  }

  return { attempt, begin: (content: Content) => enqueue({ ...content, ...untried() }) };
}
