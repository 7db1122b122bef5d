import type pg from 'pg';
import type {
  AuditTreeState,
  AuditTreeStore,
  EventPlace,
  NumberedTreeHead,
} from '../../application/audit/ports/auditTree.ts';
import { eventLeafHash, type StoredEvent } from '../../domain/merkle/hashTree.ts';
import { failingFast } from './pool.ts';

interface HeadRow {
  readonly number: bigint;
  readonly size: bigint;
  readonly root: Buffer;
  readonly signed_at: Date;
  readonly signature: Buffer;
  readonly key_id: string;
}

const HEAD = 'number, size, root, signed_at, signature, key_id';

/**
 * Writes state and tiles in one statement, one round trip, since the tree grows several times a second. The commit is
 * asynchronous: rows lost in a crash of the database are hashed again from the log. A tree head is committed
 * synchronously, and so never without the tiles under it.
 */
function growSql(logIsHere: boolean): string {
  const named = `, named as (
    insert into audit_tree_event (event_id, index)
    select id, $3::bigint + place - 1 from unnest($8::uuid[]) with ordinality as e(id, place)
    where exists (select from moved)
  )`;
  return `
    with moved as (
      update audit_tree set size = $1, last_position = $2
      where size = $3 and last_position is not distinct from $4::bigint
      returning 1
    ), kept as (
      insert into audit_tree_tile (level, number, hashes)
      select * from unnest($5::smallint[], $6::bigint[], $7::bytea[])
      where exists (select from moved)
      on conflict (level, number) do update set hashes = excluded.hashes
    )${logIsHere ? '' : named}
    select exists (select from moved) as moved, set_config('synchronous_commit', 'off', true)`;
}

/**
 * {@link AuditTreeStore} in the tables `audit_tree…`.
 *
 * @param logIsHere the event log is in the same database and finds events by their ids; otherwise the ids are kept with
 *   the tree
 * @param archived looks an event up in the archive of a log in the same database
 */
export function createPostgresAuditTree(
  pool: pg.Pool,
  logIsHere: boolean,
  archived: (eventId: string) => Promise<StoredEvent | null> = () => Promise.resolve(null),
): AuditTreeStore {
  return failingFast<AuditTreeStore>({
    async state(): Promise<AuditTreeState> {
      const { rows } = await pool.query<{
        readonly size: bigint;
        readonly last_position: bigint | null;
      }>('select size, last_position from audit_tree');
      const [row] = rows;
      if (row === undefined) throw new Error('The state of the audit tree is missing.');
      return { size: Number(row.size), position: row.last_position };
    },
    async grow({ from, to, tiles, eventIds }) {
      const { rows } = await pool.query<{ moved: boolean }>({
        name: logIsHere ? 'grow_audit_tree' : 'grow_audit_tree_and_ids',
        text: growSql(logIsHere),
        values: [
          ...[to.size, to.position, from.size, from.position],
          tiles.map(({ level }) => level),
          tiles.map(({ number }) => number),
          tiles.map(({ hashes }) => hashes),
          ...(logIsHere ? [] : [eventIds]),
        ],
      });
      return rows[0]?.moved === true;
    },
    async tiles(names) {
      const { rows } = await pool.query<{ hashes: Buffer | null }>(
        `select t.hashes from unnest($1::smallint[], $2::bigint[]) with ordinality as n(level, number, place)
         left join audit_tree_tile t using (level, number) order by n.place`,
        [names.map(({ level }) => level), names.map(({ number }) => number)],
      );
      return rows.map(({ hashes }, index) => {
        if (hashes !== null) return hashes;
        const { level, number } = names[index] ?? { level: '?', number: '?' };
        throw new Error(`The tile ${number} of level ${level} of the audit tree is missing.`);
      });
    },
    placeOf: (eventId) =>
      logIsHere ? placeInLog(pool, eventId, archived) : placeKept(pool, eventId),
    async newestHead() {
      const { rows } = await pool.query<HeadRow>(
        `select ${HEAD} from audit_tree_head order by number desc limit 1`,
      );
      return rows[0] === undefined ? null : toHead(rows[0]);
    },
    async heads() {
      const { rows } = await pool.query<HeadRow>(
        `select distinct on (size) ${HEAD} from audit_tree_head order by size, number desc`,
      );
      return rows.map(toHead);
    },
    async keepHead({ number, size, root, timestamp, signature, keyId }, publicKey) {
      const { rowCount } = await pool.query(
        `insert into audit_tree_head (${HEAD}, public_key) values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (number) do nothing`,
        [number, size, root, timestamp, signature, keyId, publicKey],
      );
      return rowCount === 1;
    },
    async publicKeys() {
      const { rows } = await pool.query<{ public_key: Buffer }>(
        'select distinct public_key from audit_tree_head',
      );
      return rows.map(({ public_key: key }) => key);
    },
    async keyCertificates() {
      const { rows } = await pool.query<{ certificate: Buffer }>(
        'select certificate from audit_tree_key',
      );
      return rows.map(({ certificate }) => certificate);
    },
    keepKeyCertificate: (keyId, certificate) => keepTreeKeyCertificate(pool, keyId, certificate),
  });
}

/** Keeps the certificate of a tree key in place of an earlier one. @param keyId SHA-256 of the key, hexadecimal */
export async function keepTreeKeyCertificate(
  db: pg.Pool | pg.PoolClient,
  keyId: string,
  certificate: Buffer,
): Promise<void> {
  await db.query(
    `insert into audit_tree_key (key_id, certificate) values ($1, $2)
     on conflict (key_id) do update set certificate = excluded.certificate`,
    [keyId, certificate],
  );
}

function toHead(row: HeadRow): NumberedTreeHead {
  return {
    number: Number(row.number),
    size: Number(row.size),
    root: row.root,
    timestamp: row.signed_at,
    keyId: row.key_id,
    signature: row.signature,
  };
}

/** The log's own indexes of ids reach back a few million events. */
const STORED = `
  select e.position, e.revision, e.event_id as id, e.stream, e.type, e.data, e.metadata from event e
  where e.event_id = $1 and e.position = (
    select coalesce((select position from recent_event where event_id = $1),
      (select position from audit_view where event_id = $1)))`;

/** Positions of the log in PostgreSQL count its events from 1, without gaps. */
async function placeInLog(
  pool: pg.Pool,
  eventId: string,
  archived: (eventId: string) => Promise<StoredEvent | null>,
): Promise<EventPlace | null> {
  const { rows } = await pool.query<StoredEvent>(STORED, [eventId]);
  const event = rows[0] ?? (await archived(eventId));
  if (event === null) return null;
  return { index: Number(event.position) - 1, leaf: eventLeafHash(event) };
}

async function placeKept(pool: pg.Pool, eventId: string): Promise<EventPlace | null> {
  const { rows } = await pool.query<{ index: bigint }>(
    'select index from audit_tree_event where event_id = $1',
    [eventId],
  );
  return rows[0] === undefined ? null : { index: Number(rows[0].index), leaf: null };
}
