import type { PaymentInitiation } from '../../../domain/oidcClient/paymentInitiation.ts';
import type { ConsentScope } from '../../../domain/shared/consentScopes.ts';
import type { OpenIdScopeName } from '../../../domain/shared/openIdScopes.ts';

/** A pending login or consent. */
export interface PendingInteraction {
  readonly uid: string;
  readonly prompt: 'login' | 'consent';
  /** Reasons of the prompt, in the library's terms, for example `no_session`. */
  readonly reasons: readonly string[];
  readonly clientId: string;
  readonly redirectUri: string;
  /** Scopes requested by the client, of OpenID Connect and of APIs. */
  readonly scopes: readonly ConsentScope[];
  /** BCP 47 tags, the preferred one first. */
  readonly uiLocales: readonly string[];
  readonly acrValues: readonly string[];
  readonly loginHint: string | null;
  /** The requested organization to act for, as sent; null: none. */
  readonly onBehalfOf: string | null;
  /** The payment that is asked for (RFC 9396); null: none. */
  readonly payment: PaymentInitiation | null;
  /** For a consent: the logged-in account, by {@link accountIdOf}. */
  readonly accountId: string | null;
  readonly grantId: string | null;
  readonly expiresAt: Date;
}

export type InteractionOutcome =
  | {
      readonly login: {
        readonly accountId: string;
        readonly acr: string;
        readonly amr: readonly string[];
      };
    }
  | { readonly consent: { readonly grantId: string } }
  | { readonly error: string; readonly error_description: string };

/** A citizen's grant to a client; both lists together are the requested scopes. */
export interface GrantTerms {
  readonly accountId: string;
  readonly clientId: string;
  readonly granted: readonly ConsentScope[];
  readonly rejected: readonly ConsentScope[];
  /** The grant to extend; null: a new one. */
  readonly grantId: string | null;
}

/** API of the OpenID Connect provider for the platform. */
export interface OidcEngine {
  /**
   * The interaction of this browser.
   *
   * @param cookies the `Cookie` header as received
   * @returns null when unknown, over, or of another browser
   */
  interaction(uid: string, cookies: string | undefined): Promise<PendingInteraction | null>;
  /** @returns next address of the browser @throws Refusal INTERACTION_NOT_FOUND */
  resolve(uid: string, cookies: string | undefined, outcome: InteractionOutcome): Promise<string>;
  /**
   * The account logged in with this browser; null: none.
   *
   * @param cookies the `Cookie` header as received
   * @param maxAge oldest login that counts, s; omitted: any
   */
  loggedIn(cookies: string | undefined, maxAge?: number): Promise<string | null>;
  /** @returns the grant's id */
  grant(terms: GrantTerms): Promise<string>;
  /** Content of an access token; null: unknown, or no longer valid. */
  accessToken(token: string): Promise<OidcAccess | null>;
  /** Content of an access token that a client has for itself (RFC 6749 §4.4); null: unknown, or no longer valid. */
  clientAccess(
    token: string,
  ): Promise<{ readonly clientId: string; readonly scopes: readonly string[] } | null>;
  /** Signs a security event token (RFC 8417). @throws Error without a key of this algorithm */
  signSet(algorithm: string, claims: object): Promise<string>;
  /** Has every client told of the end of these sessions (OpenID Connect Back-Channel Logout). */
  announceLogout(sessions: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
}

/** A login that ended at a client which is told so. */
export interface EndedLogin {
  readonly clientId: string;
  /** Pairwise identifier of the account at the client (OpenID Connect Core §8.1). */
  readonly subject: string;
  /** Session id known to the client. */
  readonly sid: string;
}

/** Authorization by an access token. */
export interface OidcAccess {
  readonly clientId: string;
  readonly accountId: string;
  readonly scopes: readonly OpenIdScopeName[];
}
