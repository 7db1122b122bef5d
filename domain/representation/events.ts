import type { DomainEvent } from '../shared/decider.ts';

// Storage format: see domain/session/events.ts. Persons are named by civil id alone.

/** ADMIN may add and remove signers; MANAGER signs (specification, Representative). */
export const rightTypes = ['ADMIN', 'MANAGER'] as const;

export type RightType = (typeof rightTypes)[number];

/** Where a right comes from: a registry, or a document somebody attested. */
export const rightSources = ['REGISTRY', 'MANUAL'] as const;

export type RightSource = (typeof rightSources)[number];

/** What a right consists of. */
export interface RightTerms {
  readonly civilId: string;
  readonly rightType: RightType;
  /** Title, free text; null: none. */
  readonly role: string | null;
  readonly source: RightSource;
  /** The document that attests it; null: none. */
  readonly evidenceRef: string | null;
  /** ISO 8601, as all times here: from this moment on. */
  readonly validFrom: string;
  /** Up to, not including, this moment; null: without end. */
  readonly validTo: string | null;
}

/** In force at once; replaces what right the person had. */
export type RightGranted = DomainEvent<
  'RightGranted',
  RightTerms & { readonly register: string; readonly grantedAt: string }
>;

/** An administrator asks a person to sign for the organization; again: another session for the same answer. */
export type SignerInvited = DomainEvent<
  'SignerInvited',
  {
    readonly register: string;
    readonly civilId: string;
    readonly role: string | null;
    /** Civil id of the administrator. */
    readonly invitedBy: string;
    /** The signature session in which the person agrees. */
    readonly sessionId: string;
    readonly invitedAt: string;
  }
>;

/** The invited person agreed: from here on a MANAGER. */
export type SignerConfirmed = DomainEvent<
  'SignerConfirmed',
  {
    readonly register: string;
    readonly civilId: string;
    readonly sessionId: string;
    readonly confirmedAt: string;
  }
>;

export type RightWithdrawn = DomainEvent<
  'RightWithdrawn',
  { readonly register: string; readonly civilId: string; readonly withdrawnAt: string }
>;

export type RepresentationEvent = RightGranted | SignerInvited | SignerConfirmed | RightWithdrawn;
