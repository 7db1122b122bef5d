import type { DomainEvent } from '../shared/decider.ts';

// Storage format: see domain/session/events.ts.

export const organizationStatuses = [
  'PENDING',
  'VERIFIED',
  'ACTIVE',
  'SUSPENDED',
  'REVOKED',
] as const;

export type OrganizationStatus = (typeof organizationStatuses)[number];

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

/** Its name in its own letters is another now. */
export type OrganizationNameChanged = DomainEvent<
  'OrganizationNameChanged',
  { readonly register: string; readonly name: string; readonly changedAt: string }
>;

/** Its Latin name is another now. */
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
  | OrganizationNameChanged
  | OrganizationRenamed;
