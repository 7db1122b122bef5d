import type pg from 'pg';
import { AWAY_MS } from '../../application/ports/undelivered.ts';
import {
  type Acquaintances,
  type ClaimedMessage,
  MESSAGES_SHOWN,
  type RevivedQueue,
  type ShownMessage,
  type WebhookOutbox,
  type WebhookQueue,
} from '../../application/webhooks/ports/webhooks.ts';
import { failingFast, inTransaction } from './pool.ts';

/** Time for which a claimed message is its process's alone, ms: several times what sending takes. */
const LEASE_MS = 60_000;
const AWAY = `interval '${AWAY_MS} milliseconds'`;
/** Messages sent at once to one address, each about something else. */
const AT_ONCE = 8;
/** Messages that are ended by one statement. */
const ENDED_AT_ONCE = 1000;
/** Days that messages are shown after the attempts have ended. */
const DAYS_DELIVERED = 7;
const DAYS_DEAD = 30;

const ADD_ADDRESSES = `
  insert into webhook_address (relying_party_id, address)
  select distinct "relyingPartyId", address
    from json_to_recordset($1) as m("relyingPartyId" text, address text)
  order by 1, 2
  on conflict do nothing`;

const ADD_MESSAGES = `
  insert into webhook_delivery
    (id, relying_party_id, address, subject, type, body, state, reason, since, next_at)
  select id, "relyingPartyId", m.address, subject, type, body,
    case when a.gone_at is null then 'WAITING' else 'DEAD' end,
    case when a.gone_at is null then null else 'The address is gone (HTTP 410).' end, $2, $2
  from rows from (json_to_recordset($1) as
    (id text, "relyingPartyId" text, address text, subject text, type text, body text))
    with ordinality as m(id, "relyingPartyId", address, subject, type, body, number)
  join webhook_address a on a.relying_party_id = "relyingPartyId" and a.address = m.address
  order by number
  on conflict (id) do nothing`;

/**
 * The oldest waiting message of a subject alone is sent, so that none overtakes another, whoever sends it. Looked up in
 * the index for each row: joined, a backlog is compared with itself.
 */
const IS_FIRST = `
  d.state = 'WAITING' and d.place = (
    select e.place from webhook_delivery e
    where e.relying_party_id = d.relying_party_id and e.address = d.address
      and e.subject = d.subject and e.state = 'WAITING'
    order by e.relying_party_id, e.address, e.subject, e.place limit 1)`;

const CLAIMED = `d.id, d.relying_party_id as "relyingPartyId", d.address, d.subject, d.type, d.body, d.attempts, d.since`;

const WAS_AWAY = `d.tried_at < $3::timestamptz - ${AWAY}`;

const CLAIM = `
  with head as (
    select d.id from webhook_delivery d
    join webhook_address a using (relying_party_id, address)
    where d.relying_party_id = $1 and d.address = $2 and ${IS_FIRST}
      and d.next_at <= $3 and (d.leased_until is null or d.leased_until <= $3)
      and not a.held and (a.paused_until is null or a.paused_until <= $3)
    order by d.relying_party_id, d.address, d.place limit ${AT_ONCE}
    for update of d skip locked
  )
  update webhook_delivery d
  set leased_until = $3::timestamptz + $4 * interval '1 millisecond', tried_at = $3,
    attempts = case when ${WAS_AWAY} then 0 else d.attempts end,
    since = case when ${WAS_AWAY} then $3 else d.since end
  from head where d.id = head.id
  returning ${CLAIMED}`;

/** Of a paused address the pause alone is looked at: what waits for it may be the backlog of a day. */
const NEXT_AT = `
  select case when a.paused_until > $3 then a.paused_until else (
    select min(greatest(d.next_at, d.leased_until)) from webhook_delivery d
    where d.relying_party_id = $1 and d.address = $2 and ${IS_FIRST}
  ) end as at
  from webhook_address a
  where a.relying_party_id = $1 and a.address = $2 and not a.held and exists (
    select from webhook_delivery d
    where d.relying_party_id = $1 and d.address = $2 and d.state = 'WAITING')`;

const DUE = `
  select relying_party_id as "relyingPartyId", address from webhook_address a
  where not held and (paused_until is null or paused_until <= $1) and exists (
    select from webhook_delivery d
    where d.relying_party_id = a.relying_party_id and d.address = a.address and d.state = 'WAITING'
      and d.next_at <= $1 and (d.leased_until is null or d.leased_until <= $1))
  order by 1, 2 limit 100`;

const END = `
  with ended as (
    select id from webhook_delivery
    where relying_party_id = $1 and address = $2 and state = 'WAITING' and since <= $3
      and (leased_until is null or leased_until <= $4)
    order by relying_party_id, address, place limit ${ENDED_AT_ONCE}
    for update
  )
  update webhook_delivery d set state = 'DEAD', reason = $5, leased_until = null
  from ended where d.id = ended.id and d.state = 'WAITING'
  returning ${CLAIMED}`;

/** The oldest by its place: looked up in the index, however much waits behind it. */
const OVERDUE = `
  select ${CLAIMED} from webhook_address a
  cross join lateral (
    select * from webhook_delivery e
    where e.relying_party_id = a.relying_party_id and e.address = a.address and e.state = 'WAITING'
    order by e.relying_party_id, e.address, e.place limit 1
  ) d
  where a.failures >= $2 and not a.held and a.paused_until > $3::timestamptz - ${AWAY}
    and d.since <= $1 and d.leased_until is null
  order by 2, 3 limit 100`;

const KEEP = `
  update webhook_address a set gone_at = null, failures = 0, paused_until = null
  where (gone_at is not null or failures > 0) and not exists (
    select from json_to_recordset($1) as m("relyingPartyId" text, address text)
    where m."relyingPartyId" = a.relying_party_id and m.address = a.address)`;

