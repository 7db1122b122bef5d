import type pg from 'pg';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import {
  isHeld,
  type ListedStream,
  queueOf,
  type SignalStream,
  type SignalStreams,
} from '../../application/signals/ports/signalStreams.ts';
import type { WebhookMessage, WebhookQueue } from '../../application/webhooks/ports/webhooks.ts';
import { failingFast, inTransaction } from './pool.ts';

export interface SignalStreamsOptions {
  readonly pool: pg.Pool;
  /** Encrypts authorization headers under the key of the platform itself. */
  readonly vault: Pick<PersonalDataVault, 'encrypt' | 'decrypt'>;
  readonly mostRemoved?: number;
}

/** Citizens removed from one stream at most. */
const MOST_REMOVED = 100_000;

interface Row extends ListedStream {
  readonly endpointUrl: string | null;
  /** Encrypted. */
  readonly authorizationHeader: string | null;
}

const LISTED = `stream_id as "streamId", client_id as "clientId", relying_party_id as "relyingPartyId",
  status, reason, description, events_requested as "eventsRequested"`;

const SELECT = `
  select ${LISTED}, endpoint_url as "endpointUrl", authorization_header as "authorizationHeader"
  from signal_stream`;

const ADD = `
  insert into signal_stream (stream_id, client_id, relying_party_id, status, reason, description,
    events_requested, endpoint_url, authorization_header)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`;

const PUT = `
  update signal_stream set status = $4, reason = $5, description = $6, events_requested = $7,
    endpoint_url = $8, authorization_header = $9
  where stream_id = $1 and client_id = $2 and relying_party_id = $3`;

/** An endpoint that changes, or is held no more, begins anew: failures and the end (410) were those of before. */
const HOLD = `
  insert into webhook_address (relying_party_id, address, held) values ($1, $2, $3)
  on conflict (relying_party_id, address) do update
  set held = $3, failures = 0, paused_until = null, gone_at = null`;

const DROP = `
  delete from webhook_delivery where relying_party_id = $1 and address = $2 and state = 'WAITING'`;

/** Time of a hold is none in which an attempt could have been made. */
const RESUME = `
  update webhook_delivery set since = $3, next_at = $3, attempts = 0
  where relying_party_id = $1 and address = $2 and state = 'WAITING'`;

/** A stream that is no more removes none, and is not full. */
const REMOVE_SUBJECT = `
  with removed as (select sub from signal_stream_removed where stream_id = $1),
    state as (
      select stream_id, (select count(*) from removed) >= $3
        and not exists (select from removed where sub = $2) as is_full
      from signal_stream where stream_id = $1),
    added as (
      insert into signal_stream_removed (stream_id, sub)
      select stream_id, $2 from state where not is_full on conflict do nothing)
  select is_full as "isFull" from state`;

interface RemovedSubject {
  readonly isFull: boolean;
}

const isHeldRow = ({ endpointUrl, status }: Row) => isHeld({ push: endpointUrl, status });

const placeOf = ({ relyingPartyId, address }: WebhookQueue) => [relyingPartyId, address];

const valuesOf = (row: Row) => [
  row.streamId,
  row.clientId,
  row.relyingPartyId,
  row.status,
  row.reason,
  row.description,
  row.eventsRequested === null ? null : JSON.stringify(row.eventsRequested),
  row.endpointUrl,
  row.authorizationHeader,
];

