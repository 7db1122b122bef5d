import { z } from 'zod';
import { verificationSorts } from '../../projections/identityVerifications.ts';
import { eventsAsOf } from '../../application/history/asOf.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventStore, RecordedEvent } from '../../application/ports/eventStore.ts';
import type { IdentityVerificationViews } from '../../application/reactors/ports/identityVerificationViews.ts';
import {
  type IdentityVerificationEvent,
  verificationFailures,
  verificationMethods,
} from '../../domain/identityVerification/events.ts';
import {
  type BegunVerification,
  identityVerificationDecider,
  verificationStatuses,
} from '../../domain/identityVerification/identityVerification.ts';
import { fold } from '../../domain/shared/decider.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { Names } from '../../projections/names.ts';
import { viewBy } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';
import { asOfQuery, momentOf } from './asOf.ts';
import type { OperatorGuards } from './guard.ts';
import { aboutOne, named, withNames } from './names.ts';
import { longListOf, pageQuery, snapshotAnswer, sortQuery } from './paging.ts';
import { timelineSchema } from './peopleSchemas.ts';
import { emptyIsNull, searchText } from './search.ts';
import { timelineOf } from './timeline.ts';

export interface IdentityVerificationApi {
  readonly guards: OperatorGuards;
  readonly views: IdentityVerificationViews;
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly clock: Clock;
  readonly names: Names;
}

const time = z.iso.datetime();

const verificationSchema = z.strictObject({
  verificationId: z.string(),
  method: z.enum(verificationMethods),
  status: z.enum(verificationStatuses),
  personEtsi: z.string().nullable().meta({ description: 'The person who was verified' }),
  attempts: z.number().int(),
  failure: z
    .enum(verificationFailures)
    .nullable()
    .meta({ description: 'Why the last attempt failed' }),
  startedAt: time,
  expiresAt: time,
  endedAt: time.nullable(),
});

const detailsSchema = verificationSchema.extend({
  attemptsAllowed: z.number().int(),
  failures: z.array(
    z.strictObject({
      attempt: z.number().int(),
      reason: z.enum(verificationFailures),
      counts: z.boolean().meta({ description: 'False if the attempt was not counted' }),
      time,
    }),
  ),
  evidence: z
    .array(z.strictObject({ name: z.string(), text: z.string() }))
    .meta({ description: 'How the person was identified; empty if nobody was' }),
  timeline: timelineSchema,
});

const VERIFICATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Identity verifications: a list, and single ones with their history from the log. */
export function identityVerificationRoutes({
  guards,
  views,
  eventStore,
  clock,
  names,
}: IdentityVerificationApi): readonly Route[] {
  const common = {
    method: 'GET',
    guard: guards.withCapability('user:read'),
  } as const;
  return [
    route({
      ...common,
      name: 'admin.identityVerification.list',
      summary: 'Search identity verifications by id, citizen, method and status',
      path: '/v3/admin/identity-verifications',
      query: z.object({
        ...pageQuery,
        ...sortQuery(verificationSorts),
        q: searchText,
        method: emptyIsNull(z.enum(verificationMethods)),
        status: emptyIsNull(z.enum(verificationStatuses)),
      }),
      response: { 200: named(longListOf(verificationSchema)) },
      handle: async ({ query }) => {
        const found = await views.identityVerifications(query, query);
        const persons = found.items.map(({ personEtsi: person }) => person);
        const { body } = snapshotAnswer(found, query);
        const about = query.q === null ? {} : aboutOne(persons);
        return { body: await withNames(names, body), ...about };
      },
    }),
    route({
      ...common,
      name: 'admin.identityVerification.read',
      summary: 'Get an identity verification, without secrets, and its events',
      path: '/v3/admin/identity-verifications/:verificationId',
      params: z.object({ verificationId: z.string() }),
      query: z.object(asOfQuery),
      response: { 200: named(detailsSchema) },
      handle: async ({ params, query }) => {
        const moment = momentOf(query, clock);
        const verificationId = params.verificationId.toLowerCase();
        if (!VERIFICATION_ID.test(verificationId)) throw new Refusal('VERIFICATION_NOT_FOUND');
        const stream = streamOf('identityVerification', verificationId);
        const body = detailsOf(await eventsAsOf(eventStore, stream, moment));
        if (body === null) throw new Refusal('VERIFICATION_NOT_FOUND');
        return { body: await withNames(names, body) };
      },
    }),
  ];
}

const detailsBy = viewBy(detailsSchema);

/** @returns null without events */
function detailsOf(recorded: readonly RecordedEvent[]): z.output<typeof detailsSchema> | null {
  const events = recorded.map(({ event }) => event as IdentityVerificationEvent);
  const verification = fold(identityVerificationDecider, events);
  if (verification.status === 'NONE') return null;
  const { started, status, attempts, lastFailure: failure } = verification;
  return detailsBy(started, {
    status,
    attempts,
    failure,
    ...whoIn(verification),
    endedAt: status === 'PENDING' ? null : (recorded.at(-1)?.metadata.time ?? null),
    failures: events.flatMap((event) => {
      if (event.type !== 'IdentityVerificationAttemptFailed') return [];
      const { attempt, reason, counts, failedAt } = event.data;
      return [{ attempt, reason, counts, time: failedAt }];
    }),
    timeline: [...timelineOf(recorded)],
  });
}

function whoIn(verification: BegunVerification) {
  if (verification.status !== 'VERIFIED') return { personEtsi: null, evidence: [] };
  const { civilId, evidence } = verification.succeeded;
  return {
    personEtsi: personEtsi(civilId),
    evidence: Object.entries(evidence).map(([name, text]) => ({ name, text })),
  };
}
