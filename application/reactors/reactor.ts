import type { CommandContext } from '../handleCommand.ts';
import type { Checkpoints } from '../ports/checkpoints.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { backOff, follow, pause } from '../ports/follow.ts';
import type { LeaderLock, LeaderRun } from '../ports/leaderLock.ts';
import type { StreamCategory } from '../../domain/events.ts';

export interface ReactorDependencies {
  readonly eventStore: EventStore;
  readonly checkpoints: Checkpoints;
  readonly leaderLock: LeaderLock;
  /** Reacting failed and will be tried again; called once until it succeeds. */
  readonly onFailure: (name: string, cause: unknown) => void;
}

export interface ReactorStatus {
  readonly name: string;
  /** STANDBY: another process reacts. RETRYING: reacting failed and is tried again. */
  readonly state: 'STANDBY' | 'RUNNING' | 'RETRYING';
  readonly position: bigint | null;
}

/** Turns events, or the passing of time, into effects. */
export interface Reactor {
  start(): void;
  /** Resolves when nothing is being done any more. */
  stop(): Promise<void>;
  status(): ReactorStatus;
}

/**
 * A command a reactor gives of its own accord.
 *
 * @param correlationId the business process it belongs to
 * @param causationId the event that caused it; default: the reactor itself, where the passing of time did
 */
export function asReactor(name: string, correlationId: string, causationId = name): CommandContext {
  const actor = { kind: 'system', id: name } as const;
  return { actor, correlationId, causationId, requestId: null, ip: null };
}

/** Starts and stops what one process at a time does under the reactor's name. */
export function whileHolding(
  leaderLock: LeaderLock,
  name: string,
  run: (signal: AbortSignal) => Promise<void>,
): Pick<Reactor, 'start' | 'stop'> {
  let active: LeaderRun | undefined;
  return {
    start() {
      active ??= leaderLock.runWhileHolding(`tamga-reactor-${name}`, run);
    },
    async stop() {
      const stopping = active;
      active = undefined;
      await stopping?.stop();
    },
  };
}

/** The checkpoint is written at most this often while nothing was done, milliseconds. */
const idleSaveMs = 1000;

/** Events in a batch at most. */
const maxBatch = 1000;

/** Events reacted to concurrently: a batch waits for the first try of each event of the previous batch. */
const concurrency = 100;

/** Reaction of one process, from taking the leader lock to losing it. */
interface Reaction {
  /**
   * @param after the checkpoint before these events
   * @returns true when anything was done: the checkpoint is kept at once
   */
  react(events: readonly RecordedEvent[], after: bigint | null): Promise<boolean>;
  /** Checkpoint once everything up to `position` was handed over; null: before the first event. */
  checkpointAt(position: bigint): bigint | null;
  isRetrying(): boolean;
  /** Resolves when all work has stopped, after the signal aborted. */
  ended(): Promise<unknown>;
}

interface Followed {
  readonly name: string;
  readonly category: StreamCategory;
  readonly maxBatch: number;
}

/**
 * Follows the log from its own checkpoint, in one process at a time, and hands every batch, without personal data, to `react`. At least once: a
 * batch is handed over again when `react` failed or the process ended before its checkpoint was kept.
 *
 * @param react resolves to whether anything was done: then the checkpoint is kept at once
 */
export function createReactor(
  name: string,
  category: StreamCategory,
  react: (events: readonly RecordedEvent[]) => Promise<boolean>,
  dependencies: ReactorDependencies,
): Reactor {
  const begin = () => ({
    react,
    checkpointAt: (position: bigint) => position,
    isRetrying: () => false,
    ended: () => Promise.resolve(),
  });
  return createFollowing({ name, category, maxBatch }, begin, dependencies);
}

/**
 * Follows the log as {@link createReactor}, event by event: a failed event is retried with growing pauses until it
 * succeeds, while later events are handed over. The checkpoint stays before the oldest event that has not succeeded.
 *
 * @param react may be called for the same event again, also after it succeeded
 */
