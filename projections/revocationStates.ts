import { type Kysely, type RawBuilder, sql } from 'kysely';
import type {
  RevocationState,
  RevocationStates,
} from '../application/certificate/ports/revocationLists.ts';
import { certificatesReadModel } from './models/certificates.ts';
import type { Database } from './database.ts';

const PAGE = 5000;

/** RFC 5280 CRLReason `certificateHold`. */
const CERTIFICATE_HOLD = 6;

const toText = (time: RawBuilder<unknown>) =>
  sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** Times as text: a driver's Date for each of a million rows would cost more than all else. */
const iso = (column: string) => toText(sql.ref(column));

const isParked = sql`read_model = ${certificatesReadModel.name} and skipped_at is null`;

/** Revoked certificates, from the certificates read model and of what a restored backup had not. */
export function createRevocationStates(database: Kysely<Database>): RevocationStates {
  return {
    snapshot: (endingAfter, onPage) =>
      // Rows and checkpoint are committed together, so that one snapshot of both fits exactly.
      database
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (snapshot) => {
          const checkpoint = await snapshot
            .selectFrom('checkpoint')
            .select('position')
            .where('name', '=', certificatesReadModel.name)
            .executeTakeFirst();
          const parked = await select(snapshot)
            .where(sql<boolean>`serial in (select row_key from parked_event where ${isParked})`)
            .where('not_after', '>', endingAfter)
            .execute();
          await onPage(parked.map(toState));
          await onPage(await lostRevocations(snapshot, endingAfter));
          let last = '';
          for (;;) {
            const page = await select(snapshot)
              .where('status', 'in', ['REVOKED', 'SUSPENDED'])
              .where('not_after', '>', endingAfter)
              .where('serial', '>', last)
              .orderBy('serial')
              .limit(PAGE)
              .execute();
            await onPage(page.filter((row) => row.parked_since === null).map(toState));
            if (page.length < PAGE) return checkpoint?.position ?? null;
            last = page.at(-1)?.serial ?? last;
          }
        }),
    of: async (serials) => {
      const rows = await select(database).where('serial', 'in', serials).execute();
      return rows.map(toState);
    },
  };
}

async function lostRevocations(
  database: Kysely<Database>,
  endingAfter: Date,
): Promise<readonly RevocationState[]> {
  const rows = await database
    .selectFrom('lost_revocation')
    .select(['serial', 'authority', 'reason'])
    .select([iso('revoked_at').as('revokedAt'), iso('not_after').as('notAfter')])
    .where('not_after', '>', endingAfter)
    .execute();
  return rows.map((row) => ({ ...row, state: 'revoked' }));
}

function select(database: Kysely<Database>) {
  return database
    .selectFrom('certificate_view')
    .select(['serial', 'authority', 'status', 'revocation_reason'])
    .select([iso('revoked_at').as('revoked_at'), iso('not_after').as('not_after')])
    .select(
      sql<string | null>`(
        select ${toText(sql`min(since)`)} from parked_event where row_key = serial and ${isParked}
      )`.as('parked_since'),
    );
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const states = { SUSPENDED: 'held', REVOKED: 'revoked' } as const;

function toState(row: Row): RevocationState {
  const { status, serial, authority, not_after: notAfter, parked_since: parkedSince } = row;
  if (status === 'SUSPENDED' || status === 'REVOKED' || parkedSince === null) {
    return {
      serial,
      authority,
      state: status === 'SUSPENDED' || status === 'REVOKED' ? states[status] : 'clear',
      reason: Number(row.revocation_reason ?? 0n),
      revokedAt: row.revoked_at,
      notAfter,
    };
  }
  return {
    serial,
    authority,
    state: 'held',
    isParked: true,
    reason: CERTIFICATE_HOLD,
    revokedAt: parkedSince,
    notAfter,
  };
}
