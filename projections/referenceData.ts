import { type Kysely, type Selectable, sql } from 'kysely';
import type {
  CertificateData,
  CitizenData,
  DeviceData,
  OrganizationData,
  ReferenceData,
  RelyingPartyData,
  RightData,
} from '../application/ports/referenceData.ts';
import type { RegisteredOidcClient } from '../domain/oidcClient/oidcClient.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import type { Identity } from '../domain/citizen/events.ts';
import {
  type CitizenRow,
  citizensReadModel,
  type CitizenTable,
  registrationIndex,
} from './models/citizens.ts';
import { Unavailable } from '../application/ports/faults.ts';
import type { Facts, FactSource, FactSources } from '../application/ports/facts.ts';
import { toCertificateData } from './certificates.ts';
import type { Database } from './database.ts';
import type { LoggedClient } from './loggedClient.ts';
import type { LoggedRow } from './engine/loggedRow.ts';
import { type AnyReadModel, categoriesOf, records } from './engine/readModel.ts';
import { loadRows } from './engine/rows.ts';
import { type CertificateRow, certificatesReadModel } from './models/certificates.ts';
import { type DeviceRow, devicesReadModel } from './models/devices.ts';
import { oidcClientsReadModel } from './models/oidcClients.ts';
import { type OrganizationRow, organizationsReadModel } from './models/organizations.ts';
import { type RelyingPartyRow, relyingPartiesReadModel } from './models/relyingParties.ts';
import {
  type RepresentationRow,
  type RightRow,
  representationsReadModel,
} from './models/representations.ts';
import {
  createOrganizationList,
  type OrganizationList,
  rightsIn,
  toOrganizationData,
} from './organizations.ts';
import {
  createRelyingPartyList,
  type RelyingPartyList,
  toKnownRelyingParty,
} from './relyingParties.ts';

/** Facts that reference data is made of, by kind. */
export interface ReferenceFacts {
  readonly certificate: CertificateData;
  readonly citizen: CitizenData;
  readonly device: Omit<DeviceData, 'authentication' | 'signing'> & {
    readonly authenticationSerial: string;
    readonly signingSerial: string;
  };
  readonly organization: OrganizationData;
  /** Rights to represent an organization. */
  readonly representation: readonly RightRow[];
  readonly rp: RelyingPartyData & { readonly secretHash: string };
  readonly oidcClient: RegisteredOidcClient;
}

