import type {
  CertificateStatuses,
  UnavailableStatus,
} from '../application/certificate/ports/certificateStatuses.ts';
import { Unavailable } from '../application/ports/faults.ts';
import type { RecentChanges } from '../application/ports/recentChanges.ts';
import type { DeviceData, ReferenceData, RightData } from '../application/ports/referenceData.ts';
import type { Staleness } from '../application/ports/staleness.ts';
import type { LoggedFacts } from './loggedFacts.ts';
import { certificatesReadModel } from './models/certificates.ts';
import { citizensReadModel } from './models/citizens.ts';
import { devicesReadModel } from './models/devices.ts';
import { organizationsReadModel } from './models/organizations.ts';
import { relyingPartiesReadModel } from './models/relyingParties.ts';
import { representationsReadModel } from './models/representations.ts';

export interface CurrentFactsOptions {
  readonly logged: LoggedFacts;
  readonly recent: RecentChanges;
  readonly staleness: Pick<Staleness, 'isStale' | 'parked'>;
}

const { name: relyingParties } = relyingPartiesReadModel;
const { name: citizens } = citizensReadModel;
const { name: certificates } = certificatesReadModel;
const { name: devices } = devicesReadModel;
const { name: organizations } = organizationsReadModel;
const { name: representations } = representationsReadModel;

/**
 * Reference data within the staleness bound: from the read models while they are current; from the log for stale read
 * models, recent changes and parked rows. Refuses queries without a stream (searches) while the read model is stale or
 * has parked rows.
 *
 * @throws Unavailable(readModels) from every query
 */
export function createCurrentReferenceData(
  shown: ReferenceData,
  { logged, recent, staleness }: CurrentFactsOptions,
): ReferenceData {
  const isStale = (...models: readonly string[]) => models.some((name) => staleness.isStale(name));
  const isParked = (model: string, id: string) => staleness.parked(model).has(id);
  const isRowOld = (model: string, id: string) => isStale(model) || isParked(model, id);
  const isPartyOld = (id: string) => isRowOld(relyingParties, id) || recent.has('rp', id);
  const isCertificateOld = (serial: string) =>
    isRowOld(certificates, serial) || recent.has('certificate', serial);
  const isDeviceOld = ({ documentNumber, authentication, signing }: DeviceData) =>
    isRowOld(devices, documentNumber) ||
    recent.has('device', documentNumber) ||
    isCertificateOld(authentication.serial) ||
    isCertificateOld(signing.serial);

  /** Empty result of a search. @throws Unavailable when a read model is stale or has parked rows */
  function notFound(...models: readonly string[]): null {
    if (models.some((name) => isStale(name) || staleness.parked(name).size > 0)) {
      throw new Unavailable('readModels');
    }
    return null;
  }

  /**
   * The right to represent an organization that has a parked event. When its log cannot be decoded, no right is granted
   * that was not shown before.
   *
   * @throws Unavailable when a shown right may have ended
   */
  async function loggedRight(
    register: string,
    civilId: string,
    now: Date,
    shownRights: readonly RightData[],
  ): Promise<RightData | null> {
    try {
      return await logged.rightOf(register, civilId, now);
    } catch (error) {
      const isShown = shownRights.some(({ organization }) => organization.register === register);
      const isUndecodable = error instanceof Unavailable && error.dependency === 'readModels';
      if (isShown || !isUndecodable) throw error;
      return null;
    }
  }

  return {
    async relyingPartyBySecretHash(secretHash) {
      const found = await shown.relyingPartyBySecretHash(secretHash);
      const id = found?.relyingPartyId ?? recent.relyingPartyOf(secretHash);
      if (id === undefined) return notFound(relyingParties);
      if (found !== null && !isPartyOld(id)) return found;
      const party = await logged.relyingParty(id);
      return party?.secretHash === secretHash ? party : null;
    },
    relyingParty: (id) => (isPartyOld(id) ? logged.relyingParty(id) : shown.relyingParty(id)),
    async citizen(identifier) {
      if (identifier.type === 'civilId' && isRowOld(citizens, identifier.civilId)) {
        return logged.citizen(identifier.civilId);
      }
      const found = await shown.citizen(identifier);
      if (found === null) return identifier.type === 'civilId' ? null : notFound(citizens);
      return isRowOld(citizens, found.civilId) ? logged.citizen(found.civilId) : found;
    },
    certificate: (serial) =>
      isCertificateOld(serial) ? logged.certificate(serial) : shown.certificate(serial),
    async device(documentNumber) {
      const found = isStale(devices, certificates) ? null : await shown.device(documentNumber);
      if (found !== null) return isDeviceOld(found) ? logged.device(documentNumber) : found;
      const isAbsent =
        !isRowOld(devices, documentNumber) &&
        !isStale(certificates) &&
        staleness.parked(certificates).size === 0;
      return isAbsent ? null : logged.device(documentNumber);
    },
    async activeDevicesOf(civilId) {
      const found = await shown.activeDevicesOf(civilId);
      if (found.length === 0) notFound(devices, certificates);
      const current = await Promise.all(
        found.map(async (each) =>
          isDeviceOld(each) ? await logged.device(each.documentNumber) : each,
        ),
      );
      return current.filter((each): each is DeviceData => each?.active === true);
    },
    organization: (register) =>
      isRowOld(organizations, register)
        ? logged.organization(register)
        : shown.organization(register),
    async rightsOf(civilId, now) {
      if (isStale(organizations, representations)) throw new Unavailable('readModels');
      const rights = await shown.rightsOf(civilId, now);
      const parked = new Set([
        ...staleness.parked(organizations),
        ...staleness.parked(representations),
      ]);
      const present = rights.filter(({ organization: { register } }) => !parked.has(register));
      const ofParked = await Promise.all(
        [...parked].map((register) => loggedRight(register, civilId, now, rights)),
      );
      return [...present, ...ofParked.filter((right) => right !== null)].sort((one, other) =>
        one.organization.register < other.organization.register ? -1 : 1,
      );
    },
    rightOf: (register, civilId, now) =>
      isRowOld(organizations, register) || isRowOld(representations, register)
        ? logged.rightOf(register, civilId, now)
        : shown.rightOf(register, civilId, now),
  };
}

/**
 * Statuses for OCSP: from the log for recent changes and parked rows, otherwise from the read model while it is
 * current.
 */
export function createCurrentStatuses(
  shown: CertificateStatuses,
  { logged, recent, staleness }: CurrentFactsOptions,
): CertificateStatuses {
  async function statusesShown(serials: readonly string[]) {
    if (serials.length === 0) return [];
    if (!staleness.isStale(certificates)) return shown.statuses(serials);
    const unavailable = new Unavailable('readModels');
    return serials.map((serial): UnavailableStatus => ({ serial, unavailable }));
  }

  return {
    async statuses(serials) {
      const parked = staleness.parked(certificates);
      const isOld = (serial: string) => parked.has(serial) || recent.has('certificate', serial);
      const [read, followed] = await Promise.all([
        statusesShown(serials.filter((serial) => !isOld(serial))),
        logged.statuses(serials.filter(isOld)),
      ]);
      return [...read, ...followed];
    },
  };
}
