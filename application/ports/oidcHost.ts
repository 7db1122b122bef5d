import type { CredentialRefused } from '../../domain/oidcAccess/events.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/events.ts';
import type { OpenIdScopeName } from '../../domain/shared/openIdScopes.ts';

/** A client that may be served now. */
export interface ServedClient {
  readonly clientId: string;
  readonly settings: OidcClientSettings;
  /** SHA-256 of the secret, lower-case hexadecimal; null: it has none. */
  readonly secretHash: string | null;
}

/** An account that may be used now. */
export interface ServedAccount {
  /** What a client's name for the citizen is made from: the civil id. */
  readonly person: string;
  /** The organization it acts for, by register; null: for nobody else. */
  readonly register: string | null;
  /** By name. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Everything the OpenID Connect provider asks of the platform. */
export interface OidcHost {
  /** Null: unknown, deactivated, or its relying party is. */
  client(clientId: string): Promise<ServedClient | null>;
  /** Null: its citizen is forgotten or has no certificate in force, or acts for the organization no more. */
  account(accountId: string): Promise<ServedAccount | null>;
  /** The e-mail address of the account's citizen; null: none is known now. */
  email(accountId: string): Promise<string | null>;
  /** What the account's citizen agreed to towards the client. */
  consentedScopes(accountId: string, clientId: string): Promise<readonly OpenIdScopeName[]>;
  /** The register in `on_behalf_of`, as a client sent it; null: it names no organization. */
  registerIn(onBehalfOf: string): string | null;
  /** Authentication context classes, the highest first. */
  readonly contextClasses: readonly string[];
  /** Whether a login of class `acr` is good enough for `acr_values`. */
  satisfies(acr: string | undefined, acrValues: readonly string[]): boolean;
  /** Something was presented that only misuse or a defect explains. */
  refused(
    refusal: Omit<CredentialRefused['data'], 'refusedAt' | 'civilId'> & {
      readonly accountId: string | null;
    },
  ): void;
}
