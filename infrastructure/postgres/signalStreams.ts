import type pg from 'pg';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import {
  isHeld,
  queueOf,
  type SignalStream,
  type SignalStreams,
  type StreamStatus,
} from '../../application/signals/ports/signalStreams.ts';
import type { WebhookMessage, WebhookQueue } from '../../application/webhooks/ports/webhooks.ts';
import { failingFast, inTransaction } from './pool.ts';

export interface SignalStreamsOptions {
  readonly pool: pg.Pool;
  /** Encrypts authorization headers under the key of the platform itself. */
  readonly vault: Pick<PersonalDataVault, 'encrypt' | 'decrypt'>;
}

interface Row extends Omit<SignalStream, 'push'> {
  readonly status: StreamStatus;
  readonly endpointUrl: string | null;
  readonly authorizationHeader: string | null;
}

const SELECT = `
  select stream_id as "streamId", client_id as "clientId", relying_party_id as "relyingPartyId",
    status, reason, description, events_requested as "eventsRequested",
    endpoint_url as "endpointUrl", authorization_header as "authorizationHeader"
  from signal_stream`;

const ADD = `
  insert into signal_stream (stream_id, client_id, relying_party_id, status, reason, description,
    events_requested, endpoint_url, authorization_header)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`;

const PUT = `
  update signal_stream set status = $4, reason = $5, description = $6, events_requested = $7,
    endpoint_url = $8, authorization_header = $9
  where stream_id = $1 and client_id = $2 and relying_party_id = $3`;

/** An endpoint that changes begins anew: failures and the end (410) were those of the one before. */
const HOLD = `
  insert into webhook_address (relying_party_id, address, held) values ($1, $2, $3)
  on conflict (relying_party_id, address) do update
  set held = $3, failures = 0, paused_until = null, gone_at = null`;

const DROP = `
  delete from webhook_delivery where relying_party_id = $1 and address = $2 and state = 'WAITING'`;

const placeOf = ({ relyingPartyId, address }: WebhookQueue) => [relyingPartyId, address];

/** Streams of security events, in the tables `signal_stream` and, with what waits on them, those of webhooks. */
export function createPostgresSignalStreams({ pool, vault }: SignalStreamsOptions): SignalStreams {
  async function opened({ endpointUrl, authorizationHeader, ...row }: Row): Promise<SignalStream> {
    if (endpointUrl === null) return { ...row, push: null };
    const header =
      authorizationHeader === null ? null : await vault.decrypt(null, authorizationHeader);
    return { ...row, push: { endpointUrl, authorizationHeader: header } };
  }

  async function valuesOf({ push, eventsRequested, ...stream }: SignalStream) {
    const header = push?.authorizationHeader ?? null;
    return [
      stream.streamId,
      stream.clientId,
      stream.relyingPartyId,
      stream.status,
      stream.reason,
      stream.description,
      eventsRequested === null ? null : JSON.stringify(eventsRequested),
      push?.endpointUrl ?? null,
      header === null ? null : await vault.encrypt(null, header),
    ];
  }

  const hold = (client: pg.PoolClient, stream: SignalStream) =>
    client.query(HOLD, [...placeOf(queueOf(stream)), isHeld(stream)]);

  return failingFast<SignalStreams>({
    async all() {
      const { rows } = await pool.query<Row>(`${SELECT} order by stream_id`);
      return Promise.all(rows.map(opened));
    },
    async ofClient(clientId) {
      const { rows } = await pool.query<Row>(`${SELECT} where client_id = $1`, [clientId]);
      const [row] = rows;
      return row === undefined ? null : opened(row);
    },
    async add(stream) {
      const values = await valuesOf(stream);
      return inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(ADD, values);
        if (rowCount === 1) await hold(client, stream);
        return rowCount === 1;
      });
    },
    async put(stream) {
      const values = await valuesOf(stream);
      await inTransaction(pool, async (client) => {
        await client.query(PUT, values);
        await hold(client, stream);
        if (stream.status === 'disabled') await client.query(DROP, placeOf(queueOf(stream)));
      });
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
      const statement = isRemoved
        ? `insert into signal_stream_removed (stream_id, sub)
           select stream_id, $2 from signal_stream where stream_id = $1 on conflict do nothing`
        : 'delete from signal_stream_removed where stream_id = $1 and sub = $2';
      await pool.query(statement, [streamId, sub]);
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
