import type { ProjectionProgress } from '../../application/ports/projectionProgress.ts';
import type { LeaderRun, SpreadingLock } from '../../application/ports/leaderLock.ts';
import { type CheckpointMoves, createCheckpointMoves } from './checkpoints.ts';
import { createProjectionProgress, least } from './progress.ts';
import {
  createProjectionRun,
  type ProjectionDependencies,
  type ProjectionRun,
} from './projectionRun.ts';
import type { ProjectionStatus } from './projectionState.ts';
import type { AnyReadModel } from './readModel.ts';
import { readModels as allReadModels } from '../readModels.ts';

export interface ProjectorOptions extends ProjectionDependencies {
  readonly leaderLock: SpreadingLock;
  /** Default: all. */
  readonly readModels?: readonly AnyReadModel[];
  /** Default: moves of its own. */
  readonly checkpoints?: CheckpointMoves;
}

/** Maintains the read models, each in one process at a time. Its own `untilProjected` waits for all of them. */
export interface Projector extends ProjectionProgress {
  /** Waits for these read models. */
  progressOf(models: readonly AnyReadModel[]): ProjectionProgress;
  /** @param by a `command` projects only while no process of the service does, and then everything */
  start(by?: 'service' | 'command'): void;
  /** Resolves when writing has ended, that of a table made anew too; other processes project before that. */
  stop(): Promise<void>;
  /** True while this process projects any of them. */
  isActive(): boolean;
  /** State of every projection; STANDBY while another process has it. */
  status(): readonly ProjectionStatus[];
}

/** Lock that all processes share which project. */
export const projectorLock = 'tamga-projector';

/** Name of the lock of one read model's projection. */
export const projectionLock = (readModel: string) => `tamga-projection-${readModel}`;

/** Creates the projector; nothing runs before `start`. */
export function createProjector(options: ProjectorOptions): Projector {
  const { leaderLock, readModels = allReadModels, database } = options;
  const { checkpoints = createCheckpointMoves(database) } = options;
  let active: ReadonlyMap<string, LeaderRun> = new Map();
  let waiting: (() => void)[] = [];
  const runs = readModels.map((model) =>
    createProjectionRun(model, { ...options, checkpoints }, tellMoved),
  );

  function tellMoved() {
    if (waiting.length === 0) return;
    const notified = waiting;
    waiting = [];
    for (const notify of notified) notify();
  }

  function positionOf(names: readonly string[]): bigint | null {
    if (!names.every((name) => active.get(name)?.isActive())) return null;
    const positions = runs
      .map((run) => run.status())
      .filter(({ name }) => names.includes(name))
      .map(({ position }) => position);
    const known = positions.filter((each) => each !== null);
    return known.length < positions.length ? null : least(known);
  }

  function moved(names: readonly string[], milliseconds: number): Promise<void> {
    for (const run of runs) if (names.includes(run.status().name)) run.hurry();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  const progressOf = (names: readonly string[]) =>
    createProjectionProgress({
      database,
      names,
      local: {
        position: () => positionOf(names),
        moved: (milliseconds) => moved(names, milliseconds),
      },
    });

  const named = (runOf: (run: ProjectionRun) => LeaderRun) =>
    new Map(runs.map((run) => [run.status().name, runOf(run)]));

  function startShare() {
    const shares = leaderLock.spread(projectorLock);
    return named(({ status, run }) => shares.runWhileHolding(projectionLock(status().name), run));
  }

  function startAll() {
    const all = leaderLock.runWhileHolding(projectorLock, async (signal) => {
      await Promise.all(runs.map((run) => run.run(signal)));
    });
    return named(() => all);
  }

  return {
    start(by = 'service') {
      if (active.size > 0) return;
      active = by === 'service' ? startShare() : startAll();
    },
    async stop() {
      const stopping = [...active.values()];
      active = new Map();
      await Promise.all(stopping.map((run) => run.stop()));
      await options.foldUpkeep?.ended();
    },
    isActive: () => [...active.values()].some((run) => run.isActive()),
    status: () => runs.map((run) => run.status()),
    progressOf: (models) => progressOf(models.map(({ name }) => name)),
    untilProjected: progressOf(readModels.map(({ name }) => name)).untilProjected,
  };
}
