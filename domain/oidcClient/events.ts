import type { DomainEvent } from '../shared/decider.ts';
import type { OpenIdScopeName } from '../shared/openIdScopes.ts';

// Storage format: see domain/session/events.ts.

/** How a client authenticates at the token endpoint (OpenID Connect Core §9); `none`: a public client, PKCE alone. */
export const clientAuthMethods = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const;

export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/** A public key of a client (RFC 7517), members as strings. */
export type ClientKey = Readonly<Record<string, string>>;

/** What an operator decides about a client (OpenID Connect Registration §2 names the fields). */
export interface OidcClientSettings {
  /** Shown to citizens who read Mongolian. */
  readonly name: string;
  /** Shown to the others; null: `name`. */
  readonly nameEn: string | null;
  /** Exact addresses (OAuth 2.1 §4.1.1): https, or http on the machine itself in development. */
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** OpenID Connect Back-Channel Logout §2.2; null: not told. */
  readonly backchannelLogoutUri: string | null;
  readonly authMethod: ClientAuthMethod;
  /** Of `private_key_jwt`; empty otherwise. */
  readonly keys: readonly ClientKey[];
  /** What it may ask for; `openid` always. */
  readonly scopes: readonly OpenIdScopeName[];
  /** Clients of one sector know a citizen by the same `sub` (OpenID Connect Core §8.1). */
  readonly sector: string;
  readonly logoUri: string | null;
  readonly clientUri: string | null;
  /** National registration number of the organization it belongs to; null: none is known. */
  readonly organization: string | null;
}

export type OidcClientRegistered = DomainEvent<
  'OidcClientRegistered',
  OidcClientSettings & {
    readonly clientId: string;
    /** In whose name citizens are asked; never changes. */
    readonly relyingPartyId: string;
    /** SHA-256 of the secret, lower-case hexadecimal; null: it has none. */
    readonly secretHash: string | null;
    readonly registeredAt: string;
  }
>;

/** All settings after the change. */
export type OidcClientEdited = DomainEvent<
  'OidcClientEdited',
  OidcClientSettings & { readonly clientId: string; readonly editedAt: string }
>;

export type OidcClientSecretRotated = DomainEvent<
  'OidcClientSecretRotated',
  { readonly clientId: string; readonly secretHash: string; readonly rotatedAt: string }
>;

export type OidcClientDeactivated = DomainEvent<
  'OidcClientDeactivated',
  { readonly clientId: string; readonly deactivatedAt: string }
>;

export type OidcClientReactivated = DomainEvent<
  'OidcClientReactivated',
  { readonly clientId: string; readonly reactivatedAt: string }
>;

export type OidcClientEvent =
  | OidcClientRegistered
  | OidcClientEdited
  | OidcClientSecretRotated
  | OidcClientDeactivated
  | OidcClientReactivated;
