import type { Staleness } from '../../../application/ports/staleness.ts';
import type { ClearableCache } from '../../../application/followAggregate.ts';
import type { Loaded } from '../../../application/handleCommand.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import type {
  CertificateData,
  CitizenData,
  DeviceData,
  ReferenceData,
  OrganizationData,
  RelyingPartyData,
  RightData,
} from '../../../application/ports/referenceData.ts';
import { createAggregateCache } from '../../../infrastructure/system.ts';

/** A clock turned by hand. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

/** @param start the moment at which it stands; null: it goes, with the machine's until it is turned */
export function manualClock(start: string | null = '2026-06-01T00:00:00.000Z'): ManualClock {
  const began = start === null ? null : Date.parse(start);
  let turned = 0;
  return {
    now: () => new Date((began ?? Date.now()) + turned),
    advance: (ms) => {
      turned += ms;
    },
  };
}

export function memoryAggregateCache<State>(): ClearableCache<State> {
  return createAggregateCache<Loaded<State>>(1000);
}

/** Facts as lists that a test fills. */
export function memoryReferenceData(): ReferenceData & {
  readonly relyingParties: Map<string, RelyingPartyData & { readonly secretHash: string }>;
  readonly citizens: CitizenData[];
  readonly devices: DeviceData[];
  readonly certificates: CertificateData[];
  readonly organizations: OrganizationData[];
  readonly rights: RightData[];
} {
  const relyingParties = new Map<string, RelyingPartyData & { readonly secretHash: string }>();
  const citizens: CitizenData[] = [];
  const devices: DeviceData[] = [];
  const certificates: CertificateData[] = [];
  const organizations: OrganizationData[] = [];
  const rights: RightData[] = [];
  const found = <T>(value: T | undefined) => Promise.resolve(value ?? null);
  return {
    relyingParties,
    citizens,
    devices,
    certificates,
    organizations,
    rights,
    relyingPartyBySecretHash: (hash) =>
      found([...relyingParties.values()].find(({ secretHash }) => secretHash === hash)),
    relyingParty: (id) => found(relyingParties.get(id)),
    citizen: (identifier) =>
      found(
        citizens.find(({ civilId, identity }) =>
          identifier.type === 'civilId'
            ? civilId === identifier.civilId
            : identity.registrationNumber === identifier.registrationNumber,
        ),
      ),
    certificate: (serial) => found(certificates.find((each) => each.serial === serial)),
    device: (number) => found(devices.find(({ documentNumber }) => documentNumber === number)),
    organization: (register) => found(organizations.find((each) => each.register === register)),
    rightsOf: (civilId) => Promise.resolve(rights.filter((each) => each.civilId === civilId)),
    activeDevicesOf: (civilId) =>
      Promise.resolve(devices.filter((each) => each.active && each.civilId === civilId)),
  };
}

/** Read models that keep up with the log. */
export const neverStale: Staleness = {
  isStale: () => false,
  parked: () => new Set(),
  covers: () => true,
  reached: () => null,
  onLook: () => () => undefined,
};
