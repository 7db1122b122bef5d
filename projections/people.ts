import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CertificateViewStatus, PeopleViews, ListWithSnapshot } from './peopleViews.ts';
import type { ListPart } from '../application/ports/listSnapshot.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import {
  type PersonIdentifier,
  readPersonIdentifier,
  readRegister,
} from '../domain/shared/etsi.ts';
import { registrationIndex } from './models/citizens.ts';
import type { Database } from './database.ts';
import type { ListFilter, Lists } from './engine/lists.ts';
import type { ListedTable, SnapshotKeys, Sorts } from './engine/snapshots.ts';
import { nameQuery } from './engine/nameIndex.ts';
import { createPeopleRows } from './peopleRows.ts';

export interface PeopleDependencies {
  readonly database: Kysely<Database>;
  readonly vault: PersonalDataVault;
  readonly lists: Lists;
  /** Time by which certificates begin earlier than they are made, ms; default 0. */
  readonly clockSlackMs?: number;
}

type Condition = RawBuilder<boolean>;

/** Orders of citizens and of phones: both have the index of their own order alone. */
export const enrolmentSorts = {
  enrolledAt: { value: sql`enrolled_at`, type: 'timestamptz' },
} as const satisfies Sorts;

/** Orders of certificates. */
export const certificateSorts = {
  notAfter: { value: sql`not_after`, type: 'timestamptz' },
} as const satisfies Sorts;

const citizens: ListedTable = {
  table: 'citizen_search',
  time: 'enrolled_at',
  key: 'civil_id',
  sorts: enrolmentSorts,
};
const devices: ListedTable = {
  table: 'device_view',
  time: 'enrolled_at',
  key: 'document_number',
  sorts: enrolmentSorts,
};

/** Persons whose devices and certificates are searched one by one; those of more are looked for along the list. */
const PERSONS = 1000;

/** Organizations of one name looked at, at most. */
const NAMESAKES = 100;

const always = sql<boolean>`true`;
const nothing: SnapshotKeys = { keys: [], total: 0, isTotalExact: true, snapshot: null };