export function createRetryingReactor(
  name: string,
  category: StreamCategory,
  react: (event: RecordedEvent) => Promise<void>,
  dependencies: ReactorDependencies,
): Reactor {
  function begin(signal: AbortSignal): Reaction {
    /** By event id: the checkpoint before the event, and the tries that follow the first. */
    const failing = new Map<string, { readonly after: bigint | null; retries: Promise<void> }>();

    async function retry(event: RecordedEvent): Promise<void> {
      for (let tries = 1; ; tries += 1) {
        await pause(backOff(tries), signal);
        if (signal.aborted) return;
        try {
          await react(event);
          failing.delete(event.id);
          return;
        } catch {
          // Reported when it first failed.
        }
      }
    }

    async function attempt(event: RecordedEvent, after: bigint | null): Promise<void> {
      // The log is read again from the checkpoint when following it was interrupted.
      if (failing.has(event.id)) return;
      try {
        await react(event);
      } catch (error) {
        dependencies.onFailure(name, error);
        failing.set(event.id, { after, retries: retry(event) });
      }
    }

    return {
      async react(events, after) {
        await Promise.all(events.map((event) => attempt(event, after)));
        return true;
      },
      checkpointAt(position) {
        let reached = position;
        for (const { after } of failing.values()) {
          if (after === null) return null;
          if (after < reached) reached = after;
        }
        return reached;
      },
      isRetrying: () => failing.size > 0,
      ended: () => Promise.all(Array.from(failing.values(), ({ retries }) => retries)),
    };
  }
  return createFollowing({ name, category, maxBatch: concurrency }, begin, dependencies);
}

function createFollowing(
  { name, category, maxBatch: atMost }: Followed,
  begin: (signal: AbortSignal) => Reaction,
  { eventStore, checkpoints, leaderLock, onFailure }: ReactorDependencies,
): Reactor {
  const checkpoint = `reactor:${name}`;
  let state: ReactorStatus['state'] = 'STANDBY';
  let position: bigint | null = null;
  let isRetrying = () => false;

  async function followLog(reaction: Reaction, signal: AbortSignal, onProgress: () => void) {
    const superseded = new AbortController();
    let saved = await checkpoints.load(checkpoint);
    let savedAt = Date.now();
    position = saved;
    await follow(
      eventStore,
      {
        after: saved,
        categories: [category],
        withoutPersonalData: true,
        maxBatch: atMost,
        onBatch: async (events, next) => {
          const acted = events.length > 0 && (await reaction.react(events, position));
          onProgress();
          position = next;
          if (!acted && Date.now() - savedAt < idleSaveMs) return;
          const reached = reaction.checkpointAt(next);
          if (reached === null || reached <= (saved ?? -1n)) return;
          if (!(await checkpoints.save(checkpoint, saved, reached))) superseded.abort();
          saved = reached;
          savedAt = Date.now();
        },
      },
      AbortSignal.any([signal, superseded.signal]),
    );
  }

  async function run(signal: AbortSignal) {
    const reaction = begin(signal);
    isRetrying = reaction.isRetrying;
    let tries = 0;
    while (!signal.aborted) {
      try {
        state = tries === 0 ? 'RUNNING' : 'RETRYING';
        await followLog(reaction, signal, () => {
          tries = 0;
          state = 'RUNNING';
        });
      } catch (error) {
        if (tries === 0) onFailure(name, error);
        tries += 1;
        state = 'RETRYING';
        await pause(backOff(tries), signal);
      }
    }
    await reaction.ended();
    state = 'STANDBY';
    position = null;
  }

  return {
    ...whileHolding(leaderLock, name, run),
    status: () => ({
      name,
      state: state === 'RUNNING' && isRetrying() ? 'RETRYING' : state,
      position,
    }),
  };
}
