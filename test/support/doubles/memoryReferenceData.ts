import type {
  CertificateData,
  CitizenData,
  DeviceData,
  OrganizationData,
  ReferenceData,
  RelyingPartyData,
  RightData,
} from '../../../application/ports/referenceData.ts';
import type { PersonalDataVault } from '../../../application/ports/personalDataVault.ts';
import type { StreamCategory } from '../../../domain/events.ts';
import { categoryOf, identifierOf } from '../../../domain/shared/streams.ts';
import { createLoggedClient } from '../../../projections/loggedClient.ts';
import { createLoggedRow } from '../../../projections/engine/loggedRow.ts';
import type { AnyReadModel } from '../../../projections/engine/readModel.ts';
import { type CitizenRow, citizensReadModel } from '../../../projections/models/citizens.ts';
import { type DeviceRow, devicesReadModel } from '../../../projections/models/devices.ts';
import {
  type RepresentationRow,
  representationsReadModel,
} from '../../../projections/models/representations.ts';
import {
  type RelyingPartyRow,
  relyingPartiesReadModel,
} from '../../../projections/models/relyingParties.ts';
import {
  createFactReferenceData,
  createFactSources,
  createShownFacts,
  type FactRows,
} from '../../../projections/referenceData.ts';
import type { MemoryEventStore } from './memoryEventStore.ts';

interface Log {
  readonly eventStore: MemoryEventStore;
  readonly vault: PersonalDataVault;
}

/** Rows of read models, folded from a log in memory when they are asked for. */
function memoryFactRows({ eventStore, vault }: Log): FactRows {
  const row = createLoggedRow(eventStore, vault);
  async function all<Row>(model: AnyReadModel, category: StreamCategory): Promise<readonly Row[]> {
    const streams = new Set(eventStore.events.map(({ stream }) => stream));
    const ids = [...streams].filter((stream) => categoryOf(stream) === category).map(identifierOf);
    const rows = await Promise.all(ids.map((id) => row<Row>(model, id)));
    return rows.filter((found) => found !== null).reverse();
  }
  return {
    row,
    ofSecret: async (secretHash) =>
      (await all<RelyingPartyRow>(relyingPartiesReadModel, 'relyingParty'))
        .filter(({ secret_hash }) => secret_hash === secretHash)
        .map(({ relying_party_id }) => relying_party_id),
    activeDevices: async (civilId) =>
      (await all<DeviceRow>(devicesReadModel, 'device'))
        .filter(({ civil_id, active }) => active && civil_id === civilId)
        .map(({ document_number }) => document_number),
    represented: async (civilId) =>
      (await all<RepresentationRow>(representationsReadModel, 'representation'))
        .filter(({ rights }) =>
          rights.some((right) => right.civilId === civilId && right.status === 'ACTIVE'),
        )
        .map(({ register }) => register),
    ofRegistrationIndex: async (index) =>
      (await all<CitizenRow>(citizensReadModel, 'citizen'))
        .filter(({ registration_index }) => registration_index === index)
        .map(({ civil_id }) => civil_id),
  };
}

/** Facts that a test writes down; those it has not are folded from the log, as the read models fold them. */
export interface MemoryReferenceData extends ReferenceData {
  readonly relyingParties: Map<string, RelyingPartyData & { readonly secretHash: string }>;
  readonly citizens: CitizenData[];
  readonly devices: DeviceData[];
  readonly certificates: CertificateData[];
  readonly organizations: OrganizationData[];
  readonly rights: RightData[];
}

export function memoryReferenceData(log: Log): MemoryReferenceData {
  const rows = memoryFactRows(log);
  const logged = createFactReferenceData(
    createShownFacts(
      createFactSources(rows, rows.row, log.vault, createLoggedClient(log.eventStore)),
    ),
    rows,
    log.vault,
  );
  const relyingParties: MemoryReferenceData['relyingParties'] = new Map();
  const citizens: CitizenData[] = [];
  const devices: DeviceData[] = [];
  const certificates: CertificateData[] = [];
  const organizations: OrganizationData[] = [];
  const rights: RightData[] = [];
  return {
    relyingParties,
    citizens,
    devices,
    certificates,
    organizations,
    rights,
    relyingPartyBySecretHash: async (hash) =>
      [...relyingParties.values()].find(({ secretHash }) => secretHash === hash) ??
      logged.relyingPartyBySecretHash(hash),
    relyingParty: async (id) => relyingParties.get(id) ?? logged.relyingParty(id),
    citizen: async (identifier) =>
      citizens.find(({ civilId, identity }) =>
        identifier.type === 'civilId'
          ? civilId === identifier.civilId
          : identity.registrationNumber === identifier.registrationNumber,
      ) ?? logged.citizen(identifier),
    certificate: async (serial) =>
      certificates.find((each) => each.serial === serial) ?? logged.certificate(serial),
    device: async (number) =>
      devices.find(({ documentNumber }) => documentNumber === number) ?? logged.device(number),
    organization: async (register) =>
      organizations.find((each) => each.register === register) ?? logged.organization(register),
    rightsOf: async (civilId, now) => [
      ...rights.filter((each) => each.civilId === civilId),
      ...(await logged.rightsOf(civilId, now)),
    ],
    activeDevicesOf: async (civilId) => [
      ...devices.filter((each) => each.active && each.civilId === civilId),
      ...(await logged.activeDevicesOf(civilId)),
    ],
  };
}