/** Streams of security events, in the tables `signal_stream` and, with what waits on them, those of webhooks. */
export function createPostgresSignalStreams({
  pool,
  vault,
  mostRemoved = MOST_REMOVED,
}: SignalStreamsOptions): SignalStreams {
  const headerOf = async ({ authorizationHeader: header }: Pick<Row, 'authorizationHeader'>) =>
    header === null ? null : vault.decrypt(null, header);

  async function opened({ endpointUrl, authorizationHeader, ...row }: Row): Promise<SignalStream> {
    if (endpointUrl === null) return { ...row, push: null };
    const header = await headerOf({ authorizationHeader });
    return { ...row, push: { endpointUrl, authorizationHeader: header } };
  }

  async function columnsOf(push: SignalStream['push']) {
    const header = push?.authorizationHeader ?? null;
    return {
      endpointUrl: push?.endpointUrl ?? null,
      authorizationHeader: header === null ? null : await vault.encrypt(null, header),
    };
  }

  async function found(condition: string, value: string): Promise<SignalStream | null> {
    const { rows } = await pool.query<Row>(`${SELECT} where ${condition} = $1`, [value]);
    const [row] = rows;
    return row === undefined ? null : opened(row);
  }

  async function isSameDelivery(one: Row, other: Row): Promise<boolean> {
    if (one.endpointUrl !== other.endpointUrl) return false;
    const headers = [one.authorizationHeader, other.authorizationHeader];
    if (headers[0] === headers[1]) return true;
    return !headers.includes(null) && (await headerOf(one)) === (await headerOf(other));
  }

  const hold = (client: pg.PoolClient, row: Row) =>
    client.query(HOLD, [...placeOf(queueOf(row)), isHeldRow(row)]);

  /** Has what waits follow a change. Messages first, then their address, as all that locks both. */
  async function follow(client: pg.PoolClient, before: Row, after: Row, now: Date): Promise<void> {
    const place = placeOf(queueOf(after));
    const [wasHeld, isHeldNow] = [isHeldRow(before), isHeldRow(after)];
    if (after.status === 'disabled') await client.query(DROP, place);
    if (wasHeld && !isHeldNow) await client.query(RESUME, [...place, now]);
    const isAnew = wasHeld !== isHeldNow || !(await isSameDelivery(before, after));
    if (isAnew) await hold(client, after);
  }

  return failingFast<SignalStreams>({
    async all() {
      const { rows } = await pool.query<ListedStream>(
        `select ${LISTED} from signal_stream order by stream_id`,
      );
      return rows;
    },
    byId: (streamId) => found('stream_id', streamId),
    ofClient: (clientId) => found('client_id', clientId),
    async add({ push, ...listed }) {
      const row = { ...listed, ...(await columnsOf(push)) };
      return inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(ADD, valuesOf(row));
        if (rowCount === 1) await hold(client, row);
        return rowCount === 1;
      });
    },
    async change({ streamId, clientId }, { push, ...changes }, now) {
      const columns = push === undefined ? {} : await columnsOf(push);
      const changed = await inTransaction(pool, async (client) => {
        const { rows } = await client.query<Row>(
          `${SELECT} where stream_id = $1 and client_id = $2 for update`,
          [streamId, clientId],
        );
        const [before] = rows;
        if (before === undefined) return null;
        const after = { ...before, ...changes, ...columns };
        await client.query(PUT, valuesOf(after));
        await follow(client, before, after, now);
        return after;
      });
      return changed && opened(changed);
    },
    async remove(stream) {
      await inTransaction(pool, async (client) => {
        await client.query('delete from signal_stream where stream_id = $1', [stream.streamId]);
        // A restore replaces table by table: no foreign key does it.
        await client.query('delete from signal_stream_removed where stream_id = $1', [
          stream.streamId,
        ]);
        await client.query(DROP, placeOf(queueOf(stream)));
        await client.query(
          'delete from webhook_address where relying_party_id = $1 and address = $2',
          placeOf(queueOf(stream)),
        );
      });
    },
    async setRemoved(streamId, sub, isRemoved) {
      if (isRemoved) {
        const given = [streamId, sub, mostRemoved];
        const { rows } = await pool.query<RemovedSubject>(REMOVE_SUBJECT, given);
        return rows[0]?.isFull !== true;
      }
      const statement = 'delete from signal_stream_removed where stream_id = $1 and sub = $2';
      await pool.query(statement, [streamId, sub]);
      return true;
    },
    async isRemoved(streamId, sub) {
      const { rowCount } = await pool.query(
        'select from signal_stream_removed where stream_id = $1 and sub = $2',
        [streamId, sub],
      );
      return rowCount === 1;
    },
    async admitVerification(streamId, now, after) {
      const { rowCount } = await pool.query(
        `update signal_stream set verified_at = $2
         where stream_id = $1 and (verified_at is null or verified_at <= $3)`,
        [streamId, now, after],
      );
      return rowCount === 1;
    },
    async waiting(queue, limit) {
      const { rows } = await pool.query<WebhookMessage>(
        `select id, relying_party_id as "relyingPartyId", address, subject, type, body
         from webhook_delivery
         where relying_party_id = $1 and address = $2 and state = 'WAITING'
         order by relying_party_id, address, place limit $3`,
        [...placeOf(queue), limit],
      );
      return rows;
    },
    async acknowledge(queue, taken, refused, now) {
      if (taken.length === 0 && refused.length === 0) return;
      await pool.query(
        `update webhook_delivery d set tried_at = $5, leased_until = null, reason = r.reason,
           state = case when d.id = any($3::text[]) then 'DELIVERED' else 'DEAD' end
         from (select unnest($3::text[]) as id, null as reason union all
           select * from json_to_recordset($4) as e(jti text, reason text)) r
         where d.id = r.id and d.relying_party_id = $1 and d.address = $2 and d.state = 'WAITING'`,
        [...placeOf(queue), taken, JSON.stringify(refused), now],
      );
    },
  });
}
