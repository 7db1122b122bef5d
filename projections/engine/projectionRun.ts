import type { Kysely } from 'kysely';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventStore, RecordedEvent } from '../../application/ports/eventStore.ts';
import { errorClass, LogLostEvents, Unavailable } from '../../application/ports/faults.ts';
import { backOff, follow, pause, untilPositionsAreStored } from '../../application/ports/follow.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { NotificationSender } from '../../application/ports/notifications.ts';
import { type CheckpointMoves, readCheckpoint } from './checkpoints.ts';
import { type BatchCommit, createCommitBatch } from './commitBatch.ts';
import type { Database } from '../database.ts';
import {
  type AnyReadModel,
  type AnyRow,
  categoriesOf,
  foldBatch,
  type RowChange,
  topicsOf,
} from './readModel.ts';
import { createParking, type ParkedEvent, type ParkedRow } from './parking.ts';
import { loadRows } from './rows.ts';
import { createTallySums, replaceTallies } from './tallies.ts';

/** State of one projection. RETRYING: outage of a dependency; it continues by itself. */
export type ProjectionState = 'STANDBY' | 'RUNNING' | 'RETRYING' | 'FAILED';

export interface ProjectionStatus {
  readonly name: string;
  readonly state: ProjectionState;
  /** Log position the read model has reached; null: none yet, or standing by. */
  readonly position: bigint | null;
  /** Age of the last projected event, while more are pending, milliseconds; 0 when caught up. */
  readonly lagMs: number;
}

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
}

export interface ProjectionRun {
  status(): ProjectionStatus;
  /** Projects what the log holds without gathering more: somebody waits for it. */
  hurry(): void;
  /** Projects until `signal` aborts, retrying after failures. */
  run(signal: AbortSignal): Promise<void>;
}

/** The checkpoint was moved by another process or a rebuild. */
class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** An event that cannot be projected. */
class PoisonEvent extends Error {
  override readonly name = 'PoisonEvent';
  readonly eventId: string;

  constructor(eventId: string, cause: unknown) {
    super('An event cannot be projected.', { cause });
    this.eventId = eventId;
  }
}

/** Rows cached between batches, so that most events need no read. */
const rememberedRows = 20_000;

interface Pace {
  readonly maxBatch: number;
  readonly gatherMs: (projected: number) => number;
}

/**
 * Events of a batch at most, and milliseconds after it in which more gather, unless somebody waits for them: under load
 * many appends share one transaction, while an event after a quiet moment is projected at once.
 */
const pace = {
  ordinary: { maxBatch: 2000, gatherMs: (projected: number) => Math.min(25, 5 + projected / 4) },
  /** By night, too, a batch costs as much for one event as for many. */
  busy: { maxBatch: 2000, gatherMs: () => 50 },
  inBackground: {
    maxBatch: 5000,
    gatherMs: (projected: number) => Math.min(250, 5 + projected * 2),
  },
} satisfies Record<string, Pace>;

/** Interval at which parked rows are looked at for an operator's wish, milliseconds. */
const parkedPollMs = 1000;
/** Parked rows beyond which the projection stops: then it is at fault rather than its events. */
const mostParkedRows = 100;
/** Interval at which a failed projection checks for a repair by a rebuild, milliseconds. */
const failedPollMs = 1000;

function paceOf({ inBackground, isBusy }: AnyReadModel): Pace {
  if (inBackground === true) return pace.inBackground;
  return isBusy === true ? pace.busy : pace.ordinary;
}

