import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';

/** An OpenID Connect client as people see it. */
export interface OidcClientCard {
  readonly clientId: string;
  /** Whose registration the sessions of its logins run under. */
  readonly relyingPartyId: string;
  readonly name: { readonly mn: string; readonly en: string };
  readonly clientUri: string | null;
  readonly logoUri: string | null;
}

/** A client's request for a person, while the hosted pages lead the person through it. */
export interface OidcInteraction {
  readonly uid: string;
  readonly prompt: 'login' | 'consent';
  readonly client: OidcClientCard;
  readonly redirectUri: string;
  /** All that were asked for, `openid` among them. */
  readonly scopes: readonly string[];
  /** Of them, what the person has agreed to before; empty at a login. */
  readonly grantedScopes: readonly string[];
  /** BCP 47 tags, most wanted first (OpenID Connect Core §3.1.2.1). */
  readonly uiLocales: readonly string[];
  /** The lowest certificate level that satisfies `acr_values` and the client's registration. */
  readonly minimumLevel: CertificateLevel;
  readonly loginHint: string | null;
  /** Who is signed in; null: nobody yet. */
  readonly civilId: string | null;
}

/** What a person proved by an eID session. */
export interface OidcLogin {
  readonly civilId: string;
  /** The session that was answered OK and whose signature has been verified; never used for another login. */
  readonly sessionId: string;
  /** Of the certificate that answered; says the `acr`. */
  readonly certificateLevel: CertificateLevel;
  /** RFC 8176. */
  readonly amr: readonly string[];
  /** National register of whom the person acts for; null: for nobody else. The right was in force a moment ago. */
  readonly organization: string | null;
  /** ISO 8601: when the phone answered. */
  readonly authenticatedAt: string;
}

/** What names an interaction: its address, and the browser's cookies, which alone prove that it is this browser's. */
export interface OidcInteractionReference {
  readonly uid: string;
  /** The `Cookie` header as received. */
  readonly cookie: string | undefined;
}

/**
 * Interactions of the OpenID Connect provider. Those that end one answer where the browser goes next.
 *
 * @throws Refusal INTERACTION_NOT_FOUND from what ends one: unknown, ended, expired or another browser's
 */
export interface OidcInteractions {
  /** Null: unknown, ended, expired, or another browser's. */
  find(reference: OidcInteractionReference): Promise<OidcInteraction | null>;
  finishLogin(reference: OidcInteractionReference, login: OidcLogin): Promise<string>;
  /** @param scopes what the person agreed to @param remember whether the client's next request asks again */
  finishConsent(
    reference: OidcInteractionReference,
    consent: { readonly scopes: readonly string[]; readonly remember: boolean },
  ): Promise<string>;
  /** The person does not want to, or cannot: the client gets `access_denied` (RFC 6749 §4.1.2.1). */
  abort(reference: OidcInteractionReference): Promise<string>;
}
