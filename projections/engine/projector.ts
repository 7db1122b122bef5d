import type { ProjectionProgress } from '../../application/ports/projectionProgress.ts';
import type { LeaderRun, SpreadingLock } from '../../application/ports/leaderLock.ts';
import {
  type CheckpointMoves,
  createCheckpointMoves,
  createProjectionProgress,
  least,
  type Pace,
  paceOf,
  ProjectionState,
  type ProjectionStatus,
  readCheckpoint,
  Superseded,
} from './checkpoints.ts';
import { type AnyReadModel, categoriesOf } from './readModel.ts';
import { readModels as allReadModels } from '../readModels.ts';
import type { Kysely } from 'kysely';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import { LogLostEvents, Unavailable } from '../../application/ports/faults.ts';
import { backOff, follow, pause, untilPositionsAreStored } from '../../application/ports/follow.ts';
import type { NotificationSender } from '../../application/ports/notifications.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { Database } from '../database.ts';
import { type BatchProjection, createBatchProjection } from './batchProjection.ts';
import type { FoldUpkeep } from './foldVersions.ts';

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

interface ProjectionDependencies {
  readonly database: Kysely<Database>;
  readonly eventStore: EventStore;
  readonly vault: PersonalDataVault;
  /** Waiters and caches of this process; other processes get notifications. */
  readonly notifications: NotificationSender;
  readonly clock: Clock;
  /** True for an outage of the database, false for an impossible row. */
  readonly isOutage: (error: unknown) => boolean;
  /** Called when a projection stopped and an operator must act. `eventId` is the event at fault, if any. */
  readonly onFailure: (name: string, cause: unknown, eventId: string | null) => void;
  /** Called when an event was parked: its row waits for an operator, the projection continues. */
  readonly onParked?: (name: string, cause: unknown, eventId: string) => void;
  /** Called once for events of a newer release: what they concern waits for a process of that release. */
  readonly onNewer?: (name: string, cause: unknown) => void;
  /** Makes tables anew that a former fold made; omitted: they stay as they are. */
  readonly foldUpkeep?: FoldUpkeep;
}

interface ProjectionRun {
  status(): ProjectionStatus;
  /** Projects what the log holds without gathering more: somebody waits for it. */
  hurry(): void;
  /** Projects until `signal` aborts, retrying after failures. */
  run(signal: AbortSignal): Promise<void>;
}

/** Interval at which parked rows are looked at for an operator's wish, milliseconds. */
const parkedPollMs = 1000;
/** Interval at which a failed projection checks for a repair by a rebuild, milliseconds. */
const failedPollMs = 1000;

/** Maintains one read model. `moved` is called whenever its position grew. */
function createProjectionRun(
  model: AnyReadModel,
  dependencies: ProjectionDependencies & { readonly checkpoints: CheckpointMoves },
  moved: () => void,
): ProjectionRun {
  const { database, clock, onFailure, onParked, onNewer, foldUpkeep } = dependencies;
  const { name } = model;
  const state = new ProjectionState(name);
  const gathering = createGathering(paceOf(model));
  const isOutage = (error: unknown) =>
    error instanceof Unavailable || error instanceof LogLostEvents || dependencies.isOutage(error);
  const projection = createBatchProjection(model, state, {
    ...dependencies,
    isOutage,
    onParked: (cause, eventId) => onParked?.(name, cause, eventId),
    onNewer: (cause) => onNewer?.(name, cause),
    onAdvanced: (events, position) => {
      state.advanced(position, events.at(-1)?.metadata.time ?? null);
      moved();
    },
  });
  const following = { model, state, projection, gathering, moved, makeAnew, ...dependencies };
  let anew: Promise<void> | undefined;

  /**
   * The swap at its end supersedes the following of the log, whose remembered rows are of the former fold; a late one
   * that of the process which has the read model by then.
   */
  function makeAnew(signal: AbortSignal) {
    anew ??= foldUpkeep?.makeAnew(model, signal).finally(() => (anew = undefined));
  }

  /** Waits until a rebuild has moved the checkpoint. */
  async function untilRepaired(signal: AbortSignal) {
    const failedAt = projection.stored;
    while (!signal.aborted) {
      await pause(failedPollMs, signal);
      const now = await readCheckpoint(database, name).catch(() => failedAt);
      if (now !== failedAt) return;
    }
  }

  async function recover(cause: unknown, signal: AbortSignal) {
    const recovery = state.failed(cause, isOutage(cause));
    if (recovery.kind === 'pause') await pause(backOff(recovery.tries), signal);
    if (recovery.kind !== 'fail') return;
    onFailure(name, recovery.cause, recovery.eventId);
    await untilRepaired(signal);
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        try {
          await followLog(following, signal);
        } catch (error) {
          await recover(error, signal);
        }
      }
      await anew;
      state.stoodBy();
    },
    hurry: gathering.end,
    status: () => state.status(clock.now()),
  };
}

