import type { StreamCategory } from '../domain/events.ts';
import type { EventStore, EventSubscriptionOptions, RecordedEvent } from './ports/eventStore.ts';
import { LogLostEvents } from './ports/faults.ts';
import { backOff, follow, pause, unlessAborted } from './ports/follow.ts';

export interface LogFollowerOptions extends Pick<
  EventSubscriptionOptions,
  'wants' | 'withoutPersonalData' | 'keepUndecodable'
> {
  readonly eventStore: EventStore;
  readonly categories: readonly StreamCategory[];
  /** @param next position up to which these events complete the log */
  readonly take: (events: readonly RecordedEvent[], next: bigint) => Promise<void> | void;
  /**
   * Called before a restart at the log's head, after every failure: events may have been missed. Absent: following
   * resumes where it was interrupted, unless the log lost events.
   */
  readonly onBegunAnew?: () => void;
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

/** Interval of reports of a position without events, ms: a report for each skipped commit would cost more. */
const REPORT_EVERY_MS = 100;

/** Follows the log from its head at the start. */
export function createLogFollower({
  eventStore,
  categories,
  wants,
  withoutPersonalData = false,
  keepUndecodable = false,
  take,
  onBegunAnew,
  onFailure,
}: LogFollowerOptions): LogFollower {
  let stopping = new AbortController();
  let running: Promise<void> | undefined;
  let following = false;
  let position: bigint | null = null;

  async function beginAnew(signal: AbortSignal): Promise<void> {
    position = (await unlessAborted(eventStore.head(), signal)) ?? null;
    following = true;
    onBegunAnew?.();
  }

  async function run(signal: AbortSignal): Promise<void> {
    let tries = 0;
    let isAnew = false;
    const onBatch = async (events: readonly RecordedEvent[], next: bigint) => {
      await take(events, next);
      position = next;
      tries = 0;
      following = true;
    };
    const onCaughtUp = () => {
      tries = 0;
      following = true;
    };
    const kept = {
      reportEveryMs: REPORT_EVERY_MS,
      withoutPersonalData,
      keepUndecodable,
      ...(wants && { wants }),
    };
    while (!signal.aborted) {
      try {
        if (isAnew) await beginAnew(signal);
        isAnew = false;
        const options = { after: position, categories, ...kept, onBatch, onCaughtUp };
        await follow(eventStore, options, signal);
      } catch (error) {
        following = false;
        // The position may be ahead of a log that lost its end.
        isAnew ||= onBegunAnew !== undefined || error instanceof LogLostEvents;
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
