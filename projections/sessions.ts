import type { Kysely, Selectable } from 'kysely';
import type {
  OverdueSessions,
  SessionView,
  SessionViews,
} from '../application/ports/sessionViews.ts';
import { inboxTopic, sessionTopic } from '../application/ports/wake.ts';
import type { EndResult, SessionEvent } from '../domain/session/events.ts';
import { unreachable } from '../domain/shared/decider.ts';
import type { SessionRow, SessionTable, Database } from './database.ts';
import { readModel } from './readModel.ts';
import { tallySession } from './tallied.ts';

// Projection

function evolve(row: SessionRow | undefined, event: SessionEvent): SessionRow | undefined {
  if (event.type === 'SessionStarted') {
    const { data } = event;
    return {
      session_id: data.sessionId,
      relying_party_id: data.relyingPartyId,
      kind: data.kind,
      flow: data.flow,
      civil_id: data.civilId,
      document_number: data.documentNumber,
      status: 'RUNNING',
      end_result: null,
      refused_interaction: null,
      signature: null,
      signature_algorithm: null,
      certificate_serial: null,
      certificate_level: null,
      interaction_type_used: null,
      started_at: data.startedAt,
      answer_before: data.answerBefore,
      readable_until: data.readableUntil,
      completed_at: null,
      revision: 0n,
    };
  }
  return row?.status === 'RUNNING' ? progress(row, event) : row;
}

function progress(row: SessionRow, event: Exclude<SessionEvent, { type: 'SessionStarted' }>) {
  // Not `{ ...row, … }`: what is written after a spread costs Node 20 a microsecond a field (docs/performance.md).
  const changed = (changes: Partial<SessionRow>): SessionRow => Object.assign({}, row, changes);
  const complete = (endResult: EndResult, at: string, changes?: Partial<SessionRow>) =>
    changed({ status: 'COMPLETE', end_result: endResult, completed_at: at, ...changes });
  switch (event.type) {
    case 'SessionClaimed':
      return changed({
        civil_id: event.data.civilId,
        document_number: event.data.documentNumber,
      });
    case 'SessionConfirmed':
      return complete('OK', event.data.completedAt, {
        civil_id: event.data.civilId,
        document_number: event.data.documentNumber,
        signature: event.data.signature,
        signature_algorithm: event.data.signatureAlgorithm,
        certificate_serial: event.data.certificateSerial,
        certificate_level: event.data.certificateLevel,
        interaction_type_used: event.data.interactionTypeUsed,
      });
    case 'CertificateChosen':
      return complete('OK', event.data.completedAt, {
        civil_id: event.data.civilId,
        document_number: event.data.documentNumber,
        certificate_serial: event.data.certificateSerial,
        certificate_level: event.data.certificateLevel,
      });
    case 'SessionRefused':
      return complete(event.data.endResult, event.data.completedAt, {
        document_number: event.data.documentNumber,
        refused_interaction: event.data.interaction,
      });
    case 'SessionFailed':
      return complete(event.data.endResult, event.data.completedAt, {
        document_number: event.data.documentNumber ?? row.document_number,
      });
    case 'SessionExpired':
      return complete('TIMEOUT', event.data.completedAt);
    default:
      return unreachable(event);
  }
}

/** Nobody waits for a session that can no longer be answered or read: a long catch-up stays quiet. */
function topics(row: SessionRow, before: SessionRow | undefined, now: string): readonly string[] {
  if (row.status === 'COMPLETE')
    return row.readable_until > now ? [sessionTopic(row.session_id)] : [];
  const isNews = before === undefined && row.flow === 'NOTIFICATION' && row.civil_id !== null;
  return isNews && row.answer_before > now ? [inboxTopic(row.civil_id)] : [];
}

/** The sessions read model, table `session_view`. */
export const sessionsReadModel = readModel<SessionRow, SessionEvent>({
  name: 'sessions',
  table: 'session_view',
  category: 'session',
  key: 'session_id',
  columns: {
    session_id: 'text',
    relying_party_id: 'text',
    kind: 'text',
    flow: 'text',
    civil_id: 'text',
    document_number: 'text',
    status: 'text',
    end_result: 'text',
    refused_interaction: 'text',
    signature: 'text',
    signature_algorithm: 'text',
    certificate_serial: 'text',
    certificate_level: 'text',
    interaction_type_used: 'text',
    started_at: 'timestamptz',
    answer_before: 'timestamptz',
    readable_until: 'timestamptz',
    completed_at: 'timestamptz',
    revision: 'int8',
  },
  evolve,
  topics,
  isFinal: (row) => row.status === 'COMPLETE',
  tally: tallySession,
});

// Queries

function toView(row: Selectable<SessionTable>): SessionView {
  return {
    sessionId: row.session_id,
    relyingPartyId: row.relying_party_id,
    kind: row.kind,
    flow: row.flow,
    civilId: row.civil_id,
    documentNumber: row.document_number,
    status: row.status,
    endResult: row.end_result,
    refusedInteraction: row.refused_interaction,
    signature: row.signature,
    signatureAlgorithm: row.signature_algorithm,
    certificateSerial: row.certificate_serial,
    certificateLevel: row.certificate_level,
    interactionTypeUsed: row.interaction_type_used,
    startedAt: row.started_at.toISOString(),
    answerBefore: row.answer_before.toISOString(),
    readableUntil: row.readable_until.toISOString(),
    completedAt: row.completed_at?.toISOString() ?? null,
  };
}

/** Queries over the sessions read model. */
export function createSessionViews(database: Kysely<Database>): SessionViews & OverdueSessions {
  return {
    async session(sessionId) {
      const row = await database
        .selectFrom('session_view')
        .selectAll()
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
        .orderBy('started_at')
        .orderBy('session_id')
        .execute();
      return rows.map((row) => row.session_id);
    },
    async overdueSessions(now, limit, after) {
      const rows = await database
        .selectFrom('session_view')
        .select(['session_id', 'answer_before'])
        .where('status', '=', 'RUNNING')
        .where('answer_before', '<=', now)
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
      return rows.map((row) => ({
        sessionId: row.session_id,
        answerBefore: row.answer_before.toISOString(),
      }));
    },
  };
}
