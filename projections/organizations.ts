import { type Kysely, type Selectable, sql } from 'kysely';
import type { OrganizationFact, OrganizationFacts, RightFact } from '../application/ports/facts.ts';
import { factTopic } from '../application/ports/wake.ts';
import type { OrganizationEvent, OrganizationStatus } from '../domain/organization/events.ts';
import { unreachable } from '../domain/shared/decider.ts';
import type { Database, OrganizationRow, OrganizationTable, RightRow } from './database.ts';
import { createSearch } from './listing.ts';
import type { Lists } from './lists.ts';
import { readModel } from './readModel.ts';
import { gramsOf, searchText } from './search.ts';

// Projection

function evolve(
  row: OrganizationRow | undefined,
  event: OrganizationEvent,
): OrganizationRow | undefined {
  if (event.type === 'OrganizationRegistered') {
    const { register, name, nameLatin, status, registeredAt } = event.data;
    return findable({
      register,
      name,
      name_latin: nameLatin,
      status,
      status_before: null,
      registered_at: registeredAt,
      ...{ search: '', grams: [] },
      revision: 0n,
    });
  }
  return row === undefined ? undefined : change(row, event);
}

function findable(row: OrganizationRow): OrganizationRow {
  const search = searchText([row.register, row.name, row.name_latin]);
  return { ...row, search, grams: gramsOf(search) };
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
    case 'OrganizationNameChanged':
      return findable({ ...row, name: event.data.name });
    case 'OrganizationRenamed':
      return findable({ ...row, name_latin: event.data.nameLatin });
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
    search: 'text',
    grams: 'jsonb',
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
      .select(shown.map((column) => `o.${column}` as const))
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
        .select(shown)
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
        .select(shown)
        .orderBy('register')
        .execute();
      return rows.map(toFact);
    },
  };
}

/** Which organizations a list shows. */
export interface OrganizationFilter {
  /** Of the register, the name or the Latin name; blank: any. */
  readonly query: string;
  /** Null: any. */
  readonly status: OrganizationStatus | null;
  readonly limit: number;
  readonly offset: number;
}

/** Pages of organizations, the newest first. */
export function createOrganizationPages(dependencies: {
  readonly database: Kysely<Database>;
  readonly lists: Lists;
}) {
  const { database } = dependencies;
  const search = createSearch(dependencies, {
    table: 'organization_view',
    key: 'register',
    time: 'registered_at',
    filter: 'status',
  });
  return {
    async organizationPage({ status, ...wish }: OrganizationFilter) {
      const { keys, ...count } = await search({ ...wish, only: status });
      const rows = await database
        .selectFrom('organization_view')
        .select(shown)
        .where('register', '=', sql<string>`any(${keys}::text[])`)
        .orderBy('registered_at', 'desc')
        .orderBy('register', 'desc')
        .execute();
      return { items: rows.map(toFact), ...count };
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

const shown = ['register', 'name', 'name_latin', 'status'] as const;

function toFact(
  row: Pick<Selectable<OrganizationTable>, (typeof shown)[number]>,
): OrganizationFact {
  const { register, name, name_latin: nameLatin, status } = row;
  return { register, name, nameLatin, status };
}
