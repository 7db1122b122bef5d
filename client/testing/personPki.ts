import { X509Certificate } from 'node:crypto';
import { type Json, objectIn, textIn } from '../json.ts';
import type { Citizens, FakeCitizen } from './citizens.ts';
import { FakeProblem, type FakeRequest, type Handlers } from './exchange.ts';
import type { Organizations } from './organizations.ts';
import { firstText } from './phone.ts';
import type { KeptSession } from './sessions.ts';

/** Calls about a citizen's certificates, phones and sessions (contract §9); each citizen has one phone. */
export function personPkiHandlers({
  citizens,
  organizations,
  sessions,
  startedAt,
}: {
  readonly citizens: Citizens;
  readonly organizations: Pick<Organizations, 'countOf'>;
  readonly sessions: readonly KeptSession[];
  /** Time of the platform's start. */
  readonly startedAt: Date;
}): Handlers {
  const enrolledAt = startedAt.toISOString();

  function known(id: string): FakeCitizen {
    const found = citizens.find(id);
    if (found === undefined) throw new FakeProblem('PERSON_NOT_FOUND');
    return found;
  }

  const of = (citizen: FakeCitizen) =>
    sessions.filter(
      ({ citizen: asked, kind }) => asked === citizen && kind !== 'CERTIFICATE_CHOICE',
    );

  const counts = { valid: 2, revoked: 0, expired: 0, suspended: 0, total: 2 };

  function activityOf(citizen: FakeCitizen): Json {
    const number = (kind: string) => of(citizen).filter((each) => each.kind === kind).length;
    return { authentication: number('AUTHENTICATION'), signature: number('SIGNATURE') };
  }

  function summary(_: FakeRequest, [id = '']: readonly string[]): Json {
    const citizen = known(id);
    return {
      givenName: citizen.firstName,
      surname: citizen.lastName,
      certificates: counts,
      activity: activityOf(citizen),
      devicesActive: 1,
      devicesTotal: 1,
      representationCount: organizations.countOf(citizen),
    };
  }

  function certificates(_: FakeRequest, [id = '']: readonly string[]): Json {
    const citizen = known(id);
    const { etsi: personEtsi, documentNumber, level: certificateLevel } = citizen;
    const listed = (['AUTH', 'SIGN'] as const).map((type) => {
      const read = new X509Certificate(citizens.holderOf(citizen, type, null).certificate);
      return {
        documentNumber,
        type,
        serialNumber: read.serialNumber.toLowerCase(),
        certificateLevel,
        status: 'VALID',
        notBefore: read.validFromDate.toISOString(),
        notAfter: read.validToDate.toISOString(),
        issuerDn: read.issuer.replaceAll('\n', ', '),
      };
    });
    return { personEtsi, counts, certificates: listed };
  }

  function devices(_: FakeRequest, [id = '']: readonly string[]): Json {
    const { etsi: personEtsi, documentNumber } = known(id);
    const phone = { documentNumber, platform: 'FCM', enrolledAt, active: true };
    return {
      personEtsi,
      devices: [{ ...phone, deactivatedAt: null }],
      activeCount: 1,
      total: 1,
      snapshot: null,
    };
  }

  function activity({ query }: FakeRequest, [id = '']: readonly string[]): Json {
    const citizen = known(id);
    const { flow, limit = '20', offset = '0' } = query;
    const found = of(citizen).filter(({ kind }) => flow === undefined || kind === flow);
    const from = Number(offset);
    return {
      personEtsi: citizen.etsi,
      counts: activityOf(citizen),
      sessions: found
        .toReversed()
        .slice(from, from + Number(limit))
        .map((session) => ({
          sessionId: session.sessionId,
          flow: session.kind,
          outcome: outcomeOf(session),
          docText: firstText(session.request),
          timestamp: new Date(startedAt.getTime() + session.startedAt).toISOString(),
        })),
      total: found.length,
    };
  }

  return [
    [/^GET \/v3\/person\/summary\/etsi\/([^/]+)$/, summary],
    [/^GET \/v3\/certificates\/etsi\/([^/]+)$/, certificates],
    [/^GET \/v3\/devices\/etsi\/([^/]+)$/, devices],
    [/^GET \/v3\/rp\/activity\/etsi\/([^/]+)$/, activity],
  ];
}

function outcomeOf(session: KeptSession): string {
  return textIn(objectIn(session.polled(), 'result'), 'endResult') ?? 'RUNNING';
}
