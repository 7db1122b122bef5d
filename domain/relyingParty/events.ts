import type { DomainEvent } from '../shared/decider.ts';

// Storage format: see domain/session/events.ts.

/** What a relying party may do; a first-party one may do everything (specification, RP registration). */
export const permissions = ['AUTH', 'SIGN', 'SEAL', 'ORG_LINK_WRITE', 'PKI_READ'] as const;

export type Permission = (typeof permissions)[number];

/** Settings a registration fixes and an operator may later edit. */
export interface RelyingPartySettings {
  /** At most 32 bytes UTF-8. */
  readonly name: string;
  /** Hosts an App2App return URL may have, lower case. */
  readonly callbackHosts: readonly string[];
  /** Addresses or CIDR blocks calls may come from; empty: any. */
  readonly ipAllowlist: readonly string[];
  /** SHA-256 fingerprints (lower-case hexadecimal) of client certificates accepted; empty: none needed. */
  readonly clientCertificates: readonly string[];
  readonly permissions: readonly Permission[];
  readonly firstParty: boolean;
  /** Session-creating requests allowed a minute; null: the platform's default. */
  readonly requestsPerMinute: number | null;
  /** Whether its clients expect the HTTP statuses Smart-ID adds: 471, 472, 480, 580. */
  readonly smartIdStatuses: boolean;
}

export type RelyingPartyRegistered = DomainEvent<
  'RelyingPartyRegistered',
  RelyingPartySettings & {
    /** Lower-case UUID: `relyingPartyUUID` on the wire. */
    readonly relyingPartyId: string;
    /** SHA-256 of the API secret, lower-case hexadecimal. */
    readonly secretHash: string;
    readonly registeredAt: string;
  }
>;

export type SecretRotated = DomainEvent<
  'SecretRotated',
  { readonly relyingPartyId: string; readonly secretHash: string; readonly rotatedAt: string }
>;

export type RelyingPartyDeactivated = DomainEvent<
  'RelyingPartyDeactivated',
  { readonly relyingPartyId: string; readonly deactivatedAt: string }
>;

/** From now on its secret opens again what it may. */
export type RelyingPartyReactivated = DomainEvent<
  'RelyingPartyReactivated',
  { readonly relyingPartyId: string; readonly reactivatedAt: string }
>;

/** The settings from now on, all of them. */
export type RelyingPartyEdited = DomainEvent<
  'RelyingPartyEdited',
  RelyingPartySettings & { readonly relyingPartyId: string; readonly editedAt: string }
>;

/** A session named a subsystem not seen before (`rp_app`): it registers itself. */
export type SubsystemSeen = DomainEvent<
  'SubsystemSeen',
  { readonly relyingPartyId: string; readonly subsystem: string; readonly seenAt: string }
>;

/** Sessions naming the subsystem are refused from now on. */
export type SubsystemDeactivated = DomainEvent<
  'SubsystemDeactivated',
  { readonly relyingPartyId: string; readonly subsystem: string; readonly deactivatedAt: string }
>;

export type SubsystemActivated = DomainEvent<
  'SubsystemActivated',
  { readonly relyingPartyId: string; readonly subsystem: string; readonly activatedAt: string }
>;

export type SubsystemRenamed = DomainEvent<
  'SubsystemRenamed',
  {
    readonly relyingPartyId: string;
    readonly subsystem: string;
    /** What operators call it; null: as sessions name it. */
    readonly displayName: string | null;
    readonly renamedAt: string;
  }
>;

/** Sessions naming the subsystem count for another from now on, for good. */
export type SubsystemMerged = DomainEvent<
  'SubsystemMerged',
  {
    readonly relyingPartyId: string;
    readonly subsystem: string;
    readonly into: string;
    readonly mergedAt: string;
  }
>;

/** What operators do with a subsystem. */
export type SubsystemEvent =
  SubsystemDeactivated | SubsystemActivated | SubsystemRenamed | SubsystemMerged;

export type RelyingPartyEvent =
  | RelyingPartyRegistered
  | RelyingPartyEdited
  | SecretRotated
  | RelyingPartyDeactivated
  | RelyingPartyReactivated
  | SubsystemSeen
  | SubsystemEvent;
