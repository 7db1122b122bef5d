import { type Kysely, sql } from 'kysely';
import type { RelyingPartyData } from '../application/ports/referenceData.ts';
import type { Subscribers } from '../application/webhooks/ports/webhooks.ts';
import type { ListPart } from '../application/ports/listSnapshot.ts';
import type { Database } from './database.ts';
import { records } from './engine/readModel.ts';
import { settingColumnNames } from './engine/settingColumns.ts';
import { relyingPartySettings } from '../domain/relyingParty/settings.ts';
import { createSearch } from './engine/listing.ts';
import { nameOrder } from './engine/nameOrder.ts';
import type { Sorts } from './engine/snapshots.ts';
import type { Lists } from './engine/lists.ts';

const shown = [
  ...settingColumnNames(relyingPartySettings),
  ...(['relying_party_id', 'active', 'subsystems', 'seals_for', 'aliases', 'other_names'] as const),
] as const;

const subscribed = ['relying_party_id', 'webhooks', 'seals_for', 'smart_id_statuses'] as const;

/** A relying party as reference data. */
const toRelyingPartyData = records(shown);

/** A relying party as reference data, with the hash of its secret. */
export const toKnownRelyingParty = records([...shown, 'secret_hash']);

/** Lists of relying parties. */
export interface RelyingPartyList {
  /** All relying parties, by name. */
  relyingParties(): Promise<readonly RelyingPartyData[]>;
}

const toSubscriber = records(subscribed);

/** Relying parties that are told of events. */
export function createSubscribers(database: Kysely<Database>): Subscribers {
  return {
    async all() {
      const rows = await database
        .selectFrom('relying_party_view')
        .select(subscribed)
        .where('active', '=', true)
        .where(sql<boolean>`webhooks <> '[]'`)
        .execute();
      return rows.map(toSubscriber);
    },
  };
}

/** Filter of a list of relying parties. */
export interface RelyingPartyFilter extends ListPart {
  /** Of the name or the UUID; blank: any. */
  readonly query: string;
  /** Null: both. */
  readonly active: boolean | null;
}

/** Columns of the list of relying parties that it can be sorted by; there are few enough to do it without an index. */
export const relyingPartySorts = {
  name: nameOrder('name'),
  active: { value: sql`active`, type: 'boolean' },
  registeredAt: { value: sql`registered_at`, type: 'timestamptz' },
} as const satisfies Sorts;

/** Pages of relying parties, the newest first unless wished otherwise. */
export function createRelyingPartyPages(dependencies: {
  readonly database: Kysely<Database>;
  readonly lists: Lists;
}) {
  const { database } = dependencies;
  const search = createSearch(dependencies, {
    table: 'relying_party_view',
    key: 'relying_party_id',
    time: 'registered_at',
    filter: 'active',
    sorts: relyingPartySorts,
  });
  return {
    async relyingPartyPage({ active, ...wish }: RelyingPartyFilter) {
      const { keys, ...count } = await search({ ...wish, only: active });
      const rows = await database
        .selectFrom('relying_party_view')
        .select(shown)
        .where('relying_party_id', '=', sql<string>`any(${keys}::text[])`)
        .orderBy(sql`array_position(${keys}::text[], relying_party_id)`)
        .execute();
      return { items: rows.map(toRelyingPartyData), ...count };
    },
  };
}

/** Lists the relying parties read model. */
export function createRelyingPartyList(database: Kysely<Database>): RelyingPartyList {
  return {
    async relyingParties() {
      const rows = await database
        .selectFrom('relying_party_view')
        .select(shown)
        .orderBy('name')
        .orderBy('relying_party_id')
        .execute();
      return rows.map(toRelyingPartyData);
    },
  };
}