/** Queries of the tables that facts and searches need. */
export function createFactRows(database: Kysely<Database>) {
  return {
    row: async <Row>(model: AnyReadModel, id: string) =>
      ((await loadRows(database, model, model.table, [id])).get(id) as Row | undefined) ?? null,
    /** Ids of the relying parties with this secret. */
    async ofSecret(secretHash: string): Promise<readonly string[]> {
      const rows = await database
        .selectFrom('relying_party_view')
        .select('relying_party_id as id')
        .where('secret_hash', '=', secretHash)
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Document numbers of the citizen's active devices, the newest first. */
    async activeDevices(civilId: string): Promise<readonly string[]> {
      const rows = await database
        .selectFrom('device_view')
        .select('document_number as id')
        .where('civil_id', '=', civilId)
        .where('active', '=', true)
        .orderBy('enrolled_at', 'desc')
        .orderBy('document_number')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Registers of ACTIVE organizations in which the person has a right, whether in force or not. */
    async represented(civilId: string): Promise<readonly string[]> {
      const rows = await database
        .selectFrom('representation_view as r')
        .innerJoin('organization_view as o', 'o.register', 'r.register')
        .select('r.register as id')
        .where(sql<boolean>`r.rights @> ${JSON.stringify([{ civilId, status: 'ACTIVE' }])}::jsonb`)
        .where('o.status', '=', 'ACTIVE')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Civil ids of those enrolled with this registration number, the newest first. @param index blind */
    async ofRegistrationIndex(index: string): Promise<readonly string[]> {
      const rows = await database
        .selectFrom('citizen_view')
        .select('civil_id as id')
        .where('registration_index', '=', index)
        .orderBy('enrolled_at', 'desc')
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

export type FactRows = ReturnType<typeof createFactRows>;

const secretKey = (secretHash: string) => `secret ${secretHash}`;

/** Sources of facts: one row each, from its table or folded from the log; clients from the log alone. */
export function createFactSources(
  rows: Pick<FactRows, 'row'>,
  logged: LoggedRow,
  vault: PersonalDataVault,
  client: LoggedClient,
): FactSources<ReferenceFacts> {
  function source<Row, Value>(
    model: AnyReadModel,
    open: (row: Row) => Value | null | Promise<Value | null>,
  ): FactSource<Value> {
    const [category] = categoriesOf(model);
    if (category === undefined) throw new Error(`${model.name} is kept from no events.`);
    const opened = async (row: Row | null) => (row === null ? null : open(row));
    return {
      category,
      readModel: model.name,
      shown: async (id) => opened(await rows.row<Row>(model, id)),
      logged: async (id) => opened(await logged<Row>(model, id)),
    };
  }

  return {
    certificate: source(certificatesReadModel, (row: CertificateRow) =>
      toCertificateData(row, vault),
    ),
    device: source(devicesReadModel, (row: DeviceRow) => toKnownDevice(row)),
    organization: source(organizationsReadModel, (row: OrganizationRow) => toOrganizationData(row)),
    representation: source(representationsReadModel, ({ rights }: RepresentationRow) => rights),
    citizen: source(citizensReadModel, (row: CitizenRow) => openCitizen(row, vault)),
    rp: {
      ...source(relyingPartiesReadModel, (row: RelyingPartyRow) => toKnownRelyingParty(row)),
      keysOf: ({ data }) => ('secretHash' in data ? [secretKey(String(data.secretHash))] : []),
    },
    oidcClient: {
      category: 'oidcClient',
      readModel: oidcClientsReadModel.name,
      shown: client,
      logged: client,
    },
  };
}

const toKnownDevice = records([
  ...(['document_number', 'civil_id', 'active', 'platform'] as const),
  ...(['push_token', 'transport_key', 'authentication_serial', 'signing_serial'] as const),
]);

/** Reference data made of facts. */
export function createFactReferenceData(
  facts: Facts<ReferenceFacts>,
  rows: FactRows,
  vault: Pick<PersonalDataVault, 'blindIndex'>,
): ReferenceData {
  /** Shown once both its certificates are. */
  async function device(documentNumber: string): Promise<DeviceData | null> {
    const known = await facts.get('device', documentNumber);
    if (known === null) return null;
    const { authenticationSerial, signingSerial, ...device } = known;
    const [authentication, signing] = await Promise.all([
      facts.get('certificate', authenticationSerial),
      facts.get('certificate', signingSerial),
    ]);
    if (authentication === null || signing === null) return null;
    return { ...device, authentication, signing };
  }

  // Rights start and end with time, and are rarely needed: not remembered.
  async function rightOf(register: string, civilId: string, now: Date): Promise<RightData | null> {
    const [organization, rights] = await Promise.all([
      facts.get('organization', register),
      facts.read('representation', register),
    ]);
    if (organization?.status !== 'ACTIVE' || rights === null) return null;
    return rightsIn(rights, civilId, now, organization)[0] ?? null;
  }

  return {
    device,
    certificate: (serial) => facts.get('certificate', serial),
    organization: (register) => facts.get('organization', register),
    async activeDevicesOf(civilId) {
      const ids = await facts.list('citizen', civilId, 'device', () => rows.activeDevices(civilId));
      const devices = await Promise.all(ids.map(device));
      return devices.filter((each): each is DeviceData => each?.active === true);
    },
    async rightsOf(civilId, now) {
      const parked = facts.parked('organization', 'representation');
      const shown = new Set(await rows.represented(civilId));
      const registers = [...new Set([...shown, ...parked])].sort();
      const rights = await Promise.all(
        registers.map(async (register) => {
          try {
            return await rightOf(register, civilId, now);
          } catch (error) {
            const isUndecodable = error instanceof Unavailable && error.dependency === 'readModels';
            // Nobody gains a right by an event that cannot be read; one that is shown may have ended by it.
            if (shown.has(register) || !isUndecodable) throw error;
            return null;
          }
        }),
      );
      return rights.filter((right) => right !== null);
    },
    relyingPartyBySecretHash: (secretHash) =>
      facts.find(
        'rp',
        secretKey(secretHash),
        () => rows.ofSecret(secretHash),
        (party) => party.secretHash === secretHash,
      ),
    relyingParty: (id) => facts.get('rp', id),
    citizen(identifier) {
      if (identifier.type === 'civilId') return facts.get('citizen', identifier.civilId);
      const number = identifier.registrationNumber.toLowerCase();
      return facts.find(
        'citizen',
        `registrationNumber ${number}`,
        () => rows.ofRegistrationIndex(registrationIndex(vault, number)),
        ({ identity }) => identity.registrationNumber.toLowerCase() === number,
      );
    },
  };
}

/** Facts read from the tables on every call, however old they are. */
export function createShownFacts(sources: FactSources<ReferenceFacts>): Facts<ReferenceFacts> {
  return {
    get: (kind, id) => sources[kind].shown(id),
    read: (kind, id) => sources[kind].shown(id),
    list: (_kind, _id, _of, search) => search(),
    parked: () => new Set(),
    async find(kind, _key, search) {
      for (const id of await search()) {
        const value = await sources[kind].shown(id);
        if (value !== null) return value;
      }
      return null;
    },
  };
}

/** Reference data read from the tables on every call. */
export function createReferenceData(
  database: Kysely<Database>,
  vault: PersonalDataVault,
): ReferenceData & RelyingPartyList & OrganizationList {
  const rows = createFactRows(database);
  const never = () => Promise.reject(new Error('The log is not asked.'));
  return {
    ...createFactReferenceData(
      createShownFacts(createFactSources(rows, never, vault, never)),
      rows,
      vault,
    ),
    ...createRelyingPartyList(database),
    ...createOrganizationList(database),
  };
}

/** A citizen's row, opened; null for a forgotten person. */
async function openCitizen(
  row: Pick<Selectable<CitizenTable>, 'civil_id' | 'identity'>,
  vault: PersonalDataVault,
): Promise<CitizenData | null> {
  if (row.identity === null) return null;
  const opened = await vault.decrypt(row.civil_id, row.identity);
  if (opened === null) return null;
  return { civilId: row.civil_id, identity: JSON.parse(opened) as Identity };
}
