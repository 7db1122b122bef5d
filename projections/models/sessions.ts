import { inboxTopic, sessionTopic } from '../../domain/shared/streams.ts';
import {
  cancelled,
  type EndResult,
  notMe,
  type SessionEvent,
  sessionEvents,
  type SessionFlow,
  type SessionKind,
} from '../../domain/session/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import { unreachable } from '../../domain/shared/decider.ts';
import {
  boolean,
  int8,
  nullable,
  type RowOf,
  type TableOf,
  text,
  timestamptz,
} from '../engine/columns.ts';
import { ofHour, readModel, type Tally } from '../engine/readModel.ts';
import type { Percentiles } from '../../application/ports/statistics.ts';

const columns = {
  session_id: text(),
  relying_party_id: text(),
  kind: text<SessionKind>(),
  flow: text<SessionFlow>(),
  civil_id: nullable(text()),
  document_number: nullable(text()),
  status: text<'RUNNING' | 'COMPLETE'>(),
  end_result: nullable(text<EndResult>()),
  refused_interaction: nullable(text()),
  signature: nullable(text()),
  signature_algorithm: nullable(text()),
  certificate_serial: nullable(text()),
  certificate_level: nullable(text<CertificateLevel>()),
  interaction_type_used: nullable(text()),
  started_at: timestamptz(),
  answer_before: timestamptz(),
  readable_until: timestamptz(),
  completed_at: nullable(timestamptz()),
  openid_login: boolean(),
  revision: int8(),
};

/** A session as folded; times are ISO strings. No personal text. */
export type SessionRow = RowOf<typeof columns>;
export type SessionTable = TableOf<typeof columns>;

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
      openid_login: data.openIdLogin,
      revision: 0n,
    };
  }
  return row?.status === 'RUNNING' ? progress(row, event) : row;
}

function progress(row: SessionRow, event: Exclude<SessionEvent, { type: 'SessionStarted' }>) {
  const changed = (changes: Partial<SessionRow>): SessionRow => ({ ...row, ...changes });
  const complete = (endResult: EndResult, at: string, changes?: Partial<SessionRow>) =>
    changed({ status: 'COMPLETE', end_result: endResult, completed_at: at, ...changes });
  switch (event.type) {
    case 'SessionClaimed':
      return changed({
        civil_id: event.data.civilId,
        document_number: event.data.documentNumber,
      });
    case 'RiskSignalsTold':
    case 'BatchDocumentSigned':
      // Shown from the events; the session's confirmation follows in the same append.
      return row;
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
    case 'SessionDisowned':
      return complete(notMe, event.data.completedAt, {
        civil_id: event.data.civilId,
        document_number: event.data.documentNumber,
      });
    case 'SessionFailed':
      return complete(event.data.endResult, event.data.completedAt, {
        document_number: event.data.documentNumber ?? row.document_number,
      });
    case 'SessionExpired':
      return complete('TIMEOUT', event.data.completedAt);
    case 'SessionCancelled':
      return complete(cancelled, event.data.completedAt);
    default:
      return unreachable(event);
  }
}

/**
 * Topics to notify; none for a session that can no longer be answered or read, so that a long catch-up sends nothing.
 */
function topics(row: SessionRow, before: SessionRow | undefined, now: string): readonly string[] {
  if (row.status === 'COMPLETE') {
    if (row.readable_until <= now) return [];
    const polls = sessionTopic(row.session_id);
    // Phones that show a request that was taken back are told.
    const isTakenBack = row.end_result === cancelled && row.civil_id !== null;
    return isTakenBack ? [polls, inboxTopic(row.civil_id)] : [polls];
  }
  const isNews = before === undefined && row.flow === 'NOTIFICATION' && row.civil_id !== null;
  return isNews && row.answer_before > now ? [inboxTopic(row.civil_id)] : [];
}

/** Tallies by hour of the start, relying party, kind and outcome; the citizen's response time. */
function tally(row: SessionRow): readonly Tally[] {
  const { started_at: startedAt, completed_at: completedAt, relying_party_id: party } = row;
  const outcome = row.end_result ?? 'RUNNING';
  const session = ofHour('session', startedAt, `${row.kind} ${outcome}`, party);
  if (completedAt === null || outcome !== 'OK') return [session];
  const step = stepOf(Date.parse(completedAt) - Date.parse(startedAt));
  return [session, ofHour('latency', startedAt, String(step))];
}

/** The sessions read model, table `session_view`. */
export const sessionsReadModel = readModel({
  name: 'sessions',
  version: 2,
  table: 'session_view',
  events: sessionEvents,
  key: 'session_id',
  columns,
  shown: [
    'status',
    'end_result',
    'document_number',
    'certificate_serial',
    'certificate_level',
    'completed_at',
  ],
  evolve,
  topics,
  isBusy: true,
  isFinal: (row) => row.status === 'COMPLETE',
  byTime: true,
  withoutArchived: true,
  tally,
});

/**
 * Times are counted in buckets, four per doubling from 10 ms on: a percentile derived from the counts is accurate to a
 * tenth, and no time is stored.
 */
const firstStepMs = 10;
const stepsPerDoubling = 4;

/** Bucket of a time. */
export function stepOf(milliseconds: number): number {
  const doublings = Math.log2(Math.max(firstStepMs, milliseconds) / firstStepMs);
  return Math.ceil(doublings * stepsPerDoubling);
}

/** @param counts by bucket */
export function percentilesOf(counts: ReadonlyMap<number, number>): Percentiles {
  const steps = [...counts].sort(([a], [b]) => a - b);
  const count = steps.reduce((sum, [, each]) => sum + each, 0);
  const percentile = (share: number): number | null => {
    let seen = 0;
    for (const [step, each] of steps) {
      seen += each;
      if (seen >= count * share && each > 0) return middleOf(step);
    }
    return null;
  };
  return {
    count,
    p50: percentile(0.5),
    p90: percentile(0.9),
    p95: percentile(0.95),
    p99: percentile(0.99),
  };
}

function middleOf(step: number): number {
  return Math.round(firstStepMs * 2 ** ((step - 0.5) / stepsPerDoubling));
}
