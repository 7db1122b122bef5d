import type { Kysely } from 'kysely';
import { pause, unlessAborted } from '../../application/ports/follow.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import type { Staleness } from '../../application/ports/staleness.ts';
import type { Database } from '../database.ts';

export interface StalenessWatchOptions {
  readonly database: Kysely<Database>;
  readonly eventStore: Pick<EventStore, 'head'>;
  /** Names of the watched read models. */
  readonly names: readonly string[];
  /** Finds the processes that project. */
  readonly findProjectors: () => Promise<readonly string[]>;
  /** Age beyond which what a read model shows is stale, ms. */
  readonly maxMs: number;
  /** Interval of looks, ms; default 1000. */
  readonly everyMs?: number;
  /** Monotonic time, ms. */
  readonly now?: () => number;
}

/** {@link Staleness} measured by this process; also for health and metrics. */
export interface StalenessWatch extends Staleness {
  /** Looks once, then at intervals. */
  start(): Promise<void>;
  /**
   * Waits until it is known how far the read models are, since rights are refused before.
   *
   * @param isProjecting whether this process projects; if no other does either, nothing is waited for
   * @param timeoutMs default 2000
   */
  untilKnown(isProjecting: boolean, timeoutMs?: number): Promise<void>;
  stop(): Promise<void>;
  /** Milliseconds since the log was first seen beyond the read model; 0 when it had caught up at the last look. */
  lagMs(readModel: string): number;
  /** The processes that projected at the last look; none when that is unknown. */
  projectors(): readonly string[];
  /** @throws Error when no process projects, or a read model is stale */
  check(): Promise<void>;
}

/** Everything appended before `at` is at or before `head`; null: nothing was. */
interface Look {
  /** Time this head was first seen. */
  readonly since: number;
  readonly at: number;
  readonly head: bigint | null;
}

const none: ReadonlySet<string> = new Set();

/** Pause before the second look while the age of a read model is unknown, ms; it doubles. */
const FIRST_PAUSE_MS = 20;

/** Looks kept while a read model does not move; beyond it every other one is dropped, which makes it seem older. */
const mostLooks = 1000;

/** Keys of parked rows by read model. */
async function readParked(database: Kysely<Database>) {
  const rows = await database
    .selectFrom('parked_event')
    .select(['read_model', 'row_key'])
    .distinct()
    .where('skipped_at', 'is', null)
    .execute();
  const parked = new Map<string, Set<string>>();
  for (const { read_model: name, row_key: key } of rows) {
    parked.set(name, (parked.get(name) ?? new Set()).add(key));
  }
  return parked;
}

/**
 * Compares the checkpoints with the head of the log: a read model is as old as the last look whose head it has reached.
 * A look that fails proves nothing, so that what cannot be known counts as stale after the bound.
 */
export function createStalenessWatch(options: StalenessWatchOptions): StalenessWatch {
  const { database, eventStore, names, findProjectors, maxMs, everyMs = 1000 } = options;
  const { now = () => performance.now() } = options;
  let looks: Look[] = [];
  let positions: ReadonlyMap<string, bigint | null> = new Map();
  /** By read model: the time up to which it shows everything. */
  const shownUntil = new Map<string, number>();
  let parked: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  let active: readonly string[] = [];
  let startedAt = now();
  const listeners = new Set<() => void>();
  let stopping = new AbortController();
  let running: Promise<void> | undefined;

  const isReached = (head: bigint | null, position: bigint | null) =>
    head === null || (position !== null && position >= head);

  /** Time up to which a subscriber at this position has seen everything. */
  const seenUntil = (position: bigint | null) =>
    looks.findLast(({ head }) => isReached(head, position))?.at ?? -Infinity;

  const ageOf = (readModel: string) => now() - (shownUntil.get(readModel) ?? -Infinity);

  function keep(at: number, head: bigint | null): void {
    const last = looks.at(-1);
    const same = last !== undefined && last.head === head ? looks.pop() : undefined;
    looks.push({ since: same?.since ?? at, at, head });
    if (looks.length > mostLooks)
      looks = looks.filter((_, index) => (looks.length - index) % 2 === 1);
  }

  async function look(): Promise<void> {
    const at = now();
    // A log that is unavailable answers late, and a stop must not wait for it.
    const head = await unlessAborted(eventStore.head(), stopping.signal);
    if (head === undefined) return;
    const rows = await database
      .selectFrom('checkpoint')
      .select(['name', 'position'])
      .where('name', 'in', names)
      .execute();
    // Parked with the commit that moves the checkpoint, so never missed by a later query.
    parked = await readParked(database);
    active = await findProjectors();
    keep(at, head);
    positions = new Map(rows.map(({ name, position }) => [name, position]));
    for (const name of names) {
      const until = seenUntil(positions.get(name) ?? null);
      if (until > (shownUntil.get(name) ?? -Infinity)) shownUntil.set(name, until);
    }
    for (const listener of listeners) listener();
  }

  async function tryLook(): Promise<void> {
    try {
      await look();
    } catch {
      // The checks of the log and the database report their outage.
      active = [];
    }
  }

  /** True until every read model was seen up to date: one that was behind at the first look may be of any age. */
  const isUnknown = () => names.some((name) => !shownUntil.has(name));

  async function run(signal: AbortSignal): Promise<void> {
    const longest = everyMs / 5;
    for (let soon = Math.min(FIRST_PAUSE_MS, longest); ; soon = Math.min(2 * soon, longest)) {
      await pause(isUnknown() ? soon : everyMs, signal);
      if (signal.aborted) return;
      await tryLook();
    }
  }

  return {
    isStale: (readModel) => ageOf(readModel) > maxMs,
    parked: (readModel) => parked.get(readModel) ?? none,
    covers: (position) => now() - seenUntil(position) <= maxMs,
    reached: (readModel) => positions.get(readModel) ?? null,
    onLook(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lagMs(readModel) {
      const position = positions.get(readModel) ?? null;
      const beyond = looks.find(({ head }) => !isReached(head, position));
      if (beyond !== undefined) return now() - beyond.since;
      const silentMs = now() - (looks.at(-1)?.at ?? startedAt);
      return silentMs > 2 * everyMs ? silentMs : 0;
    },
    projectors: () => active,
    async check() {
      await Promise.resolve();
      if (active.length === 0) throw new Error('No process projects.');
      const stale = names.filter((name) => ageOf(name) > maxMs);
      if (stale.length > 0) throw new Error(`Behind the log: ${stale.join(', ')}.`);
    },
    async start() {
      stopping = new AbortController();
      startedAt = now();
      await tryLook();
      running ??= run(stopping.signal);
    },
    async untilKnown(isProjecting, timeoutMs = 2000) {
      const until = now() + timeoutMs;
      while (isUnknown() && (isProjecting || active.length > 0) && now() < until) {
        if (stopping.signal.aborted) return;
        await pause(FIRST_PAUSE_MS / 2, stopping.signal);
      }
    },
    async stop() {
      stopping.abort();
      await running;
      running = undefined;
    },
  };
}
