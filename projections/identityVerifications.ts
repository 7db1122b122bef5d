import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type {
  IdentityVerificationFilter,
  IdentityVerificationView,
  IdentityVerificationViews,
  OverdueVerifications,
} from '../application/reactors/ports/identityVerificationViews.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import { personEtsi, readPersonIdentifier } from '../domain/shared/etsi.ts';
import { registrationIndex } from './models/citizens.ts';
import type { Database } from './database.ts';
import { columnsBut, records } from './engine/readModel.ts';
import type { ListedTable, Sorts } from './engine/snapshots.ts';
import type { ListFilter, Lists } from './engine/lists.ts';
import { nameQuery } from './engine/nameIndex.ts';
import {
  identityVerificationsReadModel,
  type IdentityVerificationTable,
} from './models/identityVerifications.ts';

const toOverdue = records(['verification_id', 'expires_at']);

/** Orders of identity verifications. */
export const verificationSorts = {
  startedAt: { value: sql`started_at`, type: 'timestamptz' },
} as const satisfies Sorts;

const listed: ListedTable = {
  table: 'identity_verification_view',
  time: 'started_at',
  key: 'verification_id',
  sorts: verificationSorts,
};

export interface IdentityVerificationViewDependencies {
  readonly database: Kysely<Database>;
  readonly vault: PersonalDataVault;
  readonly lists: Lists;
}

/** Queries over identity verifications. */
export function createIdentityVerificationViews({
  database,
  vault,
  lists,
}: IdentityVerificationViewDependencies): IdentityVerificationViews & OverdueVerifications {
  const all = database.selectFrom('identity_verification_view');
  return {
    async identityVerifications(filter, part) {
      const { keys, ...extent } = await lists.keys(listed, filterOf(filter, vault), part);
      const rows = await all
        .selectAll()
        .where('verification_id', 'in', ['', ...keys])
        .execute();
      const byKey = new Map(rows.map((row) => [row.verification_id, toView(row)]));
      return { ...extent, items: keys.flatMap((key) => byKey.get(key) ?? []) };
    },
    async overdueVerifications(now, limit, after) {
      const rows = await all
        .select(['verification_id', 'expires_at'])
        .where('status', '=', 'PENDING')
        .where('expires_at', '<=', now)
        .$if(after !== null, (query) =>
          query.where(({ eb, refTuple, tuple }) =>
            eb(
              refTuple('expires_at', 'verification_id'),
              '>',
              tuple(new Date(after?.expiresAt ?? 0), after?.verificationId ?? ''),
            ),
          ),
        )
        .orderBy('expires_at')
        .orderBy('verification_id')
        .limit(limit)
        .execute();
      return rows.map(toOverdue);
    },
  };
}

function filterOf(
  { q, method, status }: IdentityVerificationFilter,
  vault: PersonalDataVault,
): ListFilter {
  const conditions: RawBuilder<boolean>[] = [
    sql<boolean>`true`,
    ...(method === null ? [] : [sql<boolean>`method = ${method}`]),
    ...(status === null ? [] : [sql<boolean>`status = ${status}`]),
    ...(q === null ? [] : [sought(q, vault)]),
  ];
  const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
  const id = JSON.stringify([q, method, status]);
  return { id, where, by: q === null ? 'walk' : 'search' };
}

/** The verification of that id, or those of the citizens named so. */
function sought(q: string, vault: PersonalDataVault): RawBuilder<boolean> {
  const identifier = readPersonIdentifier(q);
  if (identifier?.type === 'civilId') return sql`civil_id = ${identifier.civilId}`;
  if (identifier !== null) {
    const index = registrationIndex(vault, identifier.registrationNumber);
    return sql`civil_id in (select civil_id from citizen_view where registration_index = ${index})`;
  }
  const names = nameQuery(vault, q);
  const isIt = sql<boolean>`verification_id = ${q.trim().toLowerCase()}`;
  if (names === null) return isIt;
  return sql`(${isIt} or civil_id in (
    select civil_id from citizen_search where name_index @@ ${names}::tsquery
  ))`;
}

const shown = columnsBut(identityVerificationsReadModel, 'revision');
const toRecord = records(shown);

function toView(row: Selectable<IdentityVerificationTable>): IdentityVerificationView {
  const { civilId, lastFailure: failure, ...record } = toRecord(row);
  return { ...record, failure, personEtsi: civilId === null ? null : personEtsi(civilId) };
}
