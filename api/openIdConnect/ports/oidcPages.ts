/** A rendered page: status, lower-case header names, HTML. */
export interface HostedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** Inputs of the language choice. */
export interface PageReader {
  /** `ui_locales` of the request as received (OpenID Connect Core §3.1.2.1); null: none. */
  readonly uiLocales: string | null;
  /** The `Accept-Language` header. */
  readonly acceptLanguage: string | undefined;
  /** The `Cookie` header: choice made on another page. */
  readonly cookie: string | undefined;
}

/** Names of a client in both languages. */
interface NamedClient {
  readonly name: string;
  readonly nameEn: string | null;
}

/** Form target, and the token that comes with it. */
interface CodeForm {
  readonly action: string;
  readonly xsrf: string;
}

/** Pages of the device authorization grant (RFC 8628 §3.3), all of them opened with a browser. */
export interface DevicePages {
  /** Asks for the `user_code`. @param form with what was typed, and what is wrong with it; null: nothing */
  userCode(
    reader: PageReader & {
      /** Language that was switched to; null: none. */
      readonly asked: string | null;
      readonly isSecure: boolean;
    },
    form: CodeForm & { readonly typed: string; readonly fault: 'fault' | 'busy' | null },
  ): HostedPage;
  /** Asks whether the device is the reader's: `confirm=yes` or `abort=yes` beside `user_code` (RFC 8628 §5.4). */
  confirmCode(
    reader: PageReader,
    form: CodeForm & { readonly userCode: string; readonly client: NamedClient },
  ): HostedPage;
  connected(reader: PageReader, client: NamedClient): HostedPage;
  refused(reader: PageReader): HostedPage;
}

/** Pages of the provider itself, outside of interactions. */
export interface OidcPages extends DevicePages {
  /** Asks the user to confirm the logout (OpenID Connect RP-Initiated Logout §2). */
  logout(
    reader: PageReader,
    question: {
      /** Null: not requested by a client. */
      readonly client: { readonly name: string; readonly nameEn: string | null } | null;
      /** Form target, with `xsrf`, and `logout=yes` to end the session with every client. */
      readonly action: string;
      readonly xsrf: string;
      /** Registered address to redirect to; null: {@link loggedOut}. */
      readonly postLogoutRedirectUri: string | null;
    },
  ): HostedPage;
  loggedOut(reader: PageReader): HostedPage;
  /** Shown for a request that cannot be redirected to its client. */
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
