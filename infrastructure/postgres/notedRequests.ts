import type pg from 'pg';
import {
  type CountedRequests,
  DAYS_KEPT,
  type NotedRequestStore,
  type RefusedRequest,
  REFUSALS_KEPT,
} from '../../application/relyingParty/ports/requestLog.ts';
import { failingFast, inTransaction } from './pool.ts';

/**
 * Adds counts in the order of their key: processes that add the same ones wait for each other in one order. What is too
 * old goes with the same statement.
 */
const ADD_COUNTS = `
  with old as (delete from relying_party_use where day < (now() at time zone 'utc')::date - ${DAYS_KEPT})
  insert into relying_party_use (relying_party_id, day, operation, code, requests, last_at)
  select "relyingPartyId", day, operation, coalesce(code, ''), requests, "lastAt"
    from json_to_recordset($1) as noted(
      "relyingPartyId" text, day date, operation text, code text, requests bigint, "lastAt" timestamptz)
    order by 1, 2, 3, 4
  on conflict (relying_party_id, day, operation, code) do update set
    requests = relying_party_use.requests + excluded.requests,
    last_at = greatest(relying_party_use.last_at, excluded.last_at)`;

const ADD_REFUSALS = `
  insert into relying_party_refusal (relying_party_id, at, request_id, operation, status, code, faults)
  select "relyingPartyId", at, "requestId", operation, status, code, faults
    from json_to_recordset($1) as noted(
      "relyingPartyId" text, at timestamptz, "requestId" text, operation text, status smallint, code text, faults jsonb)`;

const FORGET_REFUSALS = `
  delete from relying_party_refusal where at < now() - interval '${DAYS_KEPT} days' or id in (
    select id from (
      select id, row_number() over (partition by relying_party_id order by at desc, id desc) as place
        from relying_party_refusal where relying_party_id = any($1)) as ranked
     where place > ${REFUSALS_KEPT})`;

/** Requests of relying parties in the tables `relying_party_use` and `relying_party_refusal`. */
export function createPostgresNotedRequests(pool: pg.Pool): NotedRequestStore {
  return failingFast<NotedRequestStore>({
    add({ counted, refused }) {
      // Keeps all or nothing: what failed is added again, and would be counted twice.
      return inTransaction(pool, async (client) => {
        await client.query(ADD_COUNTS, [JSON.stringify(counted)]);
        if (refused.length === 0) return;
        await client.query(ADD_REFUSALS, [JSON.stringify(refused)]);
        const parties = new Set(refused.map(({ relyingPartyId }) => relyingPartyId));
        await client.query(FORGET_REFUSALS, [[...parties]]);
      });
    },
    async of(relyingPartyId) {
      const [counts, refusals] = await Promise.all([
        pool.query<CountedRequests>(
          `select operation, nullif(code, '') as code, sum(requests)::int as requests,
             max(last_at) as "lastAt"
           from relying_party_use
           where relying_party_id = $1 and day > (now() at time zone 'utc')::date - ${DAYS_KEPT}
           group by operation, code order by operation, code`,
          [relyingPartyId],
        ),
        pool.query<RefusedRequest>(
          `select at, request_id as "requestId", operation, status, code, faults
           from relying_party_refusal
           where relying_party_id = $1 and at >= now() - interval '${DAYS_KEPT} days'
           order by at desc, id desc limit ${REFUSALS_KEPT}`,
          [relyingPartyId],
        ),
      ]);
      return { counted: counts.rows, refused: refusals.rows };
    },
  });
}
