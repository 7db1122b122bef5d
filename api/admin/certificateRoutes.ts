import { z } from 'zod';
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
import { longListOf, pageQuery, snapshotAnswer } from './paging.ts';
import { certificateDetailsSchema, certificateSchema } from './peopleSchemas.ts';
import { emptyIsNull, searchText } from './search.ts';
import { timelineOf } from './timeline.ts';

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
}

const SERIAL = /^[0-9a-f]{1,40}$/;

/** Certificates of citizens, organizations and the platform. */
export function certificateRoutes(api: CertificateApi): readonly Route[] {
  const { guards, people, eventStore, clock, names } = api;
  const common = {
    method: 'GET',
    guard: guards.withCapability('cert:read'),
  } as const;
  return [
    route({
      ...common,
      name: 'admin.certificate.list',
      summary: 'Searches certificates by serial, holder, device or names, and by status',
      path: '/v3/admin/certificates',
      query: z.object({
        ...pageQuery,
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
      summary: 'A certificate without its body, and what happened to it',
      path: '/v3/admin/certificates/:serial',
      params: z.object({ serial: z.string() }),
      query: z.object(asOfQuery),
      response: { 200: named(certificateDetailsSchema) },
      handle: async ({ params, query }) => {
        const moment = momentOf(query, clock);
        const serial = params.serial.toLowerCase();
        if (!SERIAL.test(serial)) throw new Refusal('CERTIFICATE_NOT_FOUND');
        const events = await eventsAsOf(eventStore, streamOf('certificate', serial), moment);
        const row = foldAsOf(events, evolveCertificate);
        if (row === undefined) throw new Refusal('CERTIFICATE_NOT_FOUND');
        const [view] = await people.certificateViews([row], moment ?? clock.now());
        const body = { ...view, timeline: timelineOf(events) };
        return { body: await withNames(names, body) };
      },
    }),
  ];
}
