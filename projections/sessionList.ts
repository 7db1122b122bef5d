import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import {
  cancelled,
  type EndResult,
  type SessionFlow,
  type SessionKind,
} from '../domain/session/events.ts';
import { personEtsi } from '../domain/shared/etsi.ts';
import type { Database } from './database.ts';
import { records } from './engine/readModel.ts';
import type { SessionTable } from './models/sessions.ts';
import { sessionIdAt } from './sessions.ts';

export const sessionOutcomes = [
  'RUNNING',
  'OK',
  'REFUSED',
  'FAILED',
  'TIMEOUT',
  'CANCELLED',
  'UNSUCCESSFUL',
] as const;

/**
 * State of a session in a word; REFUSED: by the citizen, CANCELLED: by the relying party, FAILED: for another
 * reason, UNSUCCESSFUL: ended in any way but OK.
 */
export type SessionOutcome = (typeof sessionOutcomes)[number];

/** Filter of the list of sessions; null: any. */
export interface SessionFilter {
  readonly sessionId: string | null;
  /** Citizens or relying parties found by a search: sessions of any of them. */
  readonly of: {
    readonly civilIds: readonly string[];
    readonly relyingParties: readonly string[];
  } | null;
  readonly relyingParty: string | null;
  readonly kind: SessionKind | null;
  readonly flow: SessionFlow | null;
  readonly outcome: SessionOutcome | null;
  /** Seconds from its start to its end, at least; a running session has none. */
  readonly minSeconds: number | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface ListedSession {
  readonly sessionId: string;
  readonly kind: SessionKind;
  readonly flow: SessionFlow;
  /** Null while it runs. */
  readonly endResult: EndResult | null;
  readonly relyingPartyUUID: string;
  readonly personEtsi: string | null;
  readonly documentNumber: string | null;
  readonly startedAt: string;
  readonly completedAt: string | null;
}

/** Sessions counted at most. */
const COUNTED = 1000;

const outcomeConditions: Readonly<Record<SessionOutcome, RawBuilder<boolean>>> = {
  RUNNING: sql`end_result is null`,
  OK: sql`end_result = 'OK'`,
  REFUSED: sql`end_result like 'USER_REFUSED%'`,
  FAILED: sql`end_result not in ('OK', 'TIMEOUT', ${sql.lit(cancelled)}) and end_result not like 'USER_REFUSED%'`,
  TIMEOUT: sql`end_result = 'TIMEOUT'`,
  CANCELLED: sql`end_result = ${sql.lit(cancelled)}`,
  UNSUCCESSFUL: sql`end_result <> 'OK'`,
};

/**
 * Lists sessions for operators, the latest first unless wished otherwise: in the order of their ids, which tell when they began (RFC 9562,
 * version 7), so that no index is kept for it.
 */
export function createSessionList(database: Kysely<Database>) {
  return {
    /** @param upTo id of the newest session of the first page; null: this is the first one */
    async sessions(
      filter: SessionFilter,
      {
        limit,
        offset,
        upTo,
        isAscending = false,
      }: {
        readonly limit: number;
        readonly offset: number;
        readonly upTo: string | null;
        /** The earliest first: what is new comes at the end. */
        readonly isAscending?: boolean;
      },
    ) {
      const where = sql<boolean>`${sql.join([sql`true`, ...conditions(filter, upTo)], sql` and `)}`;
      const shown = sql.join(columns.map((column) => sql.ref(column)));
      const order = sql`order by session_id ${sql.raw(isAscending ? 'asc' : 'desc')}`;
      const latest = sql`${order} limit ${offset + limit}`;
      const found = alternatives(filter.of).map(
        (also) => sql`(select ${shown} from session_view where ${where} and ${also} ${latest})`,
      );
      const some = alternatives(filter.of).map(
        (also) =>
          sql`(select session_id from session_view where ${where} and ${also} limit ${COUNTED + 1})`,
      );
      const [{ rows }, { rows: counted }] = await Promise.all([
        sql<Row>`
          select * from (${sql.join(found, sql` union `)}) as found
          ${order} offset ${offset} limit ${limit}
        `.execute(database),
        sql<{ count: number }>`
          select count(*)::int as count from (${sql.join(some, sql` union `)}) as found
        `.execute(database),
      ]);
      const count = counted[0]?.count ?? 0;
      const items = rows.map(view);
      return {
        items,
        total: Math.max(Math.min(count, COUNTED), offset + items.length),
        isTotalExact: count <= COUNTED,
        newest: upTo ?? (isAscending ? null : (items[0]?.sessionId ?? null)),
      };
    },
  };
}

const columns = [
  'session_id',
  'kind',
  'flow',
  'end_result',
  'relying_party_id',
  'civil_id',
  'document_number',
  'started_at',
  'completed_at',
] as const;
const toRecord = records(columns);

type Row = Pick<Selectable<SessionTable>, (typeof columns)[number]>;

function view(row: Row): ListedSession {
  const { relyingPartyId: relyingPartyUUID, civilId, ...shown } = toRecord(row);
  return {
    ...shown,
    relyingPartyUUID,
    personEtsi: civilId === null ? null : personEtsi(civilId),
  };
}

function conditions(filter: SessionFilter, upTo: string | null): readonly RawBuilder<boolean>[] {
  const { sessionId, relyingParty, kind, flow, outcome, minSeconds, from, to } = filter;
  const wanted = [
    upTo && sql<boolean>`session_id <= ${upTo}`,
    sessionId && sql<boolean>`session_id = ${sessionId}`,
    relyingParty && sql<boolean>`relying_party_id = ${relyingParty}`,
    kind && sql<boolean>`kind = ${kind}`,
    flow && sql<boolean>`flow = ${flow}`,
    outcome && outcomeConditions[outcome],
    minSeconds && sql<boolean>`completed_at - started_at >= make_interval(secs => ${minSeconds})`,
    // The id beside the time: it tells the months to look in.
    from && sql<boolean>`session_id >= ${sessionIdAt(from.getTime())} and started_at >= ${from}`,
    to && sql<boolean>`session_id < ${sessionIdAt(to.getTime())} and started_at < ${to}`,
  ].map((each) => (typeof each === 'object' ? each : null));
  return wanted.filter((each) => each !== null);
}

/** Conditions of which a session meets one: each is a query, since an alternative within one uses no index. */
function alternatives(of: SessionFilter['of']): readonly RawBuilder<boolean>[] {
  if (of === null) return [sql<boolean>`true`];
  const { civilIds, relyingParties } = of;
  const ofCitizens = sql<boolean>`civil_id = any(${civilIds}::text[])`;
  if (relyingParties.length === 0) return [ofCitizens];
  return [ofCitizens, sql<boolean>`relying_party_id = any(${relyingParties}::text[])`];
}
