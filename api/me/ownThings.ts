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
  /** A phone, ended ones too; null: not one of the citizen's. */
  phoneOf(civilId: string, documentNumber: string): Promise<DeviceView | null>;
  /** An active phone, and the citizen's other active ones. @throws Refusal DOCUMENT_NOT_FOUND */
  phone(
    civilId: string,
    documentNumber: string,
  ): Promise<{ readonly phone: DeviceView; readonly others: readonly DeviceView[] }>;
}

export function createOwnThings(dependencies: OwnThingsDependencies): OwnThings {
  const { people, ownHistory, referenceData, noticesOf, clock } = dependencies;

  /** Those of all the citizen's phones; of two that tell of each other, the older one's, which tells of the new one. */
  async function notices(civilId: string): Promise<readonly ShownNotice[]> {
    const [active, phones] = await Promise.all([
      referenceData.activeDevicesOf(civilId),
      people.devicesOf(civilId),
    ]);
    const setUpAt = new Map(phones.map((each) => [each.documentNumber, each.enrolledAt]));
    const told = active.map(async (phone) => {
      const own = setUpAt.get(phone.documentNumber) ?? '';
      return (await noticesOf(phone)).filter(({ device }) => !device || device.enrolledAt >= own);
    });
    const found = (await Promise.all(told)).flat();
    const byFact = new Map(
      found.map((notice) => [notice.device?.documentNumber ?? notice.noticeId, notice]),
    );
    return [...byFact.values()].sort((one, other) => (one.givenAt < other.givenAt ? 1 : -1));
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
    async phoneOf(civilId, documentNumber) {
      const phones = await people.devicesOf(civilId);
      return phones.find((each) => each.documentNumber === documentNumber) ?? null;
    },
    async phone(civilId, documentNumber) {
      const active = (await people.devicesOf(civilId)).filter((each) => each.active);
      const phone = active.find((each) => each.documentNumber === documentNumber);
      if (phone === undefined) throw new Refusal('DOCUMENT_NOT_FOUND');
      return { phone, others: active.filter((each) => each !== phone) };
    },
  };
}
