import type { Capability } from '../../domain/operator/capabilities.ts';

/**
 * What auditors see. The names of organizations' rights and seals are the specification's (Operator records, Events); the
 * others follow them.
 */
export const auditEventTypes = [
  'SESSION_START',
  'SESSION_CLAIM',
  'SESSION_CONFIRM',
  'SESSION_CERT_CHOICE',
  'SESSION_REFUSE',
  'SESSION_FAIL',
  'SESSION_EXPIRE',
  'DOC_STAMP',
  'IDENTITY_VERIFY',
  'KYC_START',
  'KYC_ATTEMPT',
  'KYC_ATTEMPT_FAIL',
  'KYC_SUCCEED',
  'KYC_EXHAUST',
  'KYC_EXPIRE',
  'KYC_CANCEL',
  'IDENTITY_UPDATE',
  'CITIZEN_ENROL',
  'ENROLMENT_TOKEN_USE',
  'DEVICE_ENROL',
  'DEVICE_DEACTIVATE',
  'CERT_REQUEST',
  'CERT_ISSUE',
  'CERT_SUPERSEDE',
  'CERT_SUSPEND',
  'CERT_REINSTATE',
  'CERT_REVOKE',
  'RP_REGISTER',
  'RP_SECRET_ROTATE',
  'RP_EDIT',
  'RP_DEACTIVATE',
  'RP_REACTIVATE',
  'RP_SUBSYSTEM_ADD',
  'RP_SUBSYSTEM_RENAME',
  'RP_SUBSYSTEM_DEACTIVATE',
  'RP_SUBSYSTEM_ACTIVATE',
  'RP_SUBSYSTEM_MERGE',
  'ORG_REGISTER',
  'ORG_STATUS',
  'ORG_RENAME',
  'ORG_REP_ADD',
  'ORG_REP_REMOVE',
  'ORG_REP_LOOKUP',
  'ORG_ONBEHALF',
  'SEAL_CERT_REQUEST',
  'SEAL_CERT_ISSUE',
  'ORG_SEAL',
  'OPERATOR_ADD',
  'OPERATOR_ROLE_CHANGE',
  'OPERATOR_DEACTIVATE',
  'OPERATOR_PASSWORD_CHANGE',
  'OPERATOR_PASSWORD_REHASH',
  'OPERATOR_MFA_ENROL',
  'OPERATOR_MFA_RESET',
  'OPERATOR_PASSWORD_ACCEPT',
  'OPERATOR_SIGN_IN',
  'OPERATOR_SIGN_OUT',
  'OPERATOR_THROTTLE',
  'BREAK_GLASS',
  'APPROVAL_REQUEST',
  'APPROVAL_GRANT',
  'APPROVAL_REJECT',
  'APPROVAL_EXECUTE',
  'APPROVAL_FAIL',
  'APPROVAL_EXPIRE',
  'COMMAND_DENIED',
  'OPERATOR_READ',
  'PERSON_FORGET',
  'AI_PROMPT_CHANGE',
  'AI_ARTICLE_ADD',
  'AI_ARTICLE_CHANGE',
  'AI_ARTICLE_REMOVE',
  'OIDC_CLIENT_REGISTER',
  'OIDC_CLIENT_EDIT',
  'OIDC_CLIENT_SECRET_ROTATE',
  'OIDC_CLIENT_DEACTIVATE',
  'OIDC_CLIENT_REACTIVATE',
  'CONSENT_GIVE',
  'CONSENT_WITHDRAW',
  'OIDC_LOGIN',
  'OIDC_CREDENTIAL_REFUSE',
  'OIDC_LOGINS_END',
  'DOCUMENT_CREATE',
  'DOCUMENT_FILE_ATTACH',
  'DOCUMENT_SIGN_START',
  'DOCUMENT_SIGN',
  'DOCUMENT_SIGN_END',
  'DOCUMENT_POLICY_CHANGE',
] as const;

export type AuditEventType = (typeof auditEventTypes)[number];

export type AuditOutcome = 'OK' | 'DENIED';

/** Further facts, by event type; no personal data but civil ids. */
export type AuditDetails = Readonly<Record<string, unknown>>;

/** One line of the audit: who did what to whom, and whether they were let. */
export interface AuditEntry {
  readonly eventId: string;
  /** Place in the log. */
  readonly position: bigint;
  readonly at: Date;
  readonly type: AuditEventType;
  readonly outcome: AuditOutcome;
  readonly actor: { readonly kind: string; readonly id: string };
  /** What an operator needs to be let do this; null: it was no operator. */
  readonly capability: Capability | null;
  /** Public identifier of what it was done to; `-` when nothing was meant that exists. */
  readonly subject: string;
  /** ETSI identifier of the citizen concerned; null when the event names none. */
  readonly person: string | null;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly details: AuditDetails;
}

/** Absent: whatever it is. */
export interface AuditFilter {
  readonly type?: AuditEventType | undefined;
  /** A public identifier; an ETSI identifier of a person finds whatever concerned them. */
  readonly subject?: string | undefined;
  /** The actor's id. */
  readonly actor?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** From this time on. */
  readonly from?: Date | undefined;
  /** Before this time. */
  readonly to?: Date | undefined;
}

export interface AuditPage {
  readonly items: readonly AuditEntry[];
  /** How many there are; an estimate while many were not counted yet. */
  readonly total: number;
}

/** One line, and where its event stands. */
export interface PlacedAuditEntry extends AuditEntry {
  readonly stream: string;
  readonly revision: bigint;
}

export interface AuditTrail {
  /** The newest first. */
  auditEntries(
    filter: AuditFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<AuditPage>;
  /** @returns null when there is no such event */
  auditEntry(eventId: string): Promise<PlacedAuditEntry | null>;
}

/** Fields that an event changed, before and after it; null: the thing was not there, or nothing has a state here. */
export interface AuditChange {
  readonly before: AuditDetails | null;
  readonly after: AuditDetails | null;
}

/** Finds out from the log what the event of a line changed. */
export type AuditChanges = (
  entry: Pick<PlacedAuditEntry, 'stream' | 'revision' | 'subject'>,
) => Promise<AuditChange>;
