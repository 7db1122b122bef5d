import type { OpenIdScopeName } from '../../domain/shared/openIdScopes.ts';

/** A login or a consent the provider waits for. */
export interface PendingInteraction {
  readonly uid: string;
  readonly prompt: 'login' | 'consent';
  /** Why it is asked for, in the library's words, for example `no_session`. */
  readonly reasons: readonly string[];
  readonly clientId: string;
  readonly redirectUri: string;
  /** What the client asks for. */
  readonly scopes: readonly OpenIdScopeName[];
  /** BCP 47 tags, the preferred one first. */
  readonly uiLocales: readonly string[];
  readonly acrValues: readonly string[];
  readonly loginHint: string | null;
  /** The organization the client asks the citizen to act for; null: it does not. As sent. */
  readonly onBehalfOf: string | null;
  /** Of a consent: who is logged in, as {@link accountIdOf} names them. */
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

/** What a citizen grants a client; both lists together are what was asked. */
export interface GrantTerms {
  readonly accountId: string;
  readonly clientId: string;
  readonly granted: readonly OpenIdScopeName[];
  readonly rejected: readonly OpenIdScopeName[];
  /** The grant that is extended; null: a new one. */
  readonly grantId: string | null;
}

/** The OpenID Connect provider as the platform sees it. */
export interface OidcEngine {
  /**
   * The interaction of this browser.
   *
   * @param cookies the `Cookie` header as received
   * @returns null when there is none of that name, it is over, or the cookies are those of another browser
   */
  interaction(uid: string, cookies: string | undefined): Promise<PendingInteraction | null>;
  /** @returns where the browser is to go now. @throws Refusal INTERACTION_NOT_FOUND */
  resolve(uid: string, cookies: string | undefined, outcome: InteractionOutcome): Promise<string>;
  /** The account this browser is logged in as; null: none. @param cookies the `Cookie` header as received */
  loggedIn(cookies: string | undefined): Promise<string | null>;
  /** @returns the grant's id */
  grant(terms: GrantTerms): Promise<string>;
  /** What an access token says; null: it is none of ours, or not good any more. */
  accessToken(token: string): Promise<OidcAccess | null>;
  /** Tells every client of these sessions that they are over (OpenID Connect Back-Channel Logout), as far as it can be reached. */
  announceLogout(sessions: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
}

/** What an access token lets its bearer do. */
export interface OidcAccess {
  readonly clientId: string;
  readonly accountId: string;
  readonly scopes: readonly OpenIdScopeName[];
}
