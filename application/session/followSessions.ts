import type { SessionEvent } from '../../domain/session/events.ts';
import { type Session, sessionDecider } from '../../domain/session/session.ts';
import { identifierOf, streamOf } from '../../domain/shared/streams.ts';
import type { AggregateCache } from '../handleCommand.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { backOff, follow, pause } from '../ports/follow.ts';
import { sessionTopic, type WakeSender } from '../ports/wake.ts';
import type { Sessions } from './sessions.ts';

export interface FollowSessionsDependencies {
  readonly eventStore: EventStore;
  /** What {@link Sessions} remembers. */
  readonly cache: AggregateCache<Session>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly wake: WakeSender;
  /** Following failed and is tried again; called once until it succeeds. */
  readonly onFailure: (cause: unknown) => void;
}

/** Keeps what this process remembers of sessions as the log has it, whoever writes. */
export interface SessionFollower {
  /** Resolves when everything that is appended from now on will be seen. @throws Unavailable(eventStore) */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Whether a session remembered as RUNNING may be waited on: its completion, if it was not seen yet, comes through here
   * and wakes whoever waits.
   */
  isFollowing(): boolean;
}

/**
 * Follows the log from its present end: one read of each batch, instead of two reads of each session that is polled
 * here, and what is remembered wakes the polls that wait for it.
 */
export function createSessionFollower(dependencies: FollowSessionsDependencies): SessionFollower {
  const { eventStore, cache, sessions, wake, onFailure } = dependencies;
  let stopping = new AbortController();
  let running: Promise<void> | undefined;
  let following = false;

  /** @returns false when the events before are not remembered */
  function remember({ stream, event, revision }: RecordedEvent): boolean {
    const known = cache.get(stream);
    if (known !== undefined && (known.revision ?? -1n) >= revision) return true;
    if (revision !== (known?.revision ?? -1n) + 1n) return false;
    const before = known?.state ?? sessionDecider.initial;
    cache.set(stream, { state: sessionDecider.evolve(before, event as SessionEvent), revision });
    return true;
  }

  async function take(events: readonly RecordedEvent[]): Promise<void> {
    const unknown = new Set<string>();
    for (const event of events) {
      if (!remember(event)) unknown.add(identifierOf(event.stream));
    }
    // Read though perhaps nobody asks: what a poll read before this event must not be remembered after it.
    await Promise.all(Array.from(unknown, (id) => sessions.load(id, { trusts: () => false })));
    const ids = new Set(events.map(({ stream }) => identifierOf(stream)));
    const complete = [...ids].filter(
      (id) => cache.get(streamOf('session', id))?.state.status === 'COMPLETE',
    );
    wake.wake(complete.map(sessionTopic));
  }

  async function run(from: bigint | null, signal: AbortSignal): Promise<void> {
    let position = from;
    for (let tries = 0; !signal.aborted;) {
      try {
        const onBatch = async (events: readonly RecordedEvent[], next: bigint) => {
          await take(events);
          position = next;
          tries = 0;
          following = true;
        };
        await follow(eventStore, { after: position, categories: ['session'], onBatch }, signal);
      } catch (error) {
        following = false;
        if (tries === 0) onFailure(error);
        tries += 1;
        await pause(backOff(tries), signal);
      }
    }
    following = false;
  }

  return {
    async start() {
      const head = await eventStore.head();
      stopping = new AbortController();
      following = true;
      running = run(head, stopping.signal);
    },
    async stop() {
      stopping.abort();
      await running;
      running = undefined;
    },
    isFollowing: () => following,
  };
}
