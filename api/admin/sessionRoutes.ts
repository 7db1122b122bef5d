import { z } from 'zod';
import { eventsAsOf } from '../../application/history/asOf.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { Names } from '../../projections/names.ts';
import { type Route, route } from '../http/route.ts';
import { asOfQuery, momentOf } from './asOf.ts';
import type { OperatorGuards } from './guard.ts';
import { named, withNames } from './names.ts';
import { sessionSchema } from './peopleSchemas.ts';
import { sessionView } from './sessionView.ts';

export interface SessionApi {
  readonly guards: OperatorGuards;
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly clock: Clock;
  readonly names: Names;
}

const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Sessions from the log, beyond the time relying parties can read them. */
export function sessionRoutes({ guards, eventStore, clock, names }: SessionApi): readonly Route[] {
  return [
    route({
      name: 'admin.session.read',
      summary: 'A session without its secrets, and what happened in it',
      method: 'GET',
      path: '/v3/admin/sessions/:sessionId',
      guard: guards.withCapability('session:read'),
      params: z.object({ sessionId: z.string() }),
      query: z.object(asOfQuery),
      response: { 200: named(sessionSchema) },
      handle: async ({ params, query }) => {
        const moment = momentOf(query, clock);
        const sessionId = params.sessionId.toLowerCase();
        if (!SESSION_ID.test(sessionId)) throw new Refusal('SESSION_NOT_FOUND');
        const [events, stamps] = await Promise.all([
          eventsAsOf(eventStore, streamOf('session', sessionId), moment),
          eventsAsOf(eventStore, streamOf('stamp', sessionId), moment),
        ]);
        const body = sessionView(events, stamps);
        if (body === null) throw new Refusal('SESSION_NOT_FOUND');
        return { body: await withNames(names, body) };
      },
    }),
  ];
}
