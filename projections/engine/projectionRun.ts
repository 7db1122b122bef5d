import type { Kysely } from 'kysely';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import { LogLostEvents, Unavailable } from '../../application/ports/faults.ts';
import { backOff, follow, pause, untilPositionsAreStored } from '../../application/ports/follow.ts';
import type { NotificationSender } from '../../application/ports/notifications.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { Database } from '../database.ts';
import { type BatchProjection, createBatchProjection } from './batchProjection.ts';
import { type CheckpointMoves, readCheckpoint } from './checkpoints.ts';
import type { FoldUpkeep } from './foldVersions.ts';
import {
  type Pace,
  paceOf,
  ProjectionState,
  type ProjectionStatus,
  Superseded,
} from './projectionState.ts';
import { type AnyReadModel, categoriesOf } from './readModel.ts';

export interface ProjectionDependencies {
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

export interface ProjectionRun {
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
export function createProjectionRun(
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
        withoutPersonalData: model.seal === undefined,
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
            .then(() => (ending.aborted ? undefined : gathering.gather(events.length)));
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
  gather(projected: number): Promise<void> | undefined;
  /** Ends the wait. */
  end(): void;
}

function createGathering({ maxBatch, gatherMs }: Pace): Gathering {
  let end: () => void = () => undefined;
  return {
    maxBatch,
    gather(projected) {
      if (projected >= maxBatch) return undefined;
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