/** Maintains one read model. `moved` is called whenever its position grew. */
export function createProjectionRun(
  model: AnyReadModel,
  dependencies: ProjectionDependencies & { readonly checkpoints: CheckpointMoves },
  moved: () => void,
): ProjectionRun {
  const { database, eventStore, vault, notifications, checkpoints, clock, isOutage } = dependencies;
  const { name, table } = model;
  const rows = new Map<string, AnyRow>();
  const commitBatch = createCommitBatch(model);
  const parking = createParking(database, model);
  const { maxBatch, gatherMs } = paceOf(model);
  let state: ProjectionState = 'STANDBY';
  let position: bigint | null = null;
  let stored: bigint | null = null;
  let newestTime: string | null = null;
  let caughtUp = false;
  let batches = 0;
  let toldNewer = false;
  let endGathering = () => {};

  async function load(keys: readonly string[]): Promise<ReadonlyMap<string, AnyRow>> {
    const found = new Map<string, AnyRow>();
    const missing: string[] = [];
    for (const key of keys) {
      const row = rows.get(key);
      if (row === undefined) missing.push(key);
      else found.set(key, row);
    }
    for (const [key, row] of await loadRows(database, model, table, missing)) found.set(key, row);
    return found;
  }

  function remember(changes: ReadonlyMap<string, RowChange>) {
    for (const [key, { after }] of changes) {
      rows.delete(key);
      if (model.isFinal?.(after) !== true) rows.set(key, after);
    }
    for (const key of rows.keys()) {
      if (rows.size <= rememberedRows) break;
      rows.delete(key);
    }
  }

  async function commit(
    changes: ReadonlyMap<string, RowChange>,
    next: bigint,
    parked: Pick<BatchCommit, 'parked' | 'unparked'> = {},
  ) {
    const topics = topicsOf(model, changes, clock.now().toISOString());
    // A row of several events is stored until a rebuild, for the next event may come in another batch.
    const stays = ({ isArchived }: RowChange) => !isArchived || model.appendOnly !== true;
    const changed = [...changes.values()].filter(stays).map(({ after }) => after);
    const tallies = createTallySums(model);
    tallies.add(changes);
    const batch = { expected: stored, next, rows: changed, tallies: tallies.growth, topics };
    if (!(await commitBatch(database, { ...batch, ...parked }))) throw new Superseded();
    stored = next;
    remember(changes);
    notifications.notify(topics);
  }

  async function project(events: readonly RecordedEvent[], next: bigint): Promise<void> {
    const { open, behind } = parking.part(events);
    try {
      const changes = await foldBatch(model, open, load, vault);
      if (changes.size + behind.length > 0) await commit(changes, next, { parked: behind });
      advance(events, next);
    } catch (error) {
      if (isPassing(error)) throw error;
      const [first] = events;
      if (first === undefined) throw error;
      if (events.length > 1) return projectHalves(events, next);
      await park(first, error, next);
    }
  }

  /** Parks an event: its row waits, the others continue. */
  async function park(event: RecordedEvent, cause: unknown, next: bigint): Promise<void> {
    const isNewer = event.undecodable?.isOfNewerRelease === true;
    if (!isNewer && parking.size >= mostParkedRows) throw new PoisonEvent(event.id, cause);
    const parked = parking.parked(event, cause);
    await commit(new Map(), next, { parked: [parked] });
    parking.hold(parked.key);
    if (!isNewer) dependencies.onParked?.(name, cause, event.id);
    else if (!toldNewer) dependencies.onNewer?.(name, cause);
    toldNewer ||= isNewer;
    advance([event], next);
  }

  /** Folds a row's parked events in order, as far as possible. */
  async function refold({ events }: ParkedRow): Promise<void> {
    for (const parked of events) {
      if (position === null) return;
      try {
        const changes = await foldBatch(model, [await readAgain(parked)], load, vault);
        await commit(changes, position, { unparked: [parked.position] });
      } catch (error) {
        if (isPassing(error)) throw error;
        const again = { ...parked, error: errorClass(error) };
        await commit(new Map(), position, { parked: [again] });
        return;
      }
    }
  }

  async function readAgain({ stream, revision }: ParkedEvent): Promise<RecordedEvent> {
    for await (const recorded of eventStore.read(stream, revision)) return recorded;
    throw new Error('The log does not hold the parked event.');
  }

  /** @param isDue rows tried again; default: those an operator wants to be */
  async function retryParked(isDue = ({ isDue }: ParkedRow) => isDue): Promise<void> {
    const due = (await parking.load()).filter(isDue);
    for (const row of due) await refold(row);
    if (due.length > 0) await parking.load();
  }

  /** Projects the events before the failing one, which is found by bisection. */
  async function projectHalves(events: readonly RecordedEvent[], next: bigint) {
    const middle = Math.ceil(events.length / 2);
    const left = events.slice(0, middle);
    await project(left, left.at(-1)?.position ?? next);
    await project(events.slice(middle), next);
  }

  function advance(events: readonly RecordedEvent[], next: bigint) {
    position = next;
    batches += 1;
    newestTime = events.at(-1)?.metadata.time ?? newestTime;
    moved();
  }

  function isRetryable(error: unknown): boolean {
    return error instanceof Unavailable || error instanceof LogLostEvents || isOutage(error);
  }

  /** True for what says nothing about the events. */
  function isPassing(error: unknown): boolean {
    return error instanceof Superseded || error instanceof PoisonEvent || isRetryable(error);
  }

  /** @param tryAll whether every parked row is tried again, not only those that an operator wants to be */
  async function followLog(signal: AbortSignal, tryAll: boolean) {
    rows.clear();
    stored = await readCheckpoint(database, name);
    if (stored === null) await parking.clear();
    // A projection from the beginning recounts everything.
    if (stored === null && model.tally !== undefined) {
      await replaceTallies(database, name, new Map());
    }
    position = stored;
    state = 'RUNNING';
    await retryParked(tryAll ? () => true : undefined);
    moved();
    const superseded = new AbortController();
    const ending = AbortSignal.any([signal, superseded.signal]);
    let busy = Promise.resolve();
    let lastTimer: NodeJS.Timeout | undefined;
    let isOver = false;

    async function flush() {
      if (position === null || position === stored) return;
      const target = position;
      if (await checkpoints.move(name, stored, target)) stored = target;
      else superseded.abort();
    }
    function gather(projected: number): Promise<void> | undefined {
      if (projected >= maxBatch || ending.aborted) return undefined;
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, gatherMs(projected));
        endGathering = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    function flushSoon() {
      if (isOver) return;
      lastTimer ??= setTimeout(() => {
        lastTimer = undefined;
        // During an outage again and again: no later event need come whose batch writes the position.
        busy = busy.then(flush).catch(flushSoon);
      }, untilPositionsAreStored());
    }

    const looking = setInterval(() => {
      if (parking.size === 0) return;
      busy = busy
        .then(() => retryParked())
        .catch((error: unknown) => {
          if (error instanceof Superseded) superseded.abort();
        });
    }, parkedPollMs);

    ending.addEventListener('abort', () => endGathering(), { once: true });
    try {
      await follow(
        eventStore,
        {
          after: stored,
          categories: categoriesOf(model),
          keepUndecodable: true,
          withoutPersonalData: model.seal === undefined,
          maxBatch,
          onBatch: (events, next) => {
            // Events of other categories only advance the position, a hundred times a second for each read model under
            // load.
            if (events.length === 0) {
              advance(events, next);
              flushSoon();
              return Promise.resolve();
            }
            caughtUp = false;
            const done = busy.then(() => project(events, next));
            busy = done.catch(() => undefined);
            return done.then(flushSoon).then(() => gather(events.length));
          },
          onCaughtUp: () => {
            caughtUp = true;
          },
        },
        ending,
      );
    } finally {
      isOver = true;
      clearTimeout(lastTimer);
      clearInterval(looking);
      await busy;
    }
    await flush().catch(() => undefined);
  }

  async function fail(cause: unknown, signal: AbortSignal) {
    state = 'FAILED';
    const poison = cause instanceof PoisonEvent;
    dependencies.onFailure(name, poison ? cause.cause : cause, poison ? cause.eventId : null);
    const failedAt = stored;
    while (!signal.aborted) {
      await pause(failedPollMs, signal);
      const now = await readCheckpoint(database, name).catch(() => failedAt);
      if (now !== failedAt) return;
    }
  }

  async function run(signal: AbortSignal) {
    let tries = 0;
    // A new release or a rebuild may be able to project parked events.
    let tryAll = true;
    while (!signal.aborted) {
      const batchesBefore = batches;
      try {
        await followLog(signal, tryAll);
      } catch (error) {
        tries = batches > batchesBefore ? 1 : tries + 1;
        tryAll = false;
        if (error instanceof Superseded) continue;
        if (isRetryable(error)) {
          state = 'RETRYING';
          await pause(backOff(tries), signal);
        } else {
          await fail(error, signal);
          tryAll = true;
        }
      }
    }
    state = 'STANDBY';
    position = null;
    newestTime = null;
    caughtUp = false;
  }

  return {
    run,
    hurry: () => endGathering(),
    status: () => ({
      name,
      state,
      position,
      lagMs:
        caughtUp || newestTime === null
          ? 0
          : Math.max(0, clock.now().getTime() - Date.parse(newestTime)),
    }),
  };
}