const REVIVE = `
  update webhook_delivery set state = 'WAITING', attempts = 0, since = $3, next_at = $3, leased_until = null
  where relying_party_id = $1 and state = 'DEAD' and ($2::text is null or id = $2)
  returning id, address`;

/** Messages to relying parties, in the tables `webhook_delivery` and `webhook_address`. */
export function createPostgresWebhookOutbox(
  pool: pg.Pool,
  { leaseMs = LEASE_MS }: { readonly leaseMs?: number } = {},
): WebhookOutbox {
  const ofQueue = ({ relyingPartyId, address }: WebhookQueue) => [relyingPartyId, address];
  const where = 'where relying_party_id = $1 and address = $2';
  return failingFast<WebhookOutbox>({
    async add(messages, now) {
      const given = JSON.stringify(messages);
      await inTransaction(pool, async (client) => {
        await client.query(ADD_ADDRESSES, [given]);
        await client.query(ADD_MESSAGES, [given, now]);
      });
    },
    async claim(queue, now) {
      const { rows } = await pool.query<ClaimedMessage>(CLAIM, [...ofQueue(queue), now, leaseMs]);
      return rows;
    },
    async nextAt(queue, now) {
      const { rows } = await pool.query<{ readonly at: Date | null }>(NEXT_AT, [
        ...ofQueue(queue),
        now,
      ]);
      return rows[0]?.at ?? null;
    },
    async settle(id, settlement, now) {
      const { state } = settlement;
      const reason = 'reason' in settlement ? settlement.reason : null;
      const nextAt = 'nextAt' in settlement ? settlement.nextAt : now;
      await pool.query(
        `update webhook_delivery set state = $2, reason = $3, next_at = $4, tried_at = $5,
           leased_until = null, attempts = attempts + case when $2 = 'DELIVERED' then 0 else 1 end
         where id = $1 and (state = 'WAITING' or $2 = 'DELIVERED')`,
        [id, state, reason, nextAt, now],
      );
    },
    async failed(queue, now) {
      const { rows } = await pool.query<{ readonly failures: number }>(
        `update webhook_address set failures =
           case when paused_until < $3::timestamptz - ${AWAY} then 1 else failures + 1 end
         ${where} returning failures`,
        [...ofQueue(queue), now],
      );
      return rows[0]?.failures ?? 1;
    },
    async pause(queue, until) {
      await pool.query(`update webhook_address set paused_until = $3 ${where}`, [
        ...ofQueue(queue),
        until,
      ]);
    },
    async answered(queue) {
      await pool.query(
        `update webhook_address set failures = 0, paused_until = null ${where} and failures > 0`,
        ofQueue(queue),
      );
    },
    async gone(queue, at) {
      await pool.query(`update webhook_address set gone_at = $3 ${where}`, [...ofQueue(queue), at]);
    },
    async end(queue, { reason, before }, now) {
      const values = [...ofQueue(queue), before, now, reason];
      return (await pool.query<ClaimedMessage>(END, values)).rows;
    },
    async overdue(before, failures, now) {
      return (await pool.query<ClaimedMessage>(OVERDUE, [before, failures, now])).rows;
    },
    async keep(registered) {
      await pool.query(KEEP, [JSON.stringify(registered)]);
    },
    async due(now) {
      return (await pool.query<WebhookQueue>(DUE, [now])).rows;
    },
    revive: (relyingPartyId, id, now) =>
      inTransaction(pool, async (client) => {
        const revived = await client.query<{ readonly id: string; readonly address: string }>(
          REVIVE,
          [relyingPartyId, id, now],
        );
        const addresses = [...new Set(revived.rows.map(({ address }) => address))];
        await client.query(
          `update webhook_address set gone_at = null, failures = 0, paused_until = null
           where relying_party_id = $1 and address = any($2)`,
          [relyingPartyId, addresses],
        );
        return addresses.map((address): RevivedQueue => ({
          relyingPartyId,
          address,
          ids: revived.rows.filter((each) => each.address === address).map((each) => each.id),
        }));
      }),
    async shown(relyingPartyId) {
      const { rows } = await pool.query<ShownMessage>(
        `select id, address, type, state, attempts, reason, since, tried_at as "triedAt"
         from webhook_delivery where relying_party_id = $1
         order by place desc limit ${MESSAGES_SHOWN}`,
        [relyingPartyId],
      );
      return rows;
    },
    async tidy(now) {
      // Two, since of those that wait there is no index by age: each address that is held has its own.
      await pool.query(
        `delete from webhook_delivery where state <> 'WAITING'
           and since < $1::timestamptz - interval '${DAYS_DELIVERED} days'
           and (state = 'DELIVERED' or since < $1::timestamptz - interval '${DAYS_DEAD} days')`,
        [now],
      );
      await pool.query(
        `delete from webhook_delivery d using webhook_address a
         where a.held and d.relying_party_id = a.relying_party_id and d.address = a.address
           and d.state = 'WAITING' and d.since < $1::timestamptz - interval '${DAYS_DEAD} days'`,
        [now],
      );
    },
  });
}

/** Acquaintances of relying parties, in the table `webhook_acquaintance`. */
export function createPostgresAcquaintances(pool: pg.Pool): Acquaintances {
  return failingFast<Acquaintances>({
    async add(relyingPartyId, about) {
      await pool.query(
        `insert into webhook_acquaintance (relying_party_id, about) values ($1, $2)
         on conflict do nothing`,
        [relyingPartyId, about],
      );
    },
    async of(about) {
      const { rows } = await pool.query<{ readonly id: string }>(
        'select relying_party_id as id from webhook_acquaintance where about = $1',
        [about],
      );
      return rows.map(({ id }) => id);
    },
  });
}
