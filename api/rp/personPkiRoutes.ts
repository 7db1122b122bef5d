import { z } from 'zod';
import type { Clock } from '../../application/ports/clock.ts';
import type {
  CitizenData,
  CitizenReferenceData,
  OrganizationReferenceData,
  RelyingPartyReferenceData,
} from '../../application/ports/referenceData.ts';
import type {
  ActivityFlow,
  PersonCertificate,
  PersonDevice,
  PersonPki,
  PersonSession,
} from '../../projections/personPki.ts';
import type { Sessions } from '../../application/session/sessions.ts';
import { parsePersonIdentifier, personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { type Route, route, rpApi } from '../http/route.ts';
import { snapshotText, rowSnapshot } from '../schemas/listSnapshots.ts';
import { relyingPartyGuard } from './guard.ts';
import {
  activityAnswer,
  certificatesAnswer,
  devicesAnswer,
  summaryAnswer,
} from './personPkiAnswers.ts';

export interface PersonPkiApi {
  readonly referenceData: RelyingPartyReferenceData &
    CitizenReferenceData &
    OrganizationReferenceData;
  readonly personPki: PersonPki;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly clock: Clock;
}

const params = z.object({ etsi: z.string() });
const count = (otherwise: number, maximum: number) =>
  z.coerce.number().int().min(0).max(maximum).default(otherwise);
const activityQuery = z.object({
  limit: count(20, 100),
  offset: count(0, 1_000_000),
  snapshot: rowSnapshot,
  flow: z
    .enum(['AUTHENTICATION', 'SIGNATURE', ''])
    .optional()
    .transform((flow): ActivityFlow | null => flow || null),
});

/** Person PKI panel (contract §9). */
export function personPkiRoutes(api: PersonPkiApi): readonly Route[] {
  const { referenceData, personPki, clock } = api;
  const common = {
    method: 'GET',
    listedUnder: rpApi,
    guard: relyingPartyGuard(referenceData, 'PKI_READ'),
    params,
    // Nobody asked the person.
    discloses: true,
  } as const;

  async function person({ etsi }: z.output<typeof params>): Promise<CitizenData> {
    const citizen = await referenceData.citizen(parsePersonIdentifier(etsi, '#/path/etsi'));
    if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
    return citizen;
  }

  return [
    route({
      ...common,
      name: 'personSummary',
      summary: "Get a summary of a person's PKI",
      path: '/v3/person/summary/etsi/:etsi',
      response: { 200: summaryAnswer },
      handle: async ({ principal: { relyingPartyId }, params: address }) => {
        const { civilId, identity } = await person(address);
        const now = clock.now();
        const [certificates, activity, devices, rights] = await Promise.all([
          personPki.personCertificates(civilId, now),
          personPki.countSessions({ civilId, relyingPartyId, flow: null }),
          personPki.personDevices(civilId),
          referenceData.rightsOf(civilId, now),
        ]);
        return {
          about: personEtsi(civilId),
          body: {
            givenName: identity.givenName,
            surname: identity.surname,
            certificates: countsOf(certificates),
            activity: activityCounts(activity),
            devicesActive: activeCount(devices),
            devicesTotal: devices.length,
            representationCount: rights.length,
          },
        };
      },
    }),
    route({
      ...common,
      name: 'personCertificates',
      summary: "List a person's certificates",
      path: '/v3/certificates/etsi/:etsi',
      response: { 200: certificatesAnswer },
      handle: async ({ params: address }) => {
        const { civilId } = await person(address);
        const certificates = await personPki.personCertificates(civilId, clock.now());
        return {
          about: personEtsi(civilId),
          body: {
            personEtsi: personEtsi(civilId),
            counts: countsOf(certificates),
            certificates: certificates.map(certificateBody),
          },
        };
      },
    }),
    route({
      ...common,
      name: 'personDevices',
      summary: "List a person's phones",
      path: '/v3/devices/etsi/:etsi',
      response: { 200: devicesAnswer },
      handle: async ({ params: address }) => {
        const { civilId } = await person(address);
        const devices = await personPki.personDevices(civilId);
        return {
          about: personEtsi(civilId),
          body: {
            personEtsi: personEtsi(civilId),
            devices,
            activeCount: activeCount(devices),
            total: devices.length,
          },
        };
      },
    }),
    route({
      ...common,
      name: 'personActivity',
      summary: "List this relying party's own sessions with a person",
      path: '/v3/rp/activity/etsi/:etsi',
      query: activityQuery,
      response: { 200: activityAnswer },
      handle: async ({ principal: { relyingPartyId }, params: address, query }) => {
        const { civilId } = await person(address);
        const filter = { civilId, relyingPartyId, flow: query.flow };
        const [counts, found] = await Promise.all([
          personPki.countSessions(filter),
          personPki.personSessions(filter, query),
        ]);
        const sessions = await Promise.all(
          found.sessions.map((session) => sessionBody(api, session)),
        );
        return {
          about: personEtsi(civilId),
          body: {
            personEtsi: personEtsi(civilId),
            counts: activityCounts(counts),
            sessions,
            total: counts.AUTHENTICATION + counts.SIGNATURE,
            snapshot: snapshotText(found.snapshot),
          },
        };
      },
    }),
  ];
}

function activityCounts(counts: Readonly<Record<ActivityFlow, number>>) {
  return { authentication: counts.AUTHENTICATION, signature: counts.SIGNATURE };
}

function countsOf(certificates: readonly PersonCertificate[]) {
  const having = (wanted: PersonCertificate['status']) =>
    certificates.filter(({ status }) => status === wanted).length;
  return {
    valid: having('VALID'),
    revoked: having('REVOKED'),
    expired: having('EXPIRED'),
    suspended: having('SUSPENDED'),
    total: certificates.length,
  };
}

function activeCount(devices: readonly PersonDevice[]): number {
  return devices.filter(({ active }) => active).length;
}

function certificateBody({
  serial: serialNumber,
  level: certificateLevel,
  issuer: issuerDn,
  ...certificate
}: PersonCertificate): object {
  return { ...certificate, serialNumber, certificateLevel, issuerDn };
}

/** Session of the panel. The text shown is only in the log, sealed with the person's data key. */
async function sessionBody(
  { sessions }: Pick<PersonPkiApi, 'sessions'>,
  { sessionId, flow, endResult, startedAt }: PersonSession,
): Promise<object> {
  const { state } = await sessions.load(sessionId);
  const shown = state.status === 'NONE' ? undefined : state.started.interactions[0];
  const docText =
    shown === undefined
      ? null
      : 'displayText60' in shown
        ? shown.displayText60
        : shown.displayText200;
  const outcome = endResult ?? 'RUNNING';
  return { sessionId, flow, outcome, docText, timestamp: startedAt };
}
