import { createHash } from 'node:crypto';
import DataLoader from 'dataloader';
import type pg from 'pg';
import {
  type FoundRecord,
  type OidcRecord,
  type OidcState,
  sessionKind,
} from '../../application/openIdConnect/ports/oidcState.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { failingFast, inTransaction } from './pool.ts';

interface Row {
  readonly payload: string;
  readonly civil_id: string | null;
  readonly consumed_at: Date | null;
}

/** A record that several requests write; sealed anew each time, its content is never twice the same text. */
interface SharedRow extends Omit<Row, 'consumed_at'> {
  readonly id_hash: Buffer;
}

/** A record beside the grant it belongs to and the session it ends with. */
interface JoinedRow extends Row {
  readonly grant_payload: string | null;
  readonly grant_civil_id: string | null;
  readonly session_payload: string | null;
  readonly session_civil_id: string | null;
}

/** Identifiers have 256 random bits or are not secret: a plain hash resists search. */
function hash(text: string): Buffer;
function hash(text: string | null): Buffer | null;
function hash(text: string | null): Buffer | null {
  return text === null ? null : createHash('sha256').update(text).digest();
}

/** One look at a record. */
interface Look {
  readonly kind: string;
  readonly hash: Buffer;
  readonly now: Date;
}

/** Most looks that one statement answers: a burst must not hold one connection for long. */
const MOST_LOOKS = 100;

/**
 * Records by kinds, identifiers and times, each beside its grant and session: tokens are never looked at without them.
 * `number` is the place of a look in the arrays, from 1.
 */
const selectJoined = (identifier: 'id_hash' | 'uid_hash') =>
  `select look.number::int, found.*
     from unnest($1::text[], $2::bytea[], $3::timestamptz[]) with ordinality look (kind, hash, now, number)
    cross join lateral (
   select t.payload, t.civil_id, t.consumed_at,
          g.payload as grant_payload, g.civil_id as grant_civil_id,
          s.payload as session_payload, s.civil_id as session_civil_id
     from oidc_state t
     left join oidc_state g on t.kind <> 'Grant' and g.kind = 'Grant'
      and g.id_hash = t.grant_hash and g.expires_at > look.now
     left join oidc_state s on t.kind <> '${sessionKind}' and s.kind = '${sessionKind}'
      and s.uid_hash = t.uid_hash and s.expires_at > look.now
    where t.kind = look.kind and t.${identifier} = look.hash and t.expires_at > look.now
    order by t.expires_at desc, s.expires_at desc nulls last limit 1) found`;

/** Inserts or updates the records that the parameters from `first` on hold as arrays. */
const upsert = (first: number, condition: string) => {
  const types = ['text', 'bytea', 'text', 'text', 'text', 'bytea', 'bytea', 'timestamptz'];
  const arrays = types.map((type, index) => `$${first + index}::${type}[]`).join(', ');
  return `insert into oidc_state
       (kind, id_hash, payload, civil_id, client_id, grant_hash, uid_hash, expires_at)
     select * from unnest(${arrays}) ${condition}
     on conflict (kind, id_hash) do update set
       payload = excluded.payload, civil_id = excluded.civil_id,
       client_id = excluded.client_id, grant_hash = excluded.grant_hash,
       uid_hash = excluded.uid_hash, expires_at = excluded.expires_at`;
};

/** Marks a record as used. */
const use = `update oidc_state set consumed_at = $3
              where kind = $1 and id_hash = $2 and consumed_at is null`;

/** Records by their second identifier. */
const ofUid = `select id_hash, payload, civil_id from oidc_state where kind = $1 and uid_hash = $2`;

/** Statements of each request, prepared once per connection. */
const statements = {
  oidc_find: selectJoined('id_hash'),
  oidc_find_uid: selectJoined('uid_hash'),
  oidc_put: upsert(1, ''),
  oidc_lock_uid: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
  oidc_of_uid: `${ofUid} order by expires_at`,
  oidc_of_uid_locked: `${ofUid} order by expires_at for update`,
  oidc_keep: `with kept as (
       update oidc_state set payload = $4, civil_id = $5, expires_at = $6
        where kind = $1 and id_hash = $2 and payload = $3 returning 1),
     made as (${upsert(7, 'where exists (select from kept)')})
     select from kept`,
  oidc_use: use,
  oidc_exchange: `with used as (${use} returning 1),
     made as (${upsert(4, 'where exists (select from used)')})
     select from used`,
} as const;

