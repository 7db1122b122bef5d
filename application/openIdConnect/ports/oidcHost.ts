import type {
  CitizenLoggedOut,
  CredentialRefused,
  TokenExchanged,
} from '../../../domain/oidcAccess/events.ts';
import type { OidcClientSettings } from '../../../domain/oidcClient/settings.ts';
import type { ConsentScope } from '../../../domain/shared/consentScopes.ts';
import type { ApisOf } from './servedApis.ts';

/** An active client. */
export interface ServedClient {
  readonly clientId: string;
  readonly settings: OidcClientSettings;
  /** SHA-256 of the secret, lower-case hexadecimal; null: none. */
  readonly secretHash: string | null;
}

/** A usable account. */
export interface ServedAccount {
  /** Input of the pairwise subject identifier: the civil id. */
  readonly person: string;
  /** Register number of the represented organization; null: none. */
  readonly register: string | null;
  /** By name. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Callbacks of the OpenID Connect provider into the platform. */
export interface OidcHost {
  /** Null: unknown or deactivated, or its relying party is. */
  client(clientId: string): Promise<ServedClient | null>;
  /** Null: its citizen is forgotten or has no valid certificate, or may no longer act for the organization. */
  account(accountId: string): Promise<ServedAccount | null>;
  /** E-mail address of the account's citizen; null: unknown. */
  email(accountId: string): Promise<string | null>;
  /** Scopes the account's citizen granted the client. */
  consentedScopes(accountId: string, clientId: string): Promise<readonly ConsentScope[]>;
  /** The APIs that a client may ask for. */
  readonly apisOf: ApisOf;
  /** Register number in `on_behalf_of`, as sent by a client; null: malformed. */
  registerIn(onBehalfOf: string): string | null;
  /** Authentication context classes, the highest first. */
  readonly contextClasses: readonly string[];
  /** True when a login of class `acr` satisfies `acr_values`. */
  satisfies(acr: string | undefined, acrValues: readonly string[]): boolean;
  /** Records that an API acts for a citizen at another one (RFC 8693). Resolved means durable. */
  exchanged(
    exchange: Omit<TokenExchanged['data'], 'exchangedAt' | 'civilId'> & {
      readonly accountId: string;
    },
  ): Promise<void>;
  /** Records that a citizen logged out at these clients. Resolved means durable. */
  loggedOut(
    logout: Pick<CitizenLoggedOut['data'], 'clientIds'> & { readonly accountId: string },
  ): Promise<void>;
  /** Reports a credential whose use only misuse or a defect explains. */
  refused(
    refusal: Omit<CredentialRefused['data'], 'refusedAt' | 'civilId'> & {
      readonly accountId: string | null;
    },
  ): void;
}
