import type { DomainEvent } from '../shared/decider.ts';

// Storage format: see domain/session/events.ts.

export type OrganizationStatus = 'PENDING' | 'VERIFIED' | 'ACTIVE' | 'SUSPENDED' | 'REVOKED';

export type OrganizationRegistered = DomainEvent<
  'OrganizationRegistered',
  {
    /** National registration number, upper case. */
    readonly register: string;
    readonly name: string;
    /** Upper case, in the letters of ICAO Doc 9303; null: none yet. */
    readonly nameLatin: string | null;
    /** ACTIVE when whoever registers it vouches for it. */
    readonly status: 'PENDING' | 'ACTIVE';
    /** ISO 8601, as all times here. */
    readonly registeredAt: string;
  }
>;

export type OrganizationVerified = DomainEvent<
  'OrganizationVerified',
  { readonly register: string; readonly verifiedAt: string }
>;

export type OrganizationActivated = DomainEvent<
  'OrganizationActivated',
  { readonly register: string; readonly activatedAt: string }
>;

export type OrganizationSuspended = DomainEvent<
  'OrganizationSuspended',
  { readonly register: string; readonly suspendedAt: string }
>;

/** The suspension ended; the organization is again what it was before. */
export type OrganizationRestored = DomainEvent<
  'OrganizationRestored',
  { readonly register: string; readonly restoredAt: string }
>;

/** For good. */
export type OrganizationRevoked = DomainEvent<
  'OrganizationRevoked',
  { readonly register: string; readonly revokedAt: string }
>;

export type OrganizationRenamed = DomainEvent<
  'OrganizationRenamed',
  { readonly register: string; readonly nameLatin: string; readonly renamedAt: string }
>;

export type OrganizationEvent =
  | OrganizationRegistered
  | OrganizationVerified
  | OrganizationActivated
  | OrganizationSuspended
  | OrganizationRestored
  | OrganizationRevoked
  | OrganizationRenamed;
