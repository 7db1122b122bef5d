import type { Kysely } from 'kysely';
import type { AuditEventType, AuditTrail } from '../application/ports/auditTrail.ts';
import type { RecordedEvent } from '../application/ports/eventStore.ts';
import type { AccessEvent } from '../domain/access/events.ts';
import type { OrganizationEvent } from '../domain/organization/events.ts';
import type { RepresentationEvent } from '../domain/representation/events.ts';
import type { SealCertificateIssued, SealEvent } from '../domain/seal/events.ts';
import { type DomainEvent, unreachable } from '../domain/shared/decider.ts';
import { organizationEtsi, personEtsi } from '../domain/shared/etsi.ts';
import { categoryOf } from '../domain/shared/streams.ts';
import type { AuditRow, Database } from './database.ts';
import { readModel } from './readModel.ts';

type AuditedEvent =
  OrganizationEvent | RepresentationEvent | AccessEvent | SealEvent | SealCertificateIssued;

type Audited = Pick<AuditRow, 'type' | 'subject' | 'outcome' | 'details'>;

// Projection

function ok(type: AuditEventType, subject: string, details: AuditRow['details'] = {}): Audited {
  return { type, subject, outcome: 'OK', details };
}

function ofOrganization({ type, data }: OrganizationEvent): Audited {
  const subject = organizationEtsi(data.register);
  switch (type) {
    case 'OrganizationRegistered':
      return ok('ORG_REGISTER', subject, { status: data.status });
    case 'OrganizationRenamed':
      return ok('ORG_RENAME', subject, { nameLatin: data.nameLatin });
    case 'OrganizationVerified':
      return ok('ORG_STATUS', subject, { change: 'VERIFIED' });
    case 'OrganizationActivated':
      return ok('ORG_STATUS', subject, { change: 'ACTIVATED' });
    case 'OrganizationSuspended':
      return ok('ORG_STATUS', subject, { change: 'SUSPENDED' });
    case 'OrganizationRestored':
      return ok('ORG_STATUS', subject, { change: 'RESTORED' });
    case 'OrganizationRevoked':
      return ok('ORG_STATUS', subject, { change: 'REVOKED' });
    default:
      return unreachable(type);
  }
}

function ofRights({ type, data }: RepresentationEvent): Audited {
  switch (type) {
    case 'RightGranted':
      return right('ORG_REP_ADD', data, { rightType: data.rightType, status: 'ACTIVE' });
    case 'SignerInvited':
      return right('ORG_REP_ADD', data, {
        ...{ rightType: 'MANAGER', status: 'PENDING' },
        ...{ invitedBy: personEtsi(data.invitedBy), sessionId: data.sessionId },
      });
    case 'SignerConfirmed':
      return right('ORG_REP_ADD', data, {
        ...{ rightType: 'MANAGER', status: 'ACTIVE', sessionId: data.sessionId },
      });
    case 'RightWithdrawn':
      return right('ORG_REP_REMOVE', data, {});
    default:
      return unreachable(type);
  }
}

function ofSeal({ type, data }: SealEvent | SealCertificateIssued): Audited {
  const subject = organizationEtsi(data.register);
  switch (type) {
    case 'SealCertificateIssued':
      return ok('SEAL_CERT_ISSUE', subject, { serial: data.serial, level: data.level });
    case 'DocumentSealed': {
      const { sealId, content, certificateSerial } = data;
      return ok('ORG_SEAL', subject, { sealId, content, certificateSerial });
    }
    case 'SealDenied': {
      const { sealId, content, reason } = data;
      return { ...ok('ORG_SEAL', subject, { sealId, content, code: reason }), outcome: 'DENIED' };
    }
    default:
      return unreachable(type);
  }
}

function ofAccess({ type, data }: AccessEvent): Audited {
  switch (type) {
    case 'RightsLookedUp':
      return ok('ORG_REP_LOOKUP', data.civilId === null ? '-' : personEtsi(data.civilId), {
        organizations: data.registers.map(organizationEtsi),
      });
    case 'OnBehalfAccepted':
      return right('ORG_ONBEHALF', data, { sessionId: data.sessionId });
    case 'OnBehalfDenied':
      return { ...right('ORG_ONBEHALF', data, { code: data.code }), outcome: 'DENIED' };
    default:
      return unreachable(type);
  }
}

/** About an organization and one who represents it, or would. */
function right(
  type: AuditEventType,
  { register, civilId }: { readonly register: string; readonly civilId: string },
  details: AuditRow['details'],
): Audited {
  return ok(type, organizationEtsi(register), { person: personEtsi(civilId), ...details });
}

function audited(event: AuditedEvent, stream: string): Audited {
  switch (categoryOf(stream)) {
    case 'organization':
      return ofOrganization(event as OrganizationEvent);
    case 'representation':
      return ofRights(event as RepresentationEvent);
    case 'seal':
    case 'sealCertificate':
      return ofSeal(event as SealEvent | SealCertificateIssued);
    default:
      return ofAccess(event as AccessEvent);
  }
}

function evolve(
  _row: AuditRow | undefined,
  event: AuditedEvent,
  eventId: string,
  { stream, metadata: { actor, time } }: RecordedEvent,
): AuditRow | undefined {
  // The intent alone; its outcome is audited.
  if ((event as DomainEvent).type === 'SealCertificateRequested') return undefined;
  return {
    ...audited(event, stream),
    event_id: eventId,
    actor_kind: actor.kind,
    actor_id: actor.id,
    happened_at: time,
    revision: 0n,
  };
}

/** The audit, table `audit_view`: one row an event. */
export const auditReadModel = readModel<AuditRow, AuditedEvent>({
  name: 'audit',
  table: 'audit_view',
  category: ['organization', 'representation', 'access', 'seal', 'sealCertificate'],
  key: 'event_id',
  keyOf: ({ id }) => id,
  columns: {
    event_id: 'text',
    type: 'text',
    actor_kind: 'text',
    actor_id: 'text',
    subject: 'text',
    outcome: 'text',
    happened_at: 'timestamptz',
    details: 'jsonb',
    revision: 'int8',
  },
  evolve,
  topics: () => [],
  isFinal: () => true,
});

// Queries

/** Queries over the audit. */
export function createAuditTrail(database: Kysely<Database>): AuditTrail {
  return {
    async auditEntries({ type, subject }, limit) {
      let query = database.selectFrom('audit_view').selectAll();
      if (type !== undefined) query = query.where('type', '=', type);
      if (subject !== undefined) query = query.where('subject', '=', subject);
      const rows = await query
        .orderBy('happened_at', 'desc')
        .orderBy('event_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        eventId: row.event_id,
        type: row.type,
        actor: { kind: row.actor_kind, id: row.actor_id },
        subject: row.subject,
        outcome: row.outcome,
        at: row.happened_at,
        details: row.details,
      }));
    },
  };
}
