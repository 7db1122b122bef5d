/** What auditors see, by the specification's names (Events), and beyond them the change of an organization's Latin name. */
export const auditEventTypes = [
  'ORG_REGISTER',
  'ORG_STATUS',
  'ORG_RENAME',
  'ORG_REP_ADD',
  'ORG_REP_REMOVE',
  'ORG_REP_LOOKUP',
  'ORG_ONBEHALF',
  'SEAL_CERT_ISSUE',
  'ORG_SEAL',
] as const;

export type AuditEventType = (typeof auditEventTypes)[number];

/** One line of the audit: who did what to whom, and whether they were let. */
export interface AuditEntry {
  readonly eventId: string;
  readonly type: AuditEventType;
  readonly actor: { readonly kind: string; readonly id: string };
  /** ETSI identifier; `-` when nobody enrolled was meant. */
  readonly subject: string;
  readonly outcome: 'OK' | 'DENIED';
  readonly at: Date;
  /** Further facts, by event type; no personal data but civil ids. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditTrail {
  /** The newest first. @param filter absent: whatever it is */
  auditEntries(
    filter: { readonly type?: AuditEventType; readonly subject?: string },
    limit: number,
  ): Promise<readonly AuditEntry[]>;
}
