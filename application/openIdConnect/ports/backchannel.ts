/** A backchannel authentication request, as the client sent it (OpenID Connect CIBA Core §7.1). */
export interface BackchannelRequest {
  /** `auth_req_id`. */
  readonly id: string;
  readonly clientId: string;
  /** `login_hint` as sent; {@link Backchannel.accountOf} knows it. */
  readonly loginHint: string;
  /** Shown on the phone; null: the client's name is. */
  readonly bindingMessage: string | null;
  readonly acrValues: readonly string[];
  readonly expiresAt: Date;
}

/** A login that the citizen confirmed on the phone. */
export interface BackchannelLogin {
  readonly accountId: string;
  /** Authentication context class reached. */
  readonly acr: string;
  readonly amr: readonly string[];
  /** Scopes the citizen granted the client earlier, `openid` always: the phone asks for none. */
  readonly scopes: readonly string[];
}

export type BackchannelState =
  | { readonly state: 'RUNNING' }
  | { readonly state: 'PROVEN'; readonly login: BackchannelLogin }
  /** The end result of the session, or why it is not believed. */
  | { readonly state: 'FAILED'; readonly endResult: string };

/** Authentication of citizens by push, without a browser: the platform's part of CIBA. */
export interface Backchannel {
  /**
   * Account of a civil id, registration number or document number; null: none, which counts like a push, so that nobody
   * tries numbers without end.
   *
   * @throws Refusal RATE_LIMITED
   */
  accountOf(clientId: string, loginHint: string): Promise<string | null>;
  /**
   * Pushes the question to the phone. Resolved means durable.
   *
   * @returns verification code, which the client displays for comparison
   * @throws Refusal as {@link StartLogin}
   */
  begin(request: BackchannelRequest): Promise<string>;
  /** State of a request, now. A proven one is recorded for the audit, at least once. */
  stateOf(id: string): Promise<BackchannelState>;
}
