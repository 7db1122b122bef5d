/** Query on the connection that holds the locks of a process. */
interface LockQueries {
  query(
    text: string,
    values: readonly unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** Shared lock of each process that takes part; what holds it exclusively keeps all of them out. */
const JOIN = 'select pg_try_advisory_lock_shared(hashtextextended($1, 0)) as joined';
const LEAVE = 'select pg_advisory_unlock_shared(hashtextextended($1, 0))';

const LOOK = `
  with held as (
    select (classid::int8 << 32) | objid::int8 as key, mode from pg_locks
    where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
  )
  select (select count(*)::int from held where mode = 'ShareLock' and key = hashtextextended($1, 0)) as members,
    array(select name from unnest($2::text[]) as name where not exists (
      select from held where mode = 'ExclusiveLock' and key = hashtextextended(name, 0))) as free`;

/** Time a lock is unheld before a process claims it beyond its share, ms. */
const NEGLECTED_MS = 5000;

/**
 * Divides named locks evenly among processes; unheld locks are claimed after 5 s. A process above its share, because
 * another one joined, releases the surplus. A lock stays unheld when a process fails or has a release without it.
 */
export interface LockShares {
  add(name: string): void;
  /** @param connection of the process; null: it is lost, and the shared lock with it */
  remove(name: string, connection: LockQueries | null): Promise<void>;
  /**
   * Asks whether this process may try the lock; `release` follows when it did not get it, or no longer has it.
   *
   * @returns aborted when the lock is to be given to another process; null: it may not
   */
  reserve(name: string, connection: LockQueries): Promise<AbortSignal | null>;
  release(name: string): void;
  /** Gives away what is beyond the share since another process joined. */
  look(connection: LockQueries): Promise<void>;
}

/**
 * @param group the name of the lock that its processes share
 * @param everyMs age of a look that is used again, ms
 */
export function createLockShares(group: string, everyMs: number): LockShares {
  const names = new Set<string>();
  const held = new Map<string, AbortController>();
  let joinedOn: LockQueries | null = null;
  let members = 1;
  let isRebalancing = false;
  let freeSince = new Map<string, number>();
  let lookedOn: LockQueries | null = null;
  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;

  const share = () => Math.ceil(names.size / members);

  async function lookNow(connection: LockQueries): Promise<void> {
    if (joinedOn !== connection) {
      const { rows } = await connection.query(JOIN, [group]);
      joinedOn = rows[0]?.['joined'] === true ? connection : null;
      if (joinedOn === null) return;
    }
    const { rows } = await connection.query(LOOK, [group, [...names]]);
    const [found] = rows as readonly { members: number; free: readonly string[] }[];
    const now = performance.now();
    freeSince = new Map(found?.free.map((name) => [name, freeSince.get(name) ?? now]));
    const seen = Math.max(1, found?.members ?? 1);
    if (seen > members) isRebalancing = true;
    members = seen;
    giveAway();
  }

  /** Every second one first: what is costly together is apart afterwards. */
  function giveAway(): void {
    if (!isRebalancing) return;
    const kept = [...held.values()].filter(({ signal }) => !signal.aborted);
    const excess = kept.length - share();
    isRebalancing = excess > 0;
    if (!isRebalancing) return;
    const [odd, even] = [1, 0].map((part) => kept.filter((_, index) => index % 2 === part));
    for (const given of [...(odd ?? []), ...(even ?? [])].slice(0, excess)) given.abort();
  }

  async function look(connection: LockQueries): Promise<void> {
    if (names.size === 0) return;
    if (lookedOn === connection && performance.now() - lookedAt < everyMs) return;
    looking ??= lookNow(connection).finally(() => {
      [lookedOn, lookedAt] = [connection, performance.now()];
      looking = undefined;
    });
    await looking;
  }

  return {
    add: (name) => void names.add(name),
    async remove(name, connection) {
      names.delete(name);
      // A look that joins is not yet known to have joined.
      await looking?.catch(() => undefined);
      if (names.size > 0 || joinedOn === null) return;
      const joined = joinedOn;
      joinedOn = null;
      members = 1;
      if (joined === connection) await joined.query(LEAVE, [group]);
    },
    async reserve(name, connection) {
      await look(connection);
      if (joinedOn !== connection || held.has(name)) return null;
      const since = freeSince.get(name) ?? Infinity;
      if (held.size >= share() && performance.now() - since < NEGLECTED_MS) return null;
      const given = new AbortController();
      held.set(name, given);
      return given.signal;
    },
    release: (name) => void held.delete(name),
    look,
  };
}
