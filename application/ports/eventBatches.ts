import type { EventLog, LoggedEvent, Subscription } from './eventLog.ts';

/** Largest batch: bounds latency and memory. */
const MAX_BATCH = 500;

/**
 * Reads the log up to its current end, in order, batch by batch; the next is read once the previous one is consumed, so
 * memory stays constant. The log only grows: the result is one state of it.
 *
 * @param after begin after this position; omitted: from the beginning
 * @param bounds end before the current end, or read some categories only
 * @throws the error that ends the subscription
 */
export async function* eventBatches(
  log: Pick<EventLog, 'subscribe' | 'head'>,
  after: bigint | null = null,
  bounds: { readonly upTo?: bigint; readonly categories?: readonly string[] } = {},
): AsyncGenerator<readonly LoggedEvent[]> {
  const { upTo, ...categories } = bounds;
  const head = await log.head();
  const target = head !== null && upTo !== undefined && upTo < head ? upTo : head;
  if (target === null || (after !== null && after >= target)) return;
  const handover = createHandover();
  const subscription: Subscription = log.subscribe({
    after,
    ...categories,
    maxBatch: MAX_BATCH,
    onBatch: async (events, position) => {
      const wanted = events.filter((event) => event.position <= target);
      if (wanted.length > 0) await handover.give(wanted);
      if (position >= target) handover.end();
    },
    onCaughtUp: handover.end,
    onStopped: handover.fail,
  });
  try {
    for (;;) {
      const batch = await handover.take();
      if (batch === undefined) return;
      yield batch;
    }
  } finally {
    handover.end();
    await subscription.stop();
  }
}

/** Hands over one batch at a time from a pushing subscription to a pulling reader. */
function createHandover() {
  let offered: readonly LoggedEvent[] | undefined;
  let outcome: { readonly cause?: unknown } | undefined;
  let taken: () => void = () => undefined;
  let changed: () => void = () => undefined;

  function settle(how: { readonly cause?: unknown }) {
    outcome ??= how;
    taken();
    changed();
  }

  return {
    /** Resolves when the reader took it, or has stopped. */
    give: (events: readonly LoggedEvent[]) =>
      new Promise<void>((resolve) => {
        if (outcome !== undefined) {
          resolve();
          return;
        }
        offered = events;
        taken = resolve;
        changed();
      }),
    /** The next batch; `undefined` after the last. */
    take: async (): Promise<readonly LoggedEvent[] | undefined> => {
      while (offered === undefined && outcome === undefined) {
        await new Promise<void>((resolve) => (changed = resolve));
      }
      const batch = offered;
      offered = undefined;
      if (batch === undefined && outcome !== undefined && 'cause' in outcome) throw outcome.cause;
      taken();
      return batch;
    },
    end: () => settle({}),
    fail: (cause: unknown) => settle({ cause }),
  };
}
