import { z } from 'zod';
import { certificateSorts } from '../../projections/people.ts';
import { eventsAsOf, foldAsOf } from '../../application/history/asOf.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import { type CertificateView, certificateViewStatuses } from '../../projections/peopleViews.ts';
import type { PeopleViews } from '../../projections/peopleViews.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import { type CertificateRow, evolveCertificate } from '../../projections/models/certificates.ts';
import type { Names } from '../../projections/names.ts';
import { type Route, route } from '../http/route.ts';
import { asOfQuery, momentOf } from './asOf.ts';
import type { OperatorGuards } from './guard.ts';
import { named, withNames } from './names.ts';
import { longListOf, pageQuery, snapshotAnswer, sortQuery } from './paging.ts';
import { certificateDetailsSchema, certificateSchema } from './peopleSchemas.ts';
import { emptyIsNull, searchText } from './search.ts';
import { personalData } from '../schemas/personalData.ts';
import { FORGOTTEN } from '../../domain/shared/personalData.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import { timelineOf } from './timeline.ts';

/** Contents of a certificate as text, for people; object identifiers with the names known here. */
const contents = z.strictObject({
  serialNumber: z.string().meta({ description: 'Hexadecimal with colons' }),
  subject: z.string(),
  publicKey: z.string(),
  signatureAlgorithm: z.string(),
  keyUsage: z.array(z.string()),
  extendedKeyUsage: z.array(z.string()),
  policies: z.array(z.string()),
  qcStatements: z.array(z.string()),
  ocsp: z.array(z.string()),
  caIssuers: z.array(z.string()),
  crl: z.array(z.string()),
});

const bodySchema = z
  .strictObject({ certificate: z.string().meta({ description: 'DER, base64' }), contents })
  .register(personalData, { what: 'names of citizens' });

export interface CertificateApi {
  readonly guards: OperatorGuards;
  readonly people: Pick<PeopleViews, 'certificates'> & {
    certificateViews(
      rows: readonly CertificateRow[],
      now: Date,
    ): Promise<readonly CertificateView[]>;
  };
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly clock: Clock;
  readonly names: Names;
  /** Contents of a certificate as text. @param der of the certificate */
  readonly decode: (der: Buffer) => z.output<typeof contents>;
}

const SERIAL = /^[0-9a-f]{1,40}$/;

/** Certificates of citizens, organizations and the platform. */
export function certificateRoutes(api: CertificateApi): readonly Route[] {
  const { guards, people, eventStore, clock, names, decode } = api;
  const common = {
    method: 'GET',
    guard: guards.withCapability('cert:read'),
  } as const;
  return [
    route({
      ...common,
      name: 'admin.certificate.list',
      summary: 'Search certificates by serial number, holder, device, name and status',
      path: '/v3/admin/certificates',
      query: z.object({
        ...pageQuery,
        ...sortQuery(certificateSorts),
        q: searchText,
        status: emptyIsNull(z.enum(certificateViewStatuses)),
      }),
      response: { 200: longListOf(certificateSchema) },
      handle: async ({ query }) =>
        snapshotAnswer(await people.certificates(query, clock.now(), query), query),
    }),
    route({
      ...common,
      name: 'admin.certificate.read',
      summary: 'Get a certificate, without its body, and its events',
      path: '/v3/admin/certificates/:serial',
      params: z.object({ serial: z.string() }),
      query: z.object(asOfQuery),
      response: { 200: named(certificateDetailsSchema) },
      handle: async ({ params, query }) => {
        const moment = momentOf(query, clock);
        const events = await eventsAsOf(eventStore, streamIn(params), moment);
        const row = foldAsOf(events, evolveCertificate);
        if (row === undefined) throw new Refusal('CERTIFICATE_NOT_FOUND');
        const [view] = await people.certificateViews([row], moment ?? clock.now());
        const body = { ...view, timeline: timelineOf(events) };
        return { body: await withNames(names, body) };
      },
    }),
    route({
      ...common,
      name: 'admin.certificate.body',
      summary: 'Get the certificate itself, and its contents as text',
      path: '/v3/admin/certificates/:serial/body',
      params: z.object({ serial: z.string() }),
      response: { 200: bodySchema },
      handle: async ({ params }) => {
        const events = await eventsAsOf(eventStore, streamIn(params), null);
        const issued = events
          .map(({ event }) => event as CertificateEvent)
          .find((event) => event.type === 'CertificateIssued');
        const certificate = issued?.data.certificate ?? FORGOTTEN;
        if (certificate === FORGOTTEN) throw new Refusal('CERTIFICATE_NOT_FOUND');
        return { body: { certificate, contents: decode(Buffer.from(certificate, 'base64')) } };
      },
    }),
  ];
}

/** @throws Refusal CERTIFICATE_NOT_FOUND for what is no serial number */
function streamIn({ serial }: { readonly serial: string }) {
  const folded = serial.toLowerCase();
  if (!SERIAL.test(folded)) throw new Refusal('CERTIFICATE_NOT_FOUND');
  return streamOf('certificate', folded);
}
