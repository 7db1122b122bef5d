/** A page, ready to be sent: status, lower-case header names, HTML. */
export interface HostedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** What the language of a page is chosen by. */
export interface PageReader {
  /** `ui_locales` of the request as received (OpenID Connect Core §3.1.2.1); null: none. */
  readonly uiLocales: string | null;
  /** The `Accept-Language` header. */
  readonly acceptLanguage: string | undefined;
  /** The `Cookie` header: what the reader chose on another page. */
  readonly cookie: string | undefined;
}

/** What the provider itself answers a browser with, outside of interactions. */
export interface OidcPages {
  /** Asks whether to log out (OpenID Connect RP-Initiated Logout §2). */
  logout(
    reader: PageReader,
    question: {
      /** Null: no client asked. */
      readonly client: { readonly name: string; readonly nameEn: string | null } | null;
      /** Where the answer is posted, with `xsrf`, and `logout=yes` to end the session with every client. */
      readonly action: string;
      readonly xsrf: string;
      /** Registered address the browser goes to afterwards; null: {@link loggedOut}. */
      readonly postLogoutRedirectUri: string | null;
    },
  ): HostedPage;
  loggedOut(reader: PageReader): HostedPage;
  /** A request that cannot be taken back to its client. */
  error(
    reader: PageReader,
    fault: {
      /** OAuth error code, for example `invalid_redirect_uri`. */
      readonly error: string;
      readonly description: string | null;
      readonly requestId: string;
      readonly status: number;
    },
  ): HostedPage;
}
