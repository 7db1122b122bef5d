import { z } from 'zod';
import { eventsAsOf } from '../../application/history/asOf.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventStore, RecordedEvent } from '../../application/ports/eventStore.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { personEtsi, readPersonIdentifier } from '../../domain/shared/etsi.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { Names } from '../../projections/names.ts';
import {
  type createSessionList,
  type SessionFilter,
  sessionOutcomes,
} from '../../projections/sessionList.ts';
import { moment } from '../schemas/answers.ts';
import { type Route, route } from '../http/route.ts';
import { asOfQuery, momentOf } from './asOf.ts';
import type { OperatorGuards } from './guard.ts';
import { aboutOne, named, withNames } from './names.ts';
import { listAnswer, longListOf, sortQuery, wholePageQuery } from './paging.ts';
import { emptyIsNull, searchText } from './search.ts';
import { sessionSchema } from './peopleSchemas.ts';
import { sessionView, signatureIdsIn } from './sessionView.ts';

export interface SessionApi {
  readonly guards: OperatorGuards;
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly clock: Clock;
  readonly names: Names;
  readonly list: ReturnType<typeof createSessionList>;
}

const kinds = ['AUTHENTICATION', 'SIGNATURE', 'CERTIFICATE_CHOICE'] as const;
const flows = ['NOTIFICATION', 'DEVICE_LINK'] as const;

const listedSchema = z.strictObject({
  sessionId: z.string(),
  kind: z.enum(kinds),
  flow: z.enum(flows),
  endResult: z.string().nullable().meta({ description: 'Null while the session runs' }),
  relyingPartyUUID: z.string(),
  personEtsi: z.string().nullable(),
  documentNumber: z.string().nullable(),
  startedAt: moment,
  completedAt: moment.nullable(),
});

const time = emptyIsNull(z.iso.datetime({ offset: true }).transform((text) => new Date(text)));

const listQuery = z.object({
  ...wholePageQuery,
  // Rows before a page are read, too.
  offset: wholePageQuery.offset.unwrap().max(10_000).default(0),
  ...sortQuery({ startedAt: true }),
  snapshot: z
    .uuid()
    .toLowerCase()
    .optional()
    .meta({ description: 'The snapshot of the previous page' }),
  q: searchText.meta({
    description: 'Id of a session, name or identifier of a citizen, or name of a relying party',
  }),
  relyingParty: emptyIsNull(z.uuid().toLowerCase()),
  kind: emptyIsNull(z.enum(kinds)),
  flow: emptyIsNull(z.enum(flows)),
  outcome: emptyIsNull(z.enum(sessionOutcomes)),
  minSeconds: emptyIsNull(z.coerce.number().int().min(1).max(86_400)).meta({
    description: 'Sessions that took at least so many seconds; a running session is none of them',
  }),
  from: time.meta({
    description:
      'At most 31 days before `to`, by default a week ago; a search for a citizen or session has no such limit',
  }),
  to: time,
});

const WEEK_MS = 7 * 86_400_000;
/** Time searched at most, unless of a citizen: without an index all its sessions are looked at. */
const LONGEST_DAYS = 31;
const LONGEST_MS = LONGEST_DAYS * 86_400_000;
/** Citizens of one name whose sessions are listed. */
const NAMESAKES = 100;

