import type { StreamCategory } from '../domain/events.ts';
import type { EventStore, EventSubscriptionOptions, RecordedEvent } from './ports/eventStore.ts';
import { backOff, follow, pause } from './ports/follow.ts';

export interface LogFollowerOptions extends Pick<
  EventSubscriptionOptions,
  'withoutPersonalData' | 'keepUndecodable'
> {
  readonly eventStore: EventStore;
  readonly categories: readonly StreamCategory[];
  readonly take: (events: readonly RecordedEvent[]) => Promise<void> | void;
  /** Called once when following failed; it is retried. */
  readonly onFailure: (cause: unknown) => void;
}

/** Follows the log in this process, over all writers. */
export interface LogFollower {
  /** Resolves when every later append will be seen. @throws Unavailable(eventStore) */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** True while it follows the log closely. */
  isFollowing(): boolean;
  /** Position up to which it has followed; null: none. */
  position(): bigint | null;
}

/** Follows the log from its head at the start, and goes on where it was interrupted. */
export function createLogFollower({
  eventStore,
  categories,
  withoutPersonalData = false,
  keepUndecodable = false,
  take,
  onFailure,
}: LogFollowerOptions): LogFollower {
  let stopping = new AbortController();
  let running: Promise<void> | undefined;
  let following = false;
  let position: bigint | null = null;

  async function run(signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted;) {
      try {
        const onBatch = async (events: readonly RecordedEvent[], next: bigint) => {
          await take(events);
          position = next;
          tries = 0;
          following = true;
        };
        const kept = { withoutPersonalData, keepUndecodable };
        await follow(eventStore, { after: position, categories, ...kept, onBatch }, signal);
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
      position = await eventStore.head();
      stopping = new AbortController();
      following = true;
      running = run(stopping.signal);
    },
    async stop() {
      stopping.abort();
      await running;
      running = undefined;
    },
    isFollowing: () => following,
    position: () => position,
  };
}
