import type { ProjectionProgress } from '../application/ports/projectionProgress.ts';
import type { SingleActive, SingleActiveRun } from '../application/ports/singleActive.ts';
import { createProjectionProgress, foreground, least } from './progress.ts';
import {
  createProjectionRun,
  type ProjectionDependencies,
  type ProjectionStatus,
} from './projectionRun.ts';
import type { AnyReadModel } from './readModel.ts';
import { readModels as allReadModels } from './readModels.ts';

export interface ProjectorOptions extends ProjectionDependencies {
  readonly singleActive: SingleActive;
  /** Default: all. */
  readonly readModels?: readonly AnyReadModel[];
}

/** Keeps the read models up to date, in one process at a time. Its own `untilProjected` waits for all of them. */
export interface Projector extends ProjectionProgress {
  /** Waits for those that are not kept in the background. */
  readonly progress: ProjectionProgress;
  start(): void;
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>;
  /** Whether this process is the one that projects. */
  isActive(): boolean;
  /** Every projection; STANDBY while another process projects. */
  status(): readonly ProjectionStatus[];
}

/** The lock that says which process projects. */
export const projectorLock = 'tamga-projector';

/** Creates the projector; nothing runs before `start`. */
export function createProjector(options: ProjectorOptions): Projector {
  const { singleActive, readModels = allReadModels, database } = options;
  let active: SingleActiveRun | undefined;
  let waiting: (() => void)[] = [];
  const runs = readModels.map((model) => createProjectionRun(model, options, tellMoved));

  function tellMoved() {
    if (waiting.length === 0) return;
    const told = waiting;
    waiting = [];
    for (const tell of told) tell();
  }

  function positionOf(names: readonly string[]): bigint | null {
    if (active?.isActive() !== true) return null;
    const positions = runs
      .map((run) => run.status())
      .filter(({ name }) => names.includes(name))
      .map(({ position }) => position);
    const known = positions.filter((each) => each !== null);
    return known.length < positions.length ? null : least(known);
  }

  function moved(milliseconds: number): Promise<void> {
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
      ...{ database, names },
      local: { position: () => positionOf(names), moved },
    });

  return {
    start() {
      active ??= singleActive.runWhileHolding(projectorLock, async (signal) => {
        await Promise.all(runs.map((run) => run.run(signal)));
      });
    },
    async stop() {
      const stopping = active;
      active = undefined;
      await stopping?.stop();
    },
    isActive: () => active?.isActive() ?? false,
    status: () => runs.map((run) => run.status()),
    progress: progressOf(foreground(readModels)),
    untilProjected: progressOf(readModels.map(({ name }) => name)).untilProjected,
  };
}
