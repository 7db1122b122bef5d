/** Anything this library throws on purpose. No message, field or cause of it ever holds the API secret. */
export abstract class ClientError extends Error {}

/** The configuration, or the options of a call, cannot work: an address or a secret is missing or malformed. */
export class ConfigurationError extends ClientError {
  /** Which error it is. */
  override readonly name = 'ConfigurationError';
}

/** An answer of the service with a status other than 2xx. `body` is the parsed problem document, or the text. */
export class ApiError extends ClientError {
  /** Which error it is. */
  override readonly name: string = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** The parsed problem document, or the text. */
  readonly body: unknown;
  /** The problem's stable code (for example `PERSON_NOT_FOUND`); null when the body has none. */
  readonly code: string | null;
  /** How long the service asks to wait before the next call (429, 503), ms; null when it does not. */
  readonly retryAfterMs: number | null;

  constructor(status: number, body: unknown, retryAfterMs: number | null = null) {
    super(describe(status, body));
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
    this.code = textField(body, 'code');
  }
}

/** 401: the API secret is wrong, missing, or not of this relying party. */
export class AuthenticationError extends ApiError {
  /** Which error it is. */
  override readonly name = 'AuthenticationError';
}

/** 403: address or client certificate not allowed, permission or right to represent missing. */
export class ForbiddenError extends ApiError {
  /** Which error it is. */
  override readonly name = 'ForbiddenError';
}

/** No complete answer: connection failed, answer unreadable, or time ran out. */
export class NetworkError extends ClientError {
  /** Which error it is. */
  override readonly name = 'NetworkError';
}

/** The citizen did not confirm: `endResult` says why; it is null when the session is still RUNNING. */
export class SessionFailedError extends ClientError {
  /** Which error it is. */
  override readonly name = 'SessionFailedError';
  /** As received; null while RUNNING. */
  readonly endResult: string | null;

  constructor(endResult: string | null) {
    super(
      endResult === null
        ? 'The session is not complete.'
        : `The session ended with ${printable(endResult)}.`,
    );
    this.endResult = endResult;
  }
}

/** Which check a response failed. */
export type ValidationCode =
  | 'NO_TRUST_ANCHOR'
  | 'RESPONSE_INCOMPLETE'
  | 'CERTIFICATE_MALFORMED'
  | 'CHAIN_UNTRUSTED'
  | 'CERTIFICATE_NOT_VALID_NOW'
  | 'LEVEL_TOO_LOW'
  | 'KEY_USAGE_WRONG'
  | 'KEY_UNSUPPORTED'
  | 'ALGORITHM_UNSUPPORTED'
  | 'SIGNATURE_INVALID'
  | 'ALGORITHM_DOWNGRADED'
  | 'PROTOCOL_MISMATCH'
  | 'PERSON_MISMATCH'
  | 'ORGANIZATION_MISMATCH'
  | 'INPUT_INVALID'
  | 'CALLBACK_MISMATCH'
  | 'DOCUMENT_ALTERED'
  | 'REVOKED'
  | 'REVOCATION_UNKNOWN';

/** The response says OK and must not be believed. */
export class ValidationError extends ClientError {
  /** Which error it is. */
  override readonly name = 'ValidationError';
  /** Which check. */
  readonly code: ValidationCode;

  constructor(code: ValidationCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

function describe(status: number, body: unknown): string {
  const sentence = textField(body, 'error') ?? textField(body, 'title');
  return sentence === null
    ? `The service answered ${status}.`
    : `The service answered ${status}: ${printable(sentence)}`;
}

function textField(body: unknown, field: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value: unknown = (body as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : null;
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}
