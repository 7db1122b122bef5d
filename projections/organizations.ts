import { type Kysely, type Selectable, sql } from 'kysely';
import type { OrganizationFact, OrganizationFacts, RightFact } from '../application/ports/facts.ts';
import { factTopic } from '../application/ports/wake.ts';
import type { OrganizationEvent } from '../domain/organization/events.ts';
import { unreachable } from '../domain/shared/decider.ts';
import type { Database, OrganizationRow, OrganizationTable, RightRow } from './database.ts';
import { readModel } from './readModel.ts';

// Projection

function evolve(
  row: OrganizationRow | undefined,
  event: OrganizationEvent,
): OrganizationRow | undefined {
  if (event.type === 'OrganizationRegistered') {
    const { register, name, nameLatin, status, registeredAt } = event.data;
    return {
      register,
      name,
      name_latin: nameLatin,
      status,
      status_before: null,
      registered_at: registeredAt,
      revision: 0n,
    };
  }
  return row === undefined ? undefined : change(row, event);
}

function change(
  row: OrganizationRow,
  event: Exclude<OrganizationEvent, { type: 'OrganizationRegistered' }>,
): OrganizationRow {
  switch (event.type) {
    case 'OrganizationVerified':
      return { ...row, status: 'VERIFIED' };
    case 'OrganizationActivated':
      return { ...row, status: 'ACTIVE' };
    case 'OrganizationSuspended':
      return { ...row, status: 'SUSPENDED', status_before: row.status };
    case 'OrganizationRestored':
      return { ...row, status: row.status_before ?? row.status, status_before: null };
    case 'OrganizationRevoked':
      return { ...row, status: 'REVOKED', status_before: null };
    case 'OrganizationRenamed':
      return { ...row, name_latin: event.data.nameLatin };
    default:
      return unreachable(event);
  }
}

/** The organizations read model, table `organization_view`. */
export const organizationsReadModel = readModel<OrganizationRow, OrganizationEvent>({
  name: 'organizations',
  table: 'organization_view',
  category: 'organization',
  key: 'register',
  columns: {
    register: 'text',
    name: 'text',
    name_latin: 'text',
    status: 'text',
    status_before: 'text',
    registered_at: 'timestamptz',
    revision: 'int8',
  },
  evolve,
  topics: (row) => [factTopic('organization', row.register)],
});

// Queries

/** Queries over organizations and the rights to represent them. */
export function createOrganizationFacts(
  database: Kysely<Database>,
): OrganizationFacts & OrganizationList {
  /** Rights of the person in organizations that are ACTIVE. */
  async function confirmed(civilId: string, register: string | null, now: Date) {
    const rows = await database
      .selectFrom('representation_view as r')
      .innerJoin('organization_view as o', 'o.register', 'r.register')
      .selectAll('o')
      .select('r.rights')
      .where(sql<boolean>`r.rights @> ${JSON.stringify([{ civilId, status: 'ACTIVE' }])}::jsonb`)
      .where('o.status', '=', 'ACTIVE')
      .$if(register !== null, (query) => query.where('o.register', '=', register ?? ''))
      .orderBy('o.register')
      .execute();
    return rows.flatMap((row) =>
      row.rights
        .filter((right) => right.civilId === civilId && isInForce(right, now.toISOString()))
        .map((right) => toRight(right, toFact(row))),
    );
  }

  return {
    async organization(register) {
      const row = await database
        .selectFrom('organization_view')
        .selectAll()
        .where('register', '=', register)
        .executeTakeFirst();
      return row === undefined ? null : toFact(row);
    },
    rightsOf: (civilId, now) => confirmed(civilId, null, now),
    async rightOf(register, civilId, now) {
      const [right] = await confirmed(civilId, register, now);
      return right ?? null;
    },
    async organizations() {
      const rows = await database
        .selectFrom('organization_view')
        .selectAll()
        .orderBy('register')
        .execute();
      return rows.map(toFact);
    },
  };
}

/** Every organization there is, for the command line. */
export interface OrganizationList {
  organizations(): Promise<readonly OrganizationFact[]>;
}

/** @param now ISO 8601 */
function isInForce({ status, validFrom, validTo }: RightRow, now: string): boolean {
  return status === 'ACTIVE' && validFrom <= now && (validTo === null || now < validTo);
}

function toRight(right: RightRow, organization: OrganizationFact): RightFact {
  const { civilId, rightType, role, source, evidenceRef, validFrom, validTo } = right;
  return { civilId, rightType, role, source, evidenceRef, validFrom, validTo, organization };
}

function toFact(row: Selectable<OrganizationTable>): OrganizationFact {
  const { register, name, name_latin: nameLatin, status } = row;
  return { register, name, nameLatin, status };
}