/** The provider's state in the table `oidc_state`. */
export function createPostgresOidcState({
  pool,
  vault,
}: {
  readonly pool: pg.Pool;
  readonly vault: Pick<PersonalDataVault, 'encrypt' | 'decrypt'>;
}): OidcState {
  const runOn = <Found extends pg.QueryResultRow>(
    client: Pick<pg.Pool, 'query'>,
    name: keyof typeof statements,
    values: readonly unknown[],
  ) => client.query<Found>({ name, text: statements[name], values: [...values] });
  const run = <Found extends pg.QueryResultRow>(
    name: keyof typeof statements,
    values: readonly unknown[],
  ) => runOn<Found>(pool, name, values);

  async function open(civilId: string | null, payload: string | null) {
    const text = payload === null ? null : await vault.decrypt(civilId, payload);
    return text === null ? null : (JSON.parse(text) as FoundRecord['payload']);
  }

  /** Answers the looks of one turn of the event loop by one statement: most of what a look costs is the statement. */
  const gathered = (name: 'oidc_find' | 'oidc_find_uid') =>
    new DataLoader<Look, JoinedRow | undefined>(
      async (looks) => {
        const columns = [
          looks.map(({ kind }) => kind),
          looks.map(({ hash }) => hash),
          looks.map(({ now }) => now),
        ];
        const { rows } = await run<JoinedRow & { readonly number: number }>(name, columns);
        const found = new Map(rows.map((row) => [row.number, row]));
        return looks.map((_, index) => found.get(index + 1));
      },
      // Caching would hide what another process ended (ADR 79).
      { cache: false, batchScheduleFn: setImmediate, maxBatchSize: MOST_LOOKS },
    );
  const byId = gathered('oidc_find');
  const byUid = gathered('oidc_find_uid');

  async function find(looks: typeof byId, look: Look): Promise<FoundRecord | null> {
    const row = await looks.load(look);
    if (row === undefined) return null;
    const [payload, grant, session] = await Promise.all([
      open(row.civil_id, row.payload),
      open(row.grant_civil_id, row.grant_payload),
      open(row.session_civil_id, row.session_payload),
    ]);
    return payload === null ? null : { payload, consumedAt: row.consumed_at, grant, session };
  }

  /** Columns of records, each an array. */
  async function columnsOf(records: readonly OidcRecord[]): Promise<readonly unknown[][]> {
    const payloads = records.map(({ civilId, payload }) =>
      vault.encrypt(civilId, JSON.stringify(payload)),
    );
    return [
      records.map(({ kind }) => kind),
      records.map(({ id }) => hash(id)),
      await Promise.all(payloads),
      records.map(({ civilId }) => civilId),
      records.map(({ clientId }) => clientId),
      records.map(({ grantId }) => hash(grantId)),
      records.map(({ uid }) => hash(uid)),
      records.map(({ expiresAt }) => expiresAt),
    ];
  }

  async function openAll(rows: readonly SharedRow[]) {
    const opened = await Promise.all(rows.map((row) => open(row.civil_id, row.payload)));
    return opened.filter((content) => content !== null);
  }

  /** Waits for others that write or remove this record: a new identifier has no row yet that could be locked. */
  async function lockUid(client: pg.PoolClient, kind: string, uid: Buffer): Promise<void> {
    await runOn(client, 'oidc_lock_uid', [`oidc_state ${kind} ${uid.toString('hex')}`]);
  }

  /**
   * Writes a shared record where its one row is still what was just read, which most are: without a lock. @returns false
   * when it is not: nothing is stored
   */
  async function keep(...[record, payloadWith, ...others]: Parameters<OidcState['putShared']>) {
    const { kind, id, uid, civilId, expiresAt } = record;
    const { rows } = await run<SharedRow>('oidc_of_uid', [kind, hash(uid)]);
    const [row] = rows;
    if (row === undefined || rows.length > 1 || !row.id_hash.equals(hash(id))) return false;
    const content = payloadWith(await openAll(rows));
    if (content === null) return false;
    const payload = JSON.stringify(content);
    const { rowCount } = await run('oidc_keep', [
      ...[kind, row.id_hash, row.payload],
      ...[await vault.encrypt(civilId, payload), civilId, expiresAt],
      ...(await columnsOf(others)),
    ]);
    return rowCount === 1;
  }

  return failingFast<OidcState>({
    async put(...records) {
      await run('oidc_put', await columnsOf(records));
    },
    async putShared(...parameters) {
      if (await keep(...parameters)) return;
      const [record, payloadWith, ...others] = parameters;
      await inTransaction(pool, async (client) => {
        const { kind, uid } = record;
        await lockUid(client, kind, hash(uid));
        const { rows } = await runOn<SharedRow>(client, 'oidc_of_uid_locked', [kind, hash(uid)]);
        const payload = payloadWith(await openAll(rows));
        const written = payload === null ? others : [{ ...record, payload }, ...others];
        await runOn(client, 'oidc_put', await columnsOf(written));
      });
    },
    find: (kind, id, now) => find(byId, { kind, hash: hash(id), now }),
    findByUid: (kind, uid, now) => find(byUid, { kind, hash: hash(uid), now }),
    async consume(kind, id, now, ...made) {
      const used = [kind, hash(id), now];
      const { rowCount } =
        made.length === 0
          ? await run('oidc_use', used)
          : await run('oidc_exchange', [...used, ...(await columnsOf(made))]);
      return rowCount === 1;
    },
    async claim(kind, id, until, now) {
      const { rowCount } = await pool.query(
        `insert into oidc_state (kind, id_hash, payload, expires_at) values ($1, $2, '', $3)
         on conflict (kind, id_hash) do update set expires_at = excluded.expires_at
          where oidc_state.expires_at <= $4`,
        [kind, hash(id), until, now],
      );
      return rowCount === 1;
    },
    async remove(kind, id) {
      await pool.query('delete from oidc_state where kind = $1 and id_hash = $2', [kind, hash(id)]);
    },
    async removeShared(kind, uid) {
      await inTransaction(pool, async (client) => {
        await lockUid(client, kind, hash(uid));
        await client.query('delete from oidc_state where kind = $1 and uid_hash = $2', [
          kind,
          hash(uid),
        ]);
      });
    },
    async removeOfGrant(grantId, kind) {
      await pool.query(
        'delete from oidc_state where grant_hash = $1 and ($2::text is null or kind = $2)',
        [hash(grantId), kind ?? null],
      );
    },
    async removeOfClient(clientId, civilId, kind) {
      await pool.query(
        `delete from oidc_state where client_id = $1 and ($2::text is null or civil_id = $2)
            and ($3::text is null or kind = $3)`,
        [clientId, civilId, kind ?? null],
      );
    },
    removeOfCitizen: (civilId) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ readonly uid: Buffer }>(
          `select distinct uid_hash as uid from oidc_state
            where kind = $1 and civil_id = $2 and uid_hash is not null order by 1`,
          [sessionKind, civilId],
        );
        for (const { uid } of rows) {
          await lockUid(client, sessionKind, uid);
          // Waits for one that writes without the lock, too; the statement after it sees what either made.
          await runOn(client, 'oidc_of_uid_locked', [sessionKind, uid]);
        }
        const removed = await client.query('delete from oidc_state where civil_id = $1', [civilId]);
        return (removed.rowCount ?? 0) > 0;
      }),
    async sessionsOf(civilId, now) {
      const { rows } = await pool.query<Row>(
        `select payload, civil_id, consumed_at from oidc_state
          where kind = $1 and civil_id = $2 and expires_at > $3`,
        [sessionKind, civilId, now],
      );
      const found = await Promise.all(rows.map((row) => open(row.civil_id, row.payload)));
      return found.filter((payload) => payload !== null);
    },
    async removeExpired(now) {
      await pool.query('delete from oidc_state where expires_at <= $1', [now]);
    },
  });
}
