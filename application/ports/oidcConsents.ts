import type { OidcClientCard } from './oidcInteractions.ts';

/** A client as the consent lookup shows it (contract §11). */
export interface OidcClientFact extends OidcClientCard {
  readonly redirectUris: readonly string[];
  /** Scopes the client may ask for. */
  readonly scopes: readonly string[];
}

/** A consent in force. */
export interface OidcConsent {
  readonly client: OidcClientCard;
  readonly scopes: readonly string[];
  /** ISO 8601. */
  readonly givenAt: string;
}

/** What is asked of clients and consents outside of an interaction. */
export interface OidcConsents {
  /** An active client; null: none of this name. */
  client(clientId: string): Promise<OidcClientFact | null>;
  /** Scopes the person has granted the client and not withdrawn. */
  grantedScopes(civilId: string, clientId: string): Promise<readonly string[]>;
  /** All consents of a person, newest first. */
  consentsOf(civilId: string): Promise<readonly OidcConsent[]>;
  /** Ends the consent, and with it the client's tokens and sessions for the person. */
  withdraw(civilId: string, clientId: string): Promise<void>;
  /** Whose sign-in session at the provider the browser has. @param cookie the `Cookie` header as received */
  signedIn(cookie: string | undefined): Promise<{ readonly civilId: string } | null>;
}
