import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import type { AuditDetails, AuditOutcome } from '../../application/audit/ports/auditTrail.ts';
import { type AuditEventType, declarations, eventTypes } from '../../domain/events.ts';
import type { Capability } from '../../domain/operator/capabilities.ts';
import type { AuditRule } from '../../domain/shared/defineEvents.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import {
  int8,
  jsonb,
  nullable,
  type RowOf,
  type TableOf,
  text,
  timestamptz,
  uuid,
} from '../engine/columns.ts';
import { ofHour, readModel, type Tally } from '../engine/readModel.ts';

const columns = {
  position: int8(),
  event_id: uuid(),
  stream: text(),
  type: text<AuditEventType>(),
  outcome: text<AuditOutcome>(),
  actor_kind: text(),
  actor_id: text(),
  /** Capability required for this action; null: not an operator's. */
  capability: nullable(text<Capability>()),
  /** Public identifier of whom or what it was done to. */
  subject: text(),
  /** ETSI identifier of the citizen concerned. */
  person: nullable(text()),
  request_id: nullable(text()),
  /** Sealed as in the event. */
  ip: nullable(text()),
  happened_at: timestamptz(),
  /** Further facts, by event type. */
  details: jsonb<AuditDetails>(),
  revision: int8(),
};

/** One line of the audit. */
export type AuditRow = RowOf<typeof columns>;
export type AuditTable = TableOf<typeof columns>;

const noDetails = {};

/** The row of an event. */
export function auditRowOf(recorded: RecordedEvent): AuditRow {
  const { stream, position, metadata } = recorded;
  const { type, data }: DomainEvent = recorded.event;
  const { actor } = metadata;
  const rule = ruleOf(type);
  const civilId = rule.civilId?.(data) ?? null;
  return {
    position,
    event_id: recorded.id,
    stream,
    type: rule.type as AuditEventType,
    outcome: rule.isDenied === true ? 'DENIED' : 'OK',
    actor_kind: actor.kind,
    actor_id: actor.id,
    capability: actor.kind === 'operator' ? capabilityOf(rule, data) : null,
    subject: rule.subject?.(data) ?? identifierOf(stream),
    person: civilId === null ? null : personEtsi(civilId),
    request_id: metadata.requestId,
    ip: metadata.ip,
    happened_at: metadata.time,
    details: rule.details?.(data) ?? noDetails,
    revision: recorded.revision,
  };
}

function ruleOf(type: string): AuditRule {
  const declared = eventTypes.get(type);
  if (declared === undefined) throw new Error(`No aggregate declares the event ${type}.`);
  return declared.audit;
}

function capabilityOf({ capability }: AuditRule, data: object) {
  return typeof capability === 'function' ? capability(data) : (capability ?? null);
}

/** Seals, by hour and outcome. */
function tally(row: Pick<AuditRow, 'type' | 'outcome' | 'happened_at'>): readonly Tally[] {
  return row.type === 'ORG_SEAL' ? [ofHour('seal', row.happened_at, row.outcome)] : [];
}

/** The audit, table `audit_view`: one row for every event there is, which nothing changes any more. */
export const auditReadModel = readModel({
  name: 'audit',
  table: 'audit_view',
  events: declarations,
  key: 'position',
  keyOf: ({ position }) => position.toString(),
  appendOnly: true,
  inBackground: true,
  columns,
  shown: null,
  evolve: (_row: AuditRow | undefined, _event: DomainEvent, _key, recorded) => auditRowOf(recorded),
  topics: () => [],
  tally,
  isFinal: () => true,
  byTime: true,
  withoutArchived: true,
});
