import type { CommandContext } from '../handleCommand.ts';
import type { Checkpoints } from './ports/checkpoints.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { Unavailable } from '../ports/faults.ts';
import { backOff, follow, pause, untilPositionsAreStored } from '../ports/follow.ts';
import type { LeaderLock, LeaderRun } from '../ports/leaderLock.ts';
import { traced } from '../ports/spans.ts';
import type { PlatformEvent, StreamCategory } from '../../domain/events.ts';
import { createFailingEvents, type FailingEvents, type FailureHandling } from './failingEvents.ts';

export interface ReactorDependencies extends FailureHandling {
  readonly eventStore: EventStore;
  readonly checkpoints: Checkpoints;
  readonly leaderLock: LeaderLock;
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
  /** Repeats the reaction to an event, in any process; omitted: the reactor has no reaction to single events. */
  readonly retry?: (event: RecordedEvent) => Promise<void>;
}

/**
 * Context of a command that a reactor issues.
 *
 * @param correlationId the business process it belongs to
 * @param causationId the event that caused it; default: the reactor itself, when time alone caused it
 */
export function asReactor(name: string, correlationId: string, causationId = name): CommandContext {
  const actor = { kind: 'system', id: name } as const;
  return { actor, correlationId, causationId, requestId: null, ip: null };
}

/** Starts and stops work that runs in one process at a time, under the reactor's leader lock. */
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

/** Events that a reactor reacts to; all others pass it by. */
export interface Concern<Type extends PlatformEvent['type'] = PlatformEvent['type']> {
  /** Name of the reactor. */
  readonly name: string;
  /** Several: in the order of the log. */
  readonly category: StreamCategory | readonly StreamCategory[];
  readonly types: readonly Type[];
}

/** A recorded event of one of these types. */
export type RecordedOf<Type extends PlatformEvent['type']> = RecordedEvent & {
  readonly event: Extract<PlatformEvent, { readonly type: Type }>;
};

/** Events in a batch at most. */
const maxBatch = 1000;

/** Events reacted to concurrently: a batch waits for the first try of each event of the previous batch. */
const concurrency = 100;

/** Reaction of one process, from taking the leader lock to losing it. */
interface Reaction {
  /** @param after the checkpoint before these events */
  react(events: readonly RecordedEvent[], after: bigint | null): Promise<void>;
  readonly failing: FailingEvents;
}

interface Followed extends Concern {
  readonly maxBatch: number;
  readonly retry: (event: RecordedEvent) => Promise<unknown>;
}

/**
 * Failing events above which the reactor stops and retries: then the reactor or a dependency is at fault, not the
 * events. Those of a newer release do not count.
 */
const mostFailing = 1000;

/**
 * Follows the log from its own checkpoint, in one process at a time, and passes each batch, without personal data, to
 * `react`. At least once: a batch is repeated when the process ended before its checkpoint was stored. When a batch
 * fails, its events are passed one by one: a failing one is retried with growing pauses and becomes a dead letter,
 * while the others proceed. During an outage all of them wait.
 *
 * @param react may be called again for events, also after it succeeded
 */
export function createBatchReactor<const Type extends PlatformEvent['type']>(
  concern: Concern<Type>,
  react: (events: readonly RecordedOf<Type>[]) => Promise<void>,
  dependencies: ReactorDependencies,
): Reactor {
  const { name } = concern;
  const decoded = decoderOf<Type>();
  const one = (event: RecordedEvent) => react([decoded(event)]);

  function begin(signal: AbortSignal): Reaction {
    const failing = createFailingEvents(name, one, dependencies, signal);

    async function eachAlone(events: readonly RecordedEvent[], after: bigint | null) {
      for (const event of events) {
        try {
          await one(event);
        } catch (error) {
          if (error instanceof Unavailable) throw error;
          failing.add(event, after, error);
        }
      }
    }

    return {
      async react(events, after) {
        assertFew(failing);
        const fresh = events.filter(({ id }) => !failing.retried.has(id));
        try {
          await react(fresh.map(decoded));
        } catch (error) {
          if (error instanceof Unavailable) throw error;
          await eachAlone(fresh, after);
        }
      },
      failing,
    };
  }
  return createFollowing({ ...concern, maxBatch, retry: one }, begin, dependencies);
}

/** Follows the log as {@link createBatchReactor}, one event after the other. */
export function createReactor<const Type extends PlatformEvent['type']>(
  concern: Concern<Type>,
  react: (event: RecordedOf<Type>) => Promise<void>,
  dependencies: ReactorDependencies,
): Reactor {
  async function inOrder(events: readonly RecordedOf<Type>[]): Promise<void> {
    for (const event of events) await react(event);
  }
  return createBatchReactor(concern, inOrder, dependencies);
}

/**
 * Follows the log as {@link createBatchReactor}, event by event: a failed event, also during an outage, is retried while
 * later events proceed. The checkpoint stays before the oldest event that has not succeeded.
 *
 * @param react may be called again for an event, also after it succeeded
 */
