import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import { identifierOf, streamCategories } from '../../domain/shared/streams.ts';
import type { AuditRow } from '../database.ts';
import { readModel } from '../readModel.ts';
import { tallyAudit } from '../tallied.ts';
import { auditRules } from './rules.ts';
import type { AuditRule } from './rule.ts';

const noDetails = {};

function evolve(
  _row: AuditRow | undefined,
  { type, data }: DomainEvent,
  _key: string,
  recorded: RecordedEvent,
): AuditRow {
  const { stream, position, metadata } = recorded;
  const { actor } = metadata;
  const rule = ruleOf(type);
  const civilId = rule.civilId?.(data) ?? null;
  return {
    position,
    event_id: recorded.id,
    stream,
    type: rule.type,
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
  const rule = auditRules[type];
  if (rule === undefined) throw new Error(`There is no rule how to audit ${type}.`);
  return rule;
}

function capabilityOf({ capability }: AuditRule, data: object) {
  return typeof capability === 'function' ? capability(data) : (capability ?? null);
}

/** The audit, table `audit_view`: one row for every event there is, which nothing changes any more. */
export const auditReadModel = readModel<AuditRow, DomainEvent>({
  name: 'audit',
  table: 'audit_view',
  category: streamCategories,
  key: 'position',
  keyOf: ({ position }) => position.toString(),
  appendOnly: true,
  inBackground: true,
  columns: {
    position: 'int8',
    event_id: 'uuid',
    stream: 'text',
    type: 'text',
    outcome: 'text',
    actor_kind: 'text',
    actor_id: 'text',
    capability: 'text',
    subject: 'text',
    person: 'text',
    request_id: 'text',
    ip: 'text',
    happened_at: 'timestamptz',
    details: 'jsonb',
    revision: 'int8',
  },
  evolve,
  topics: () => [],
  tally: tallyAudit,
  isFinal: () => true,
});
