import type { CommandContext } from '../handleCommand.ts';
import type { Checkpoints } from '../ports/checkpoints.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { backOff, follow, pause } from '../ports/follow.ts';
import type { SingleActive, SingleActiveRun } from '../ports/singleActive.ts';
import type { StreamCategory } from '../../domain/shared/streams.ts';

export interface ReactorDependencies {
  readonly eventStore: EventStore;
  readonly checkpoints: Checkpoints;
  readonly singleActive: SingleActive;
  /** Reacting failed and will be tried again; called once until it succeeds. */
  readonly onFailure: (name: string, cause: unknown) => void;
}

export interface ReactorStatus {
  readonly name: string;
  /** STANDBY: another process reacts. RETRYING: reacting failed and is tried again. */
  readonly state: 'STANDBY' | 'RUNNING' | 'RETRYING';
  readonly position: bigint | null;
}

/** What turns events, or the passing of time, into effects. */
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
  singleActive: SingleActive,
  name: string,
  run: (signal: AbortSignal) => Promise<void>,
): Pick<Reactor, 'start' | 'stop'> {
  let active: SingleActiveRun | undefined;
  return {
    start() {
      active ??= singleActive.runWhileHolding(`tamga-reactor-${name}`, run);
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
  { eventStore, checkpoints, singleActive, onFailure }: ReactorDependencies,
): Reactor {
  const checkpoint = `reactor:${name}`;
  let state: ReactorStatus['state'] = 'STANDBY';
  let position: bigint | null = null;

  async function followLog(signal: AbortSignal, onProgress: () => void) {
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
        onBatch: async (events, next) => {
          const acted = events.length > 0 && (await react(events));
          onProgress();
          position = next;
          if (!acted && Date.now() - savedAt < idleSaveMs) return;
          if (!(await checkpoints.save(checkpoint, saved, next))) superseded.abort();
          saved = next;
          savedAt = Date.now();
        },
      },
      AbortSignal.any([signal, superseded.signal]),
    );
  }

  async function run(signal: AbortSignal) {
    let tries = 0;
    while (!signal.aborted) {
      try {
        state = tries === 0 ? 'RUNNING' : 'RETRYING';
        await followLog(signal, () => {
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
    state = 'STANDBY';
    position = null;
  }

  return {
    ...whileHolding(singleActive, name, run),
    status: () => ({ name, state, position }),
  };
}
