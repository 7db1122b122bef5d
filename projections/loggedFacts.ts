import type {
  CertificateStatus,
  CertificateStatuses,
  UnavailableStatus,
} from '../application/certificate/ports/certificateStatuses.ts';
import { Unavailable } from '../application/ports/faults.ts';
import type { EventStore, RecordedEvent } from '../application/ports/eventStore.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import type {
  CertificateData,
  CitizenData,
  DeviceData,
  OrganizationData,
  RelyingPartyData,
  RightData,
} from '../application/ports/referenceData.ts';
import { streamOf } from '../domain/shared/streams.ts';
import { toCertificateData } from './certificates.ts';
import { openCitizen } from './citizens.ts';
import { toDeviceData } from './devices.ts';
import { type AnyReadModel, categoriesOf, foldBatch } from './engine/readModel.ts';
import { type CertificateRow, certificatesReadModel } from './models/certificates.ts';
import { type CitizenRow, citizensReadModel } from './models/citizens.ts';
import { type DeviceRow, devicesReadModel } from './models/devices.ts';
import { type OrganizationRow, organizationsReadModel } from './models/organizations.ts';
import { type RelyingPartyRow, relyingPartiesReadModel } from './models/relyingParties.ts';
import { type RepresentationRow, representationsReadModel } from './models/representations.ts';
import { rightsIn, toOrganizationData } from './organizations.ts';
import { toRelyingPartyData } from './relyingParties.ts';

export interface LoggedFactsOptions {
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly vault: PersonalDataVault;
}

/** Reference data of single things, read from their streams and folded as the read models fold them. */
export interface LoggedFacts extends CertificateStatuses {
  relyingParty(id: string): Promise<(RelyingPartyData & { readonly secretHash: string }) | null>;
  citizen(civilId: string): Promise<CitizenData | null>;
  certificate(serial: string): Promise<CertificateData | null>;
  device(documentNumber: string): Promise<DeviceData | null>;
  organization(register: string): Promise<OrganizationData | null>;
  rightOf(register: string, civilId: string, now: Date): Promise<RightData | null>;
}

/** @throws Unavailable from every query; of readModels: an event of it cannot be decoded or folded */
export function createLoggedFacts({ eventStore, vault }: LoggedFactsOptions): LoggedFacts {
  async function rowOf<Row>(model: AnyReadModel, id: string): Promise<Row | null> {
    const [category] = categoriesOf(model);
    if (category === undefined) return null;
    try {
      const events: RecordedEvent[] = [];
      for await (const event of eventStore.read(streamOf(category, id))) events.push(event);
      const changes = await foldBatch(model, events, () => Promise.resolve(new Map()), vault);
      return (changes.get(id)?.after as Row | undefined) ?? null;
    } catch (error) {
      throw error instanceof Unavailable ? error : new Unavailable('readModels', error);
    }
  }

  const certificateRow = (serial: string) => rowOf<CertificateRow>(certificatesReadModel, serial);

  async function certificate(serial: string): Promise<CertificateData | null> {
    const row = await certificateRow(serial);
    if (row === null) return null;
    const { not_before: from, not_after: to, revoked_at: revokedAt } = row;
    return toCertificateData(
      {
        ...row,
        not_before: new Date(from),
        not_after: new Date(to),
        revoked_at: revokedAt === null ? null : new Date(revokedAt),
      },
      vault,
    );
  }

  async function statusOf(
    serial: string,
  ): Promise<readonly (CertificateStatus | UnavailableStatus)[]> {
    try {
      const row = await certificateRow(serial);
      if (row === null || row.status === 'REQUESTED') return [];
      const { authority, revocation_reason: reason, revoked_at: at } = row;
      const revocation = at === null ? null : { reason: Number(reason ?? 0n), at: new Date(at) };
      return [{ serial, authority, revocation }];
    } catch (error) {
      if (error instanceof Unavailable) return [{ serial, unavailable: error }];
      throw error;
    }
  }

  async function organization(register: string): Promise<OrganizationData | null> {
    const row = await rowOf<OrganizationRow>(organizationsReadModel, register);
    return row === null ? null : toOrganizationData(row);
  }

  return {
    certificate,
    organization,
    statuses: async (serials) => (await Promise.all(serials.map(statusOf))).flat(),
    async relyingParty(id) {
      const row = await rowOf<RelyingPartyRow>(relyingPartiesReadModel, id);
      return row === null ? null : { ...toRelyingPartyData(row), secretHash: row.secret_hash };
    },
    async citizen(civilId) {
      const row = await rowOf<CitizenRow>(citizensReadModel, civilId);
      return row === null ? null : openCitizen(row, vault);
    },
    async device(documentNumber) {
      const row = await rowOf<DeviceRow>(devicesReadModel, documentNumber);
      if (row === null) return null;
      const [authentication, signing] = await Promise.all([
        certificate(row.authentication_serial),
        certificate(row.signing_serial),
      ]);
      if (authentication === null || signing === null) return null;
      return toDeviceData(row, authentication, signing);
    },
    async rightOf(register, civilId, now) {
      const [found, row] = await Promise.all([
        organization(register),
        rowOf<RepresentationRow>(representationsReadModel, register),
      ]);
      if (found?.status !== 'ACTIVE' || row === null) return null;
      return rightsIn(row.rights, civilId, now, found)[0] ?? null;
    },
  };
}
