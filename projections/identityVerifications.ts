import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type {
  IdentityVerificationFilter,
  IdentityVerificationView,
  IdentityVerificationViews,
  OverdueVerifications,
} from '../application/ports/identityVerificationViews.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import type { IdentityVerificationEvent } from '../domain/identityVerification/events.ts';
import { unreachable } from '../domain/shared/decider.ts';
import { personEtsi, readPersonIdentifier } from '../domain/shared/etsi.ts';
import { registrationIndex } from './citizens.ts';
import type { Database, IdentityVerificationRow, IdentityVerificationTable } from './database.ts';
import type { ListedTable } from './listQueries.ts';
import type { ListFilter, Lists } from './lists.ts';
import { nameQuery } from './nameIndex.ts';
import { readModel } from './readModel.ts';

// Projection

function evolve(
  row: IdentityVerificationRow | undefined,
  event: IdentityVerificationEvent,
): IdentityVerificationRow | undefined {
  if (event.type === 'IdentityVerificationStarted') {
    const { verificationId, method, startedAt, expiresAt } = event.data;
    return {
      verification_id: verificationId,
      method,
      status: 'PENDING',
      civil_id: null,
      attempts: 0n,
      last_failure: null,
      started_at: startedAt,
      expires_at: expiresAt,
      ended_at: null,
      revision: 0n,
    };
  }
  return row === undefined ? undefined : change(row, event);
}

function change(
  row: IdentityVerificationRow,
  event: Exclude<IdentityVerificationEvent, { type: 'IdentityVerificationStarted' }>,
): IdentityVerificationRow {
  switch (event.type) {
    case 'IdentityVerificationAttempted':
      return { ...row, attempts: BigInt(event.data.attempt) };
    case 'IdentityVerificationAttemptFailed':
      return { ...row, last_failure: event.data.reason };
    case 'IdentityVerificationSucceeded': {
      const { civilId, verifiedAt } = event.data;
      return { ...row, status: 'VERIFIED', civil_id: civilId, ended_at: verifiedAt };
    }
    case 'IdentityVerificationExhausted':
      return { ...row, status: 'EXHAUSTED', ended_at: event.data.exhaustedAt };
    case 'IdentityVerificationExpired':
      return { ...row, status: 'EXPIRED', ended_at: event.data.expiredAt };
    case 'IdentityVerificationCancelled':
      return { ...row, status: 'CANCELLED', ended_at: event.data.cancelledAt };
    default:
      return unreachable(event);
  }
}

/** The identity verifications read model, table `identity_verification_view`. */
export const identityVerificationsReadModel = readModel<
  IdentityVerificationRow,
  IdentityVerificationEvent
>({
  name: 'identityVerifications',
  table: 'identity_verification_view',
  category: 'identityVerification',
  key: 'verification_id',
  columns: {
    verification_id: 'text',
    method: 'text',
    status: 'text',
    civil_id: 'text',
    attempts: 'int8',
    last_failure: 'text',
    started_at: 'timestamptz',
    expires_at: 'timestamptz',
    ended_at: 'timestamptz',
    revision: 'int8',
  },
  evolve,
  topics: () => [],
  isFinal: ({ status }) => status !== 'PENDING',
});

// Queries

const listed: ListedTable = {
  ...{ table: 'identity_verification_view', time: 'started_at', key: 'verification_id' },
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
      return rows.map(({ verification_id: verificationId, expires_at }) => ({
        ...{ verificationId, expiresAt: expires_at.toISOString() },
      }));
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

function toView(row: Selectable<IdentityVerificationTable>): IdentityVerificationView {
  return {
    verificationId: row.verification_id,
    method: row.method,
    status: row.status,
    personEtsi: row.civil_id === null ? null : personEtsi(row.civil_id),
    attempts: Number(row.attempts),
    failure: row.last_failure,
    startedAt: row.started_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