const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Sessions from the log, beyond the time relying parties can read them. */
export function sessionRoutes({
  guards,
  eventStore,
  clock,
  names,
  list,
}: SessionApi): readonly Route[] {
  /** @throws Refusal INVALID_REQUEST when too many are called so */
  async function searched(q: string | null): Promise<Pick<SessionFilter, 'sessionId' | 'of'>> {
    if (q === null) return { sessionId: null, of: null };
    const sessionId = q.toLowerCase();
    const found = await names.find(q, NAMESAKES + 1);
    const idsOf = (kind: string) => found.filter((each) => each.kind === kind).map(({ id }) => id);
    const civilIds = idsOf('citizen').map((etsi) => etsi.slice(personEtsi('').length));
    const ofThem = { sessionId: null, of: { civilIds, relyingParties: [] } };
    // Identifiers of persons and numbers of their phones come before ids of sessions and names.
    if (readPersonIdentifier(q) !== null) return ofThem;
    if (SESSION_ID.test(sessionId)) return civilIds.length > 0 ? ofThem : { sessionId, of: null };
    const relyingParties = idsOf('relyingParty');
    if (Math.max(civilIds.length, relyingParties.length) <= NAMESAKES) {
      return { sessionId: null, of: { civilIds, relyingParties } };
    }
    const detail = `More than ${NAMESAKES} have this name. Give more of the name, or an identifier.`;
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '#/query/q', detail }] });
  }

  /**
   * Beginning of the time that is searched; null: of everything, as the sessions of a citizen are.
   *
   * @throws Refusal INVALID_REQUEST when it is too long
   */
  function beginningOf({ sessionId, of, from, to }: SessionFilter): Date | null {
    if (sessionId !== null || of?.relyingParties.length === 0) return from;
    const now = clock.now();
    if (from === null) return new Date(now.getTime() - WEEK_MS);
    if ((to ?? now).getTime() - from.getTime() <= LONGEST_MS) return from;
    const detail = `from and to are more than ${LONGEST_DAYS} days apart. Search a shorter period, or name a citizen.`;
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '#/query/from', detail }] });
  }

  /** Stamps of the session's documents, the earliest first. */
  async function stampsOf(
    events: readonly RecordedEvent[],
    asOf: Date | null,
  ): Promise<readonly RecordedEvent[]> {
    const streams = signatureIdsIn(events).map((id) => streamOf('stamp', id));
    const stamps = await Promise.all(streams.map((each) => eventsAsOf(eventStore, each, asOf)));
    return stamps
      .flat()
      .sort((one, other) => Date.parse(one.metadata.time) - Date.parse(other.metadata.time));
  }

  return [
    route({
      name: 'admin.session.list',
      summary:
        'List sessions, latest first; filter by citizen, relying party, kind, flow, outcome and duration',
      method: 'GET',
      path: '/v3/admin/sessions',
      guard: guards.withCapability('session:read'),
      query: listQuery,
      response: { 200: named(longListOf(listedSchema)) },
      handle: async ({ query: { limit, offset, snapshot = null, sort, q, ...wished } }) => {
        const wanted = { ...wished, ...(await searched(q)) };
        const from = beginningOf(wanted);
        const isAscending = sort?.isDescending === false;
        const page = { limit, offset, upTo: snapshot, isAscending };
        const { newest, ...found } = await list.sessions({ ...wanted, from }, page);
        const { body } = listAnswer(found, page);
        const persons = found.items.map((session) => session.personEtsi);
        return {
          body: await withNames(names, { ...body, snapshot: newest }),
          ...aboutOne(
            q === null ? [] : [...persons, ...(wanted.of?.civilIds ?? []).map(personEtsi)],
          ),
        };
      },
    }),
    route({
      name: 'admin.session.read',
      summary: 'Get a session, without secrets, and its events',
      method: 'GET',
      path: '/v3/admin/sessions/:sessionId',
      guard: guards.withCapability('session:read'),
      params: z.object({ sessionId: z.string() }),
      query: z.object(asOfQuery),
      response: { 200: named(sessionSchema) },
      handle: async ({ params, query }) => {
        const asOf = momentOf(query, clock);
        const sessionId = params.sessionId.toLowerCase();
        if (!SESSION_ID.test(sessionId)) throw new Refusal('SESSION_NOT_FOUND');
        const events = await eventsAsOf(eventStore, streamOf('session', sessionId), asOf);
        const body = sessionView(events, await stampsOf(events, asOf));
        if (body === null) throw new Refusal('SESSION_NOT_FOUND');
        const answer = await withNames(names, body);
        // The session itself has no row any more once it is archived: it is answered as before.
        const others = answer.names.filter(({ id }) => id !== sessionId);
        return { body: { ...answer, names: others }, ...aboutOne([body.personEtsi]) };
      },
    }),
  ];
}
