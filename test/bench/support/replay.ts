import type { EventStore } from '../../../application/ports/eventStore.ts';
import { type Session, sessionDecider } from '../../../domain/session/session.ts';
import type { SessionEvent } from '../../../domain/session/events.ts';

/** Result of an auditor's replay of the whole log. */
export interface ReplayResult {
  readonly events: number;
  readonly streams: number;
  /** Gaps between revisions of a stream. */
  readonly gaps: number;
  readonly confirmed: number;
  readonly milliseconds: number;
}

/**
 * Reads the log from its beginning to its current end, decoded and upcast, folds every session and
 * checks the continuity of all streams' revisions. The auditor's fold needs no texts and names, so
 * none is decrypted.
 */
export async function replayLog(eventStore: EventStore): Promise<ReplayResult> {
  const startedAt = performance.now();
  const running = new Map<string, Session>();
  const revisions = new Map<string, bigint>();
  const head = await eventStore.head();
  let events = 0;
  let gaps = 0;
  let confirmed = 0;
  await new Promise<void>((resolve, reject) => {
    const subscription = eventStore.subscribe({
      after: null,
      maxBatch: 5000,
      withoutPersonalData: true,
      onBatch: (batch, position) => {
        for (const { stream, revision, event } of batch) {
          if (revision !== (revisions.get(stream) ?? -1n) + 1n) gaps += 1;
          revisions.set(stream, revision);
          const before = running.get(stream) ?? sessionDecider.initial;
          const after = sessionDecider.evolve(before, event as SessionEvent);
          if (after.status === 'COMPLETE') {
            running.delete(stream);
            confirmed += 1;
          } else running.set(stream, after);
        }
        events += batch.length;
        if (head === null || position >= head) resolve(subscription.stop());
        return Promise.resolve();
      },
      onStopped: reject,
    });
  });
  const milliseconds = performance.now() - startedAt;
  return { events, streams: revisions.size, gaps, confirmed, milliseconds };
}
