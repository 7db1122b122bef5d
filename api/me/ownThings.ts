import type { ShownNotice } from '../../application/device/notices.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type {
  DeviceData,
  DeviceReferenceData,
  OrganizationReferenceData,
  RelyingPartyReferenceData,
  RightData,
} from '../../application/ports/referenceData.ts';
import type { Sessions } from '../../application/session/sessions.ts';
import { citizenOf, type StartedSession } from '../../domain/session/session.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CertificateView, DeviceView, PeopleViews } from '../../projections/peopleViews.ts';
import type { createSessionList, ListedSession } from '../../projections/sessionList.ts';

/** A session with the name of the relying party that asked. */
export interface OwnSession extends ListedSession {
  readonly askedBy: string;
}

/** Sessions of one page of the history, the latest first. */
export interface OwnHistory {
  readonly sessions: readonly OwnSession[];
  readonly offset: number;
  readonly hasOlder: boolean;
}

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
  readonly sessionList: ReturnType<typeof createSessionList>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly referenceData: Pick<DeviceReferenceData, 'activeDevicesOf'> &
    Pick<OrganizationReferenceData, 'rightsOf'> &
    Pick<RelyingPartyReferenceData, 'relyingParty'>;
  readonly noticesOf: (phone: DeviceData) => Promise<readonly ShownNotice[]>;
  readonly clock: Clock;
}

/** Sessions on the page itself, and on one page of the history. */
const LATEST = 5;
export const HISTORY_PAGE = 20;

/** Reads what belongs to one citizen; what belongs to another does not exist. */
export interface OwnThings {
  overview(civilId: string): Promise<Overview>;
  history(civilId: string, offset: number): Promise<OwnHistory>;
  /** @throws Refusal SESSION_NOT_FOUND */
  session(
    civilId: string,
    sessionId: string,
  ): Promise<{ readonly session: StartedSession; readonly askedBy: string }>;
  /** An active phone, and the citizen's other active ones. @throws Refusal DOCUMENT_NOT_FOUND */
  phone(
    civilId: string,
    documentNumber: string,
  ): Promise<{ readonly phone: DeviceView; readonly others: readonly DeviceView[] }>;
}

export function createOwnThings(dependencies: OwnThingsDependencies): OwnThings {
  const { people, sessionList, sessions, referenceData, noticesOf, clock } = dependencies;

  async function nameOfParty(id: string): Promise<string> {
    return (await referenceData.relyingParty(id))?.name ?? id;
  }

  async function named(listed: readonly ListedSession[]): Promise<readonly OwnSession[]> {
    const ids = [...new Set(listed.map(({ relyingPartyUUID }) => relyingPartyUUID))];
    const names = new Map(
      await Promise.all(ids.map(async (id) => [id, await nameOfParty(id)] as const)),
    );
    return listed.map((one) => ({ ...one, askedBy: names.get(one.relyingPartyUUID) ?? '' }));
  }

  async function history(civilId: string, offset: number, limit: number): Promise<OwnHistory> {
    const anything = { sessionId: null, relyingParty: null, kind: null, flow: null };
    const ever = { outcome: null, from: null, to: null };
    const { items } = await sessionList.sessions(
      { ...anything, ...ever, of: { civilIds: [civilId], relyingParties: [] } },
      { limit: limit + 1, offset, upTo: null },
    );
    return {
      sessions: await named(items.slice(0, limit)),
      offset,
      hasOlder: items.length > limit,
    };
  }

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
        history(civilId, 0, LATEST),
      ]);
      return { phones, certificates, rights, notices: news, history: latest };
    },
    history: (civilId, offset) => history(civilId, offset, HISTORY_PAGE),
    async session(civilId, sessionId) {
      // Another process may have completed it.
      const trusts = ({ status }: { readonly status: string }) => status === 'COMPLETE';
      const { state } = await sessions.load(sessionId, { trusts });
      if (state.status === 'NONE' || citizenOf(state) !== civilId) {
        throw new Refusal('SESSION_NOT_FOUND');
      }
      return { session: state, askedBy: await nameOfParty(state.started.relyingPartyId) };
    },
    async phone(civilId, documentNumber) {
      const active = (await people.devicesOf(civilId)).filter((each) => each.active);
      const phone = active.find((each) => each.documentNumber === documentNumber);
      if (phone === undefined) throw new Refusal('DOCUMENT_NOT_FOUND');
      return { phone, others: active.filter((each) => each !== phone) };
    },
  };
}