export function createRetryingReactor<const Type extends PlatformEvent['type']>(
  concern: Concern<Type>,
  react: (event: RecordedOf<Type>) => Promise<void>,
  dependencies: ReactorDependencies,
): Reactor {
  const { name } = concern;
  const decoded = decoderOf<Type>();
  const one = async (event: RecordedEvent) => react(decoded(event));

  function begin(signal: AbortSignal): Reaction {
    const failing = createFailingEvents(name, one, dependencies, signal);

    async function attempt(event: RecordedEvent, after: bigint | null): Promise<void> {
      if (failing.retried.has(event.id)) return;
      try {
        await one(event);
      } catch (error) {
        failing.add(event, after, error);
      }
    }

    return {
      async react(events, after) {
        assertFew(failing);
        await Promise.all(events.map((event) => attempt(event, after)));
      },
      failing,
    };
  }
  return createFollowing({ ...concern, maxBatch: concurrency, retry: one }, begin, dependencies);
}

/** Only events of these types come to a reaction, {@link concerns} sees to it. */
function decoderOf<Type extends PlatformEvent['type']>() {
  /** @throws Error when the event cannot be decoded */
  return (event: RecordedEvent): RecordedOf<Type> => {
    if (event.undecodable !== undefined) throw event.undecodable;
    return event as RecordedOf<Type>;
  };
}

/** True for what cannot be decoded, too: a newer release may react to it, which the checkpoint must not pass. */
function concerns(types: readonly string[], { event, undecodable }: RecordedEvent): boolean {
  return types.includes(event.type) || undecodable !== undefined;
}

/** True while an event is retried, or waits for a newer release. */
function isHeldUp(failing: FailingEvents | undefined): boolean {
  return failing !== undefined && (failing.waits || failing.retried.size > 0);
}

/** @throws Error */
function assertFew({ retried }: FailingEvents): void {
  if (retried.size >= mostFailing) throw new Error(`More than ${mostFailing} events fail.`);
}

function createFollowing(
  { name, category, types, maxBatch: atMost, retry }: Followed,
  begin: (signal: AbortSignal) => Reaction,
  { eventStore, checkpoints, leaderLock, onFailure, onFailedAgain }: ReactorDependencies,
): Reactor {
  const checkpoint = `reactor:${name}`;
  let state: ReactorStatus['state'] = 'STANDBY';
  let position: bigint | null = null;
  let failing: FailingEvents | undefined;

  async function followLog(reaction: Reaction, signal: AbortSignal, onProgress: () => void) {
    const superseded = new AbortController();
    let saved = await checkpoints.load(checkpoint);
    position = saved;

    async function save() {
      const reached = position === null ? null : reaction.failing.checkpointAt(position);
      if (reached === null || reached <= (saved ?? -1n)) return;
      if (!(await checkpoints.save(checkpoint, saved, reached))) superseded.abort();
      saved = reached;
    }
    /** One at a time: each save names what the one before it saved. */
    let saving = Promise.resolve();
    function saveNext(): Promise<void> {
      const done = saving.then(save);
      saving = done.catch(() => undefined);
      return done;
    }
    let timer: NodeJS.Timeout | undefined;
    // By time: for each event it would be a transaction, and the log may go silent. After a failure the next instant saves.
    function saveByTime() {
      timer = setTimeout(() => {
        void saveNext().catch(() => undefined);
        saveByTime();
      }, untilPositionsAreStored());
    }
    saveByTime();

    try {
      await follow(
        eventStore,
        {
          after: saved,
          categories: [category].flat(),
          withoutPersonalData: true,
          keepUndecodable: true,
          maxBatch: atMost,
          onBatch: async (all, next) => {
            const after = position;
            const events = all.filter((event) => concerns(types, event));
            const react = () => reaction.react(events, after);
            if (events.length > 0) await traced('reaction', `react ${name}`, {}, react);
            onProgress();
            position = next;
          },
        },
        AbortSignal.any([signal, superseded.signal]),
      );
    } finally {
      clearTimeout(timer);
      // Stores the checkpoint once more, so that the process that takes over repeats no event.
      if (!superseded.signal.aborted) await saveNext().catch(() => undefined);
    }
  }

  async function run(signal: AbortSignal) {
    const reaction = begin(signal);
    failing = reaction.failing;
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
        else onFailedAgain?.(name);
        tries += 1;
        state = 'RETRYING';
        await pause(backOff(tries), signal);
      }
    }
    await failing.ended();
    failing = undefined;
    state = 'STANDBY';
    position = null;
  }

  return {
    ...whileHolding(leaderLock, name, run),
    status: () => ({
      name,
      state: state === 'RUNNING' && isHeldUp(failing) ? 'RETRYING' : state,
      position,
    }),
    retry: async (event) => {
      if (concerns(types, event)) await retry(event);
    },
  };
}