interface Following {
  readonly model: AnyReadModel;
  readonly state: ProjectionState;
  readonly projection: BatchProjection;
  readonly gathering: Gathering;
  readonly eventStore: EventStore;
  readonly moved: () => void;
  /** Begins to make the table anew, unless that is being done. */
  readonly makeAnew: (signal: AbortSignal) => void;
}

/** Projects the log from the checkpoint until `signal` aborts. @throws Superseded, or what ended it */
async function followLog(
  { model, state, projection, gathering, eventStore, moved, makeAnew }: Following,
  signal: AbortSignal,
) {
  state.began(await projection.begin());
  // Before the table is made anew, which refuses the swap when an event was folded again meanwhile.
  await projection.retryParked(state.triesAll);
  if (projection.isOfFormerFold) makeAnew(signal);
  moved();
  const superseded = new AbortController();
  const ending = AbortSignal.any([signal, superseded.signal]);
  const writing = createWriting(projection, () => superseded.abort());
  ending.addEventListener('abort', gathering.end, { once: true });
  try {
    await follow(
      eventStore,
      {
        after: projection.stored,
        categories: categoriesOf(model),
        keepUndecodable: true,
        withoutPersonalData: model.encrypt === undefined,
        maxBatch: gathering.maxBatch,
        onBatch: (events, next) => {
          // Events of other categories only advance the position, a hundred times a second for each read model under
          // load.
          if (events.length === 0) {
            state.advanced(next, null);
            moved();
            writing.storeSoon();
            return Promise.resolve();
          }
          state.fellBehind();
          return writing
            .next(() => projection.project(events, next))
            .then(writing.storeSoon)
            .then(() => (ending.aborted ? undefined : gathering.gather(events)));
        },
        onCaughtUp: () => state.caughtUp(),
      },
      ending,
    );
  } finally {
    await writing.stop();
  }
  await projection.storePosition().catch(() => undefined);
}

/** Writes to a read model, one after another; what nobody waits for is written at intervals. */
function createWriting(projection: BatchProjection, onSuperseded: () => void) {
  let last = Promise.resolve();
  let storing: NodeJS.Timeout | undefined;
  let isOver = false;

  function next(write: () => Promise<void>): Promise<void> {
    const done = last.then(write);
    last = done.catch(() => undefined);
    return done;
  }

  const looking = setInterval(() => {
    if (projection.parkedRows === 0) return;
    next(() => projection.retryParked(false)).catch((error: unknown) => {
      if (error instanceof Superseded) onSuperseded();
    });
  }, parkedPollMs);

  function storeSoon(): void {
    if (isOver) return;
    storing ??= setTimeout(() => {
      storing = undefined;
      next(projection.storePosition).catch((error: unknown) => {
        // During an outage again and again: no later event need come whose batch writes the position.
        if (error instanceof Superseded) onSuperseded();
        else storeSoon();
      });
    }, untilPositionsAreStored());
  }

  return {
    next,
    storeSoon,
    /** Resolves when everything begun is written. */
    async stop(): Promise<void> {
      isOver = true;
      clearTimeout(storing);
      clearInterval(looking);
      await last;
    },
  };
}

interface Gathering {
  readonly maxBatch: number;
  /** Waits for more events after a batch; not at all after a full one. */
  gather(projected: Parameters<Pace['gatherMs']>[0]): Promise<void> | undefined;
  /** Ends the wait. */
  end(): void;
}

function createGathering({ maxBatch, gatherMs }: Pace): Gathering {
  let end: () => void = () => undefined;
  return {
    maxBatch,
    gather(projected) {
      if (projected.length >= maxBatch) return undefined;
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, gatherMs(projected));
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    end: () => end(),
  };
}