/** Operators' search over citizens, devices and certificates. */
export function createPeopleViews({
  database,
  vault,
  lists,
  clockSlackMs = 0,
}: PeopleDependencies) {
  const rows = createPeopleRows({ database, vault });
  const certificates: ListedTable = {
    table: 'certificate_view',
    time: 'not_after',
    key: 'serial',
    made: { column: 'not_before', earlierMs: clockSlackMs },
    sorts: certificateSorts,
  };

  /** The civil ids an identifier stands for. */
  async function civilIdsOf(identifier: PersonIdentifier): Promise<readonly string[]> {
    const query = database.selectFrom('citizen_view').select('civil_id');
    const found = await (
      identifier.type === 'civilId'
        ? query.where('civil_id', '=', identifier.civilId)
        : query.where(
            'registration_index',
            '=',
            registrationIndex(vault, identifier.registrationNumber),
          )
    )
      .orderBy('civil_id')
      .execute();
    return found.map((row) => row.civil_id);
  }

  async function ownersOf(documentNumber: string): Promise<readonly string[]> {
    const found = await database
      .selectFrom('device_view')
      .select('civil_id')
      .where('document_number', '=', documentNumber)
      .execute();
    return found.map((row) => row.civil_id);
  }

  /** Registers of the organizations with this identifier, register or name. */
  async function registersOf(q: string): Promise<readonly string[]> {
    const found = await database
      .selectFrom('organization_view')
      .select('register')
      .where(({ eb, or }) =>
        or([
          eb('register', '=', readRegister(q) ?? ''),
          eb('name', '=', q.trim()),
          eb('name_latin', '=', q.trim().toUpperCase()),
        ]),
      )
      .limit(NAMESAKES)
      .execute();
    return found.map((row) => row.register);
  }

  /** Civil ids of the persons named so, one more than {@link PERSONS} at most. */
  async function named(names: string): Promise<readonly string[]> {
    const { rows: found } = await sql<{ civil_id: string }>`
      select civil_id from citizen_search where ${isNamed(names)} limit ${PERSONS + 1}
    `.execute(database);
    return found.map((row) => row.civil_id);
  }

  async function citizensFound(q: string | null, part: ListPart): Promise<SnapshotKeys> {
    if (q === null) return lists.keys(citizens, { id: '', where: always, by: 'walk' }, part);
    const identifier = readPersonIdentifier(q);
    if (identifier !== null) return pageOf(await civilIdsOf(identifier), part);
    const names = nameQuery(vault, q);
    const byName =
      names === null
        ? nothing
        : await lists.keys(citizens, { id: names, where: isNamed(names), by: 'search' }, part);
    return byName.total > 0 ? byName : pageOf(await ownersOf(documentNumberIn(q)), part);
  }

  /** Rows of persons who are named so. */
  async function ofPersons(names: string, id: string, also: Condition): Promise<ListFilter> {
    const persons = await named(names);
    if (persons.length <= PERSONS) {
      const where = sql<boolean>`${also} and civil_id = any(${[...persons]}::text[])`;
      return { id: `${id} ${names}`, where, by: 'search' };
    }
    const where = sql<boolean>`
      ${also} and civil_id in (select civil_id from citizen_search where ${isNamed(names)})
    `;
    return { id: `${id} ${names}`, where, by: 'sparse' };
  }

  /** Rows `exact` finds, or else those of persons who are named so. */
  async function searched(
    table: ListedTable,
    q: string,
    {
      exact,
      also,
      id,
    }: { readonly exact: Condition; readonly also: Condition; readonly id: string },
    part: ListPart,
  ): Promise<SnapshotKeys> {
    const where = sql<boolean>`${also} and (${exact})`;
    const found = await lists.keys(table, { id: `${id} = ${q}`, where, by: 'search' }, part);
    const names = found.total > 0 ? null : nameQuery(vault, q);
    return names === null ? found : lists.keys(table, await ofPersons(names, id, also), part);
  }

  async function devicesFound(
    { q, active }: { readonly q: string | null; readonly active: boolean | null },
    part: ListPart,
  ): Promise<SnapshotKeys> {
    const also =
      active === null ? always : active ? sql<boolean>`active` : sql<boolean>`not active`;
    const id = String(active);
    if (q === null) return lists.keys(devices, { id, where: also, by: 'walk' }, part);
    const identifier = readPersonIdentifier(q);
    const persons = identifier === null ? [] : await civilIdsOf(identifier);
    const exact = anyOf([
      sql`document_number = ${documentNumberIn(q)}`,
      ...persons.map((civilId) => sql<boolean>`civil_id = ${civilId}`),
    ]);
    return searched(devices, q, { exact, also, id }, part);
  }

  async function certificatesFound(
    { q, status }: { readonly q: string | null; readonly status: CertificateViewStatus | null },
    now: Date,
    part: ListPart,
  ): Promise<SnapshotKeys> {
    const also = status === null ? always : hasStatus(status, now);
    const id = String(status);
    if (q === null) return lists.keys(certificates, { id, where: also, by: 'walk' }, part);
    const identifier = readPersonIdentifier(q);
    const persons = identifier === null ? [] : await civilIdsOf(identifier);
    const exact = anyOf([
      sql`serial = ${serialIn(q)}`,
      sql`document_number = ${documentNumberIn(q)}`,
      ...persons.map((civilId) => sql<boolean>`civil_id = ${civilId}`),
      ...(await registersOf(q)).map((register) => sql<boolean>`register = ${register}`),
    ]);
    return searched(certificates, q, { exact, also, id }, part);
  }

  /** Every row of a citizen or a device, the latest first. */
  async function keysOf(table: ListedTable, where: Condition): Promise<readonly string[]> {
    const { rows: found } = await sql<{ key: string }>`
      select ${sql.ref(table.key)} as key from ${sql.table(table.table)} where ${where}
      order by ${sql.ref(table.time)} desc, ${sql.ref(table.key)} desc
    `.execute(database);
    return found.map(({ key }) => key);
  }

  const views: PeopleViews = {
    citizens: async (q, part) => {
      const found = await citizensFound(q, part);
      return filled(found, await rows.citizens(found.keys));
    },
    citizen: async (identifier) => {
      const [civilId] = await civilIdsOf(identifier);
      const [citizen] = civilId === undefined ? [] : await rows.citizens([civilId]);
      return citizen ?? null;
    },
    devices: async (filter, part) => {
      const found = await devicesFound(filter, part);
      return filled(found, await rows.devices(found.keys));
    },
    device: async (documentNumber) => {
      const [device] = await rows.devices([documentNumber]);
      return device ?? null;
    },
    devicesOf: async (civilId) => rows.devices(await keysOf(devices, sql`civil_id = ${civilId}`)),
    certificates: async (filter, now, part) => {
      const found = await certificatesFound(filter, now, part);
      return filled(found, await rows.certificates(found.keys, now));
    },
    certificatesOf: async (holder, now) => {
      const where =
        'civilId' in holder
          ? sql<boolean>`civil_id = ${holder.civilId}`
          : sql<boolean>`document_number = ${holder.documentNumber}`;
      return rows.certificates(await keysOf(certificates, where), now);
    },
  };
  return { ...views, certificateViews: rows.certificateViews, citizenViews: rows.citizens };
}

function isNamed(names: string): Condition {
  return sql`name_index @@ ${names}::tsquery`;
}

function anyOf(conditions: readonly Condition[]): Condition {
  return sql`${sql.join(conditions, sql` or `)}`;
}

/** SQL condition equivalent to `statusOf`. */
function hasStatus(status: CertificateViewStatus, now: Date): Condition {
  switch (status) {
    case 'EXPIRED':
      return sql`status = 'VALID' and not_after <= ${now}`;
    case 'VALID':
      return sql`status = 'VALID' and superseded_by is null and not_after > ${now}`;
    case 'SUPERSEDED':
      return sql`status = 'VALID' and superseded_by is not null and not_after > ${now}`;
    default:
      return sql`status = ${status}`;
  }
}

/** Document numbers are lower-case UUIDs. */
function documentNumberIn(q: string): string {
  return q.trim().toLowerCase();
}

/** Serials are written with colons or spaces between the bytes, too. */
function serialIn(q: string): string {
  return q.replaceAll(/[\s:]/g, '').toLowerCase();
}

/** Page of a list that is in memory as a whole. */
function pageOf(keys: readonly string[], { limit, offset }: ListPart): SnapshotKeys {
  return {
    keys: keys.slice(offset, offset + limit),
    total: keys.length,
    isTotalExact: true,
    snapshot: null,
  };
}

function filled<Item>(
  { total, isTotalExact, snapshot }: SnapshotKeys,
  items: readonly Item[],
): ListWithSnapshot<Item> {
  return { items, total, isTotalExact, snapshot };
}
