import type { Kysely } from 'kysely';
import type {
  CertificateView,
  CertificateViewStatus,
  CitizenView,
  DeviceView,
  HolderView,
  OwnerView,
} from './peopleViews.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import { forgottenIdentity, type Identity } from '../domain/citizen/events.ts';
import { organizationEtsi, personEtsi } from '../domain/shared/etsi.ts';
import { FORGOTTEN } from '../domain/shared/personalData.ts';
import { type CertificateRow, certificatesReadModel } from './models/certificates.ts';
import { type CitizenRow, citizensReadModel } from './models/citizens.ts';
import { type DeviceRow, devicesReadModel } from './models/devices.ts';
import { type OrganizationRow, organizationsReadModel } from './models/organizations.ts';
import type { Database } from './database.ts';
import { type AnyReadModel, records } from './engine/readModel.ts';
import { loadRows } from './engine/rows.ts';

const toCitizen = records(['civil_id', 'enrolled_at']);
const toDevice = records([
  ...(['document_number', 'platform', 'active', 'authentication_serial'] as const),
  ...(['signing_serial', 'enrolled_at', 'deactivated_at'] as const),
]);
const toCertificate = records([
  ...(['serial', 'type', 'level', 'key_type', 'authority', 'issuer', 'not_before'] as const),
  ...(['not_after', 'fingerprint', 'revocation_reason', 'revoked_at', 'superseded_by'] as const),
]);

type Dependencies = {
  readonly database: Kysely<Database>;
  readonly vault: Pick<PersonalDataVault, 'decrypt'>;
};

/** Rows of the read models, as operators see them. */
export function createPeopleRows({ database, vault }: Dependencies) {
  /** In the order of the keys; without those there are none of. */
  async function rowsOf<Row>(
    model: AnyReadModel,
    keys: readonly string[],
  ): Promise<readonly Row[]> {
    const rows = await loadRows(database, model, model.table, keys);
    return keys.flatMap((key) => (rows.get(key) as Row | undefined) ?? []);
  }

  async function identityOf({ civil_id: civilId, identity }: CitizenRow): Promise<Identity | null> {
    const opened = identity === null ? null : await vault.decrypt(civilId, identity);
    return opened === null ? null : (JSON.parse(opened) as Identity);
  }

  /** Persons among these who are not forgotten, by civil id. */
  async function identities(civilIds: readonly string[]): Promise<ReadonlyMap<string, Identity>> {
    const rows = await rowsOf<CitizenRow>(citizensReadModel, [...new Set(civilIds)]);
    const found = new Map<string, Identity>();
    await Promise.all(
      rows.map(async (row) => {
        const identity = await identityOf(row);
        if (identity !== null) found.set(row.civil_id, identity);
      }),
    );
    return found;
  }

  async function organizationNames(registers: readonly string[]) {
    const rows = await rowsOf<OrganizationRow>(organizationsReadModel, [...new Set(registers)]);
    return new Map(rows.map(({ register, name }) => [register, name]));
  }

  /** Views of rows of any source. @param now decides what has expired */
  async function certificateViews(
    rows: readonly CertificateRow[],
    now: Date,
  ): Promise<readonly CertificateView[]> {
    const [owners, organizations] = await Promise.all([
      identities(rows.flatMap((row) => row.civil_id ?? [])),
      organizationNames(rows.flatMap((row) => row.register ?? [])),
    ]);
    return rows.map((row) => certificateView(row, holderOf(row, owners, organizations), now));
  }

  return {
    async citizens(civilIds: readonly string[]): Promise<readonly CitizenView[]> {
      const rows = await rowsOf<CitizenRow>(citizensReadModel, civilIds);
      return Promise.all(rows.map(async (row) => citizenView(row, await identityOf(row))));
    },

    async devices(documentNumbers: readonly string[]): Promise<readonly DeviceView[]> {
      const rows = await rowsOf<DeviceRow>(devicesReadModel, documentNumbers);
      const owners = await identities(rows.map((row) => row.civil_id));
      return rows.map((row) => deviceView(row, owners));
    },

    async certificates(serials: readonly string[], now: Date): Promise<readonly CertificateView[]> {
      return certificateViews(await rowsOf<CertificateRow>(certificatesReadModel, serials), now);
    },

    certificateViews,
  };
}

function citizenView(row: CitizenRow, known: Identity | null): CitizenView {
  const identity = known ?? forgottenIdentity;
  return {
    ...toCitizen(row),
    etsi: personEtsi(row.civil_id),
    regNo: identity.registrationNumber,
    firstName: identity.givenName,
    lastName: identity.surname,
    familyName: identity.familyName,
    firstNameEn: identity.givenNameLatin,
    lastNameEn: identity.surnameLatin,
    birthDate: identity.birthDate,
    gender: identity.gender,
    geID: identity.geId,
    forgotten: known === null,
  };
}

function ownerView(civilId: string, owners: ReadonlyMap<string, Identity>): OwnerView {
  const identity = owners.get(civilId);
  const name = identity === undefined ? FORGOTTEN : `${identity.surname} ${identity.givenName}`;
  return { etsi: personEtsi(civilId), name };
}

function deviceView(row: DeviceRow, owners: ReadonlyMap<string, Identity>): DeviceView {
  const owner = ownerView(row.civil_id, owners);
  return { ...toDevice(row), owner, reachedByPush: row.push_token !== null };
}

function holderOf(
  row: CertificateRow,
  owners: ReadonlyMap<string, Identity>,
  organizations: ReadonlyMap<string, string>,
): HolderView {
  const { purpose, register } = row;
  if (purpose !== null) return { kind: 'service', purpose };
  if (register !== null) {
    const name = organizations.get(register) ?? register;
    return { kind: 'organization', etsi: organizationEtsi(register), name };
  }
  const owner = ownerView(row.civil_id ?? '', owners);
  return { kind: 'citizen', ...owner, documentNumber: row.document_number ?? '' };
}

function certificateView(row: CertificateRow, holder: HolderView, now: Date): CertificateView {
  const { issuer: issuerDn, ...record } = toCertificate(row);
  return { ...record, issuerDn, status: statusOf(row, now.toISOString()), holder };
}

/** Status of a row, equivalent to {@link hasStatus} in SQL. @param now ISO 8601 */
function statusOf(row: CertificateRow, now: string): CertificateViewStatus {
  if (row.status !== 'VALID') return row.status;
  if (row.not_after <= now) return 'EXPIRED';
  return row.superseded_by === null ? 'VALID' : 'SUPERSEDED';
}
