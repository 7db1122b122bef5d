import { type Kysely, sql } from 'kysely';
import type { RevocationState, RevocationStates } from '../application/ports/revocationLists.ts';
import { certificatesReadModel } from './models/certificates.ts';
import type { Database } from './database.ts';

const PAGE = 5000;

/** Times as text: a driver's Date for each of a million rows would cost more than all else. */
const iso = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** Revoked certificates, from the certificates read model. */
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
          let last = '';
          for (;;) {
            const page = await select(snapshot)
              .where('status', 'in', ['REVOKED', 'SUSPENDED'])
              .where('not_after', '>', endingAfter)
              .where('serial', '>', last)
              .orderBy('serial')
              .limit(PAGE)
              .execute();
            await onPage(page.map(toState));
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

function select(database: Kysely<Database>) {
  return database
    .selectFrom('certificate_view')
    .select(['serial', 'authority', 'status', 'revocation_reason'])
    .select([iso('revoked_at').as('revoked_at'), iso('not_after').as('not_after')]);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const states = { SUSPENDED: 'held', REVOKED: 'revoked' } as const;

function toState(row: Row): RevocationState {
  const { status } = row;
  return {
    serial: row.serial,
    authority: row.authority,
    state: status === 'SUSPENDED' || status === 'REVOKED' ? states[status] : 'clear',
    reason: Number(row.revocation_reason ?? 0n),
    revokedAt: row.revoked_at,
    notAfter: row.not_after,
  };
}
