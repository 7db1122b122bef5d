import { type Kysely, sql } from 'kysely';
import type { OrganizationData, RightData } from '../application/ports/referenceData.ts';
import type { OrganizationStatus } from '../domain/organization/events.ts';
import { organizationSettings } from '../domain/organization/settings.ts';
import type { ListPart } from '../application/ports/listSnapshot.ts';
import type { Database } from './database.ts';
import { createSearch } from './engine/listing.ts';
import { nameOrder } from './engine/nameOrder.ts';
import type { Sorts } from './engine/snapshots.ts';
import { records } from './engine/readModel.ts';
import { settingColumnNames } from './engine/settingColumns.ts';
import type { Lists } from './engine/lists.ts';
import type { RightRow } from './models/representations.ts';

/** Lists the organizations read model. */
export function createOrganizationList(database: Kysely<Database>): OrganizationList {
  return {
    async organizations() {
      const rows = await database
        .selectFrom('organization_view')
        .select(shown)
        .orderBy('register')
        .execute();
      return rows.map(toOrganizationData);
    },
  };
}

/** Filter of a list of organizations. */
export interface OrganizationFilter extends ListPart {
  /** Of the register, the name or the Latin name; blank: any. */
  readonly query: string;
  /** Null: any. */
  readonly status: OrganizationStatus | null;
}

/** Columns of the list of organizations that it can be sorted by, each with an index. */
export const organizationSorts = {
  name: nameOrder('name'),
  orgRegister: { value: sql`register`, type: 'text' },
  registeredAt: { value: sql`registered_at`, type: 'timestamptz' },
  status: { value: sql`status`, type: 'text' },
} as const satisfies Sorts;

/** Pages of organizations, the newest first unless wished otherwise. */
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
    sorts: organizationSorts,
  });
  return {
    async organizationPage({ status, ...wish }: OrganizationFilter) {
      const { keys, ...count } = await search({ ...wish, only: status });
      const rows = await database
        .selectFrom('organization_view')
        .select(shown)
        .where('register', '=', sql<string>`any(${keys}::text[])`)
        .orderBy(sql`array_position(${keys}::text[], register)`)
        .execute();
      return { items: rows.map(toOrganizationData), ...count };
    },
  };
}

/** Every organization there is, for the command line. */
export interface OrganizationList {
  organizations(): Promise<readonly OrganizationData[]>;
}

/** The person's rights in force among all of one organization. */
export function rightsIn(
  rights: readonly RightRow[],
  civilId: string,
  now: Date,
  organization: OrganizationData,
): readonly RightData[] {
  return rights
    .filter((right) => right.civilId === civilId && isInForce(right, now.toISOString()))
    .map((right) => toRight(right, organization));
}

/** @param now ISO 8601 */
function isInForce({ status, validFrom, validTo }: RightRow, now: string): boolean {
  return status === 'ACTIVE' && validFrom <= now && (validTo === null || now < validTo);
}

function toRight(right: RightRow, organization: OrganizationData): RightData {
  const { civilId, rightType, role, source, evidenceRef, validFrom, validTo } = right;
  return { civilId, rightType, role, source, evidenceRef, validFrom, validTo, organization };
}

const shown = ['register', ...settingColumnNames(organizationSettings), 'status'] as const;

/** An organization as reference data. */
export const toOrganizationData = records(shown);
