import { type Kysely, sql } from 'kysely';
import type { PushRecords } from '../application/session/ports/pushRecords.ts';
import type { OverdueSessions, SessionViews } from '../application/ports/sessionViews.ts';
import { notMe } from '../domain/session/events.ts';
import type { Database } from './database.ts';
import { columnsBut, records } from './engine/readModel.ts';
import { TIME_ORDERED_SINCE } from './engine/sideTable.ts';
import { sessionsReadModel } from './models/sessions.ts';

const shown = columnsBut(sessionsReadModel, 'revision');
const toView = records(shown);
const toOverdue = records(['session_id', 'answer_before']);

/** From the start of a session to its answer at most, ms: bounds what the index on starts has to read. */
const LONGEST_ANSWER_MS = 10 * 60_000;
/** Endings read; back-off is at its longest long before. */
const ENDINGS_READ = 50;
/** Running pushes read for their limits, more than any sensible limit. */
const RUNNING_READ = 1000;

/** Longer than any session runs and is read, with clocks that differ, ms: bounds the partitions that are looked in. */
const LONGEST_LIFE_MS = 24 * 3_600_000;
/** Pause between two sweeps of all partitions, ms: for sessions that an outage of more than a day left running. */
const SWEEP_ALL_MS = 3_600_000;

/** Beginning of the ids of sessions started then (RFC 9562, version 7). */
export function sessionIdAt(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Started since then, by its id; an id that tells no time is in no month's partition, and counts. */
function startedSince(time: number) {
  return sql<boolean>`(session_id >= ${sessionIdAt(time)} or session_id < ${sessionIdAt(TIME_ORDERED_SINCE.getTime())})`;
}

/** Queries over the sessions read model. */
export function createSessionViews(
  database: Kysely<Database>,
): SessionViews & OverdueSessions & PushRecords {
  let sweptAll = -Infinity;
  let isSweepingAll = true;
  return {
    async session(sessionId) {
      const row = await database
        .selectFrom('session_view')
        .select(shown)
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return row === undefined ? null : toView(row);
    },
    async runningSessionsOf(civilId, now) {
      const rows = await database
        .selectFrom('session_view')
        .select('session_id')
        .where('civil_id', '=', civilId)
        .where('status', '=', 'RUNNING')
        .where('flow', '=', 'NOTIFICATION')
        .where('answer_before', '>', now)
        .where(startedSince(now.getTime() - LONGEST_LIFE_MS))
        .orderBy('started_at')
        .orderBy('session_id')
        .execute();
      return rows.map((row) => row.session_id);
    },
    async pushesTo({ civilId, relyingPartyId }, now, since) {
      const ofCitizen = database
        .selectFrom('session_view')
        .where('civil_id', '=', civilId)
        .where(startedSince(since.getTime() - LONGEST_LIFE_MS));
      const [running, endings] = await Promise.all([
        ofCitizen
          .select(['session_id as sessionId', 'relying_party_id as relyingPartyId'])
          .where('status', '=', 'RUNNING')
          .where('flow', '=', 'NOTIFICATION')
          .where('answer_before', '>', now)
          .limit(RUNNING_READ)
          .execute(),
        ofCitizen
          .select(['session_id', 'end_result', 'completed_at'])
          .where('relying_party_id', '=', relyingPartyId)
          .where('status', '=', 'COMPLETE')
          // A device link counts only when the citizen disowned it.
          .where(({ eb, or }) =>
            or([eb('flow', '=', 'NOTIFICATION'), eb('end_result', '=', notMe)]),
          )
          .where('completed_at', '>=', since)
          .where('started_at', '>=', new Date(since.getTime() - LONGEST_ANSWER_MS))
          .orderBy('completed_at', 'desc')
          .limit(ENDINGS_READ)
          .execute(),
      ]);
      return {
        running,
        endings: endings.flatMap(
          ({ session_id: sessionId, end_result: endResult, completed_at: at }) =>
            endResult === null || at === null
              ? []
              : [{ sessionId, endResult, completedAt: at.toISOString() }],
        ),
      };
    },
    async overdueSessions(now, limit, after) {
      if (after === null) isSweepingAll = now.getTime() - sweptAll > SWEEP_ALL_MS;
      const rows = await database
        .selectFrom('session_view')
        .select(['session_id', 'answer_before'])
        .where('status', '=', 'RUNNING')
        .where('answer_before', '<=', now)
        .$if(!isSweepingAll, (query) => query.where(startedSince(now.getTime() - LONGEST_LIFE_MS)))
        .$if(after !== null, (query) =>
          query.where(({ eb, refTuple, tuple }) =>
            eb(
              refTuple('answer_before', 'session_id'),
              '>',
              tuple(new Date(after?.answerBefore ?? 0), after?.sessionId ?? ''),
            ),
          ),
        )
        .orderBy('answer_before')
        .orderBy('session_id')
        .limit(limit)
        .execute();
      if (isSweepingAll && rows.length < limit) sweptAll = now.getTime();
      return rows.map(toOverdue);
    },
  };
}
