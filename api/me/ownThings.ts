import type { ShownNotice } from '../../application/device/notices.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type {
  DeviceData,
  DeviceReferenceData,
  OrganizationReferenceData,
  RightData,
} from '../../application/ports/referenceData.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CertificateView, DeviceView, PeopleViews } from '../../projections/peopleViews.ts';
import type { OwnHistory, OwnHistoryReader } from './ownHistory.ts';

/** Content of a citizen's page, beside the consents. */
export interface Overview {
  readonly phones: readonly DeviceView[];
  readonly certificates: readonly CertificateView[];
  readonly rights: readonly RightData[];
  readonly notices: readonly ShownNotice[];
  readonly history: OwnHistory;
}

export interface OwnThingsDependencies {
  readonly people: Pick<PeopleViews, 'devicesOf' | 'certificatesOf'>;
  readonly ownHistory: OwnHistoryReader;
  readonly referenceData: Pick<DeviceReferenceData, 'activeDevicesOf'> &
    Pick<OrganizationReferenceData, 'rightsOf'>;
  readonly noticesOf: (phone: DeviceData) => Promise<readonly ShownNotice[]>;
  readonly clock: Clock;
}

/** Sessions on the page itself. */
const LATEST = 5;

/** Reads what belongs to one citizen; what belongs to another does not exist. */
export interface OwnThings {
  overview(civilId: string): Promise<Overview>;
  /** An active phone, and the citizen's other active ones. @throws Refusal DOCUMENT_NOT_FOUND */
  phone(
    civilId: string,
    documentNumber: string,
  ): Promise<{ readonly phone: DeviceView; readonly others: readonly DeviceView[] }>;
}

export function createOwnThings(dependencies: OwnThingsDependencies): OwnThings {
  const { people, ownHistory, referenceData, noticesOf, clock } = dependencies;

  /** Those of all the citizen's phones: each tells of the others. */
  async function notices(civilId: string): Promise<readonly ShownNotice[]> {
    const phones = await referenceData.activeDevicesOf(civilId);
    const found = (await Promise.all(phones.map(noticesOf))).flat();
    const byId = new Map(found.map((notice) => [notice.noticeId, notice]));
    return [...byId.values()].sort((one, other) => (one.givenAt < other.givenAt ? 1 : -1));
  }

  return {
    async overview(civilId) {
      const now = clock.now();
      const [phones, certificates, rights, news, latest] = await Promise.all([
        people.devicesOf(civilId),
        people.certificatesOf({ civilId }, now),
        referenceData.rightsOf(civilId, now),
        notices(civilId),
        ownHistory.history(civilId, 0, LATEST),
      ]);
      return { phones, certificates, rights, notices: news, history: latest };
    },
    async phone(civilId, documentNumber) {
      const active = (await people.devicesOf(civilId)).filter((each) => each.active);
      const phone = active.find((each) => each.documentNumber === documentNumber);
      if (phone === undefined) throw new Refusal('DOCUMENT_NOT_FOUND');
      return { phone, others: active.filter((each) => each !== phone) };
    },
  };
}
