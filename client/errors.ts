import type { EndResult } from './endResult.ts';
import { type ProblemCode, readProblemCode } from './problemCodes.ts';

/**
 * Base of all errors this library throws. No message, field or cause of it ever holds the API
 * secret.
 */
export abstract class ClientError extends Error {}

/**
 * A setting or an argument that cannot work: missing, of another type, too long. Nothing was sent. The message names it
 * and what it must be: correct the program or its settings; trying again does not help.
 */
export class ConfigurationError extends ClientError {
  /** Name of the error. */
  override readonly name = 'ConfigurationError';
}

/** A fault in one field of a request. */
export interface FieldFault {
  /** Place: an RFC 6901 JSON pointer into the body, or `#/query/x`, `#/path/x`, `#/header/x`. */
  readonly pointer: string;
  /** Fault, with the remedy. */
  readonly detail: string;
}

/**
 * Response of the service with a status other than 2xx. Decide by `code`: 404 `PERSON_NOT_FOUND` or
 * `NO_SUITABLE_CERTIFICATE`: tell the user that this person has no usable phone; 409: the state does not allow it, read
 * it again; 503: ask again after `retryAfterMs`; other 4xx: correct the request, `faults` has its fields, and the message names them;
 * 5xx: ask again later.
 */
export class ApiError extends ClientError {
  /** Name of the error. */
  override readonly name: string = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** The parsed problem document, or the text. */
  readonly body: unknown;
  /**
   * Stable code of the problem (for example `PERSON_NOT_FOUND`); null when the body has none, or one that this version
   * of the library does not know.
   */
  readonly code: ProblemCode | null;
  /** Faults of single fields; mostly none. */
  readonly faults: readonly FieldFault[];
  /** Retry-After of the response (429, 503), ms; null when absent. */
  readonly retryAfterMs: number | null;

  constructor(status: number, body: unknown, retryAfterMs: number | null = null) {
    const faults = faultsOf(body);
    super(describe(status, body, faults));
    this.faults = faults;
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
    this.code = readProblemCode(textField(body, 'code'));
  }
}

/**
 * 401: the API secret is wrong, missing, or not of this relying party. Check `credentials` for both; a rotated secret
 * must be replaced in the settings.
 */
export class AuthenticationError extends ApiError {
  /** Name of the error. */
  override readonly name = 'AuthenticationError';
}

/**
 * 403: address or client certificate not allowed, permission or right to represent missing; `code` says which. Ask the
 * operator of the service to permit it; of a missing right tell the user.
 */
export class ForbiddenError extends ApiError {
  /** Name of the error. */
  override readonly name = 'ForbiddenError';
}

/**
 * 429: a limit of calls, or of requests to one citizen, is reached; `reason` says which. Ask again after
 * `retryAfterMs`, not before: calls meanwhile count, too.
 */
export class RateLimitedError extends ApiError {
  /** Name of the error. */
  override readonly name = 'RateLimitedError';
  /** Limit that is reached, in the service's words: for your log; null when the body has none. */
  get reason(): string | null {
    return textField(this.body, 'detail') ?? textField(this.body, 'error');
  }
}

/**
 * No complete response: connection failed, response unreadable, or timeout. Ask again later. A call that starts something
 * may have arrived: start it again with the same `nonce` to get the same session, where the call takes one.
 */
export class NetworkError extends ClientError {
  /** Name of the error. */
  override readonly name = 'NetworkError';
}

/**
 * The citizen did not confirm: `endResult` has the reason; null when the session is still RUNNING: wait for it. Tell the
 * user what happened and let them begin again; never repeat a request that was refused by yourself.
 */
export class SessionFailedError extends ClientError {
  /** Name of the error. */
  override readonly name = 'SessionFailedError';
  /** End of the session; null while RUNNING. */
  readonly endResult: EndResult | null;

  constructor(endResult: EndResult | null) {
    super(
      endResult === null
        ? 'The session is not complete.'
        : `The session ended with ${printable(endResult)}.`,
    );
    this.endResult = endResult;
  }
}

/** Failed check of a response. */
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

/**
 * The response claims OK but failed validation; `code` says which check. Do not log in and do not accept the signature;
 * keep the response for an investigation. `NO_TRUST_ANCHOR`, `INPUT_INVALID` and `PROTOCOL_MISMATCH` are faults of the
 * calling program.
 */
export class ValidationError extends ClientError {
  /** Name of the error. */
  override readonly name = 'ValidationError';
  /** Failed check. */
  readonly code: ValidationCode;

  constructor(code: ValidationCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Faults that a message names; the rest is in `faults`. */
const NAMED_FAULTS = 3;

function describe(status: number, body: unknown, faults: readonly FieldFault[]): string {
  const sentence =
    textField(body, 'detail') ?? textField(body, 'error') ?? textField(body, 'title');
  const named = faults
    .slice(0, NAMED_FAULTS)
    .map(({ pointer, detail }) => ` ${printable(pointer)}: ${printable(detail)}`);
  return sentence === null
    ? `The service answered ${status}.`
    : `The service answered ${status}: ${printable(sentence)}${named.join('')}`;
}

function faultsOf(body: unknown): readonly FieldFault[] {
  const listed = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : [];
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((each: unknown) => {
    const [pointer, detail] = [textField(each, 'pointer'), textField(each, 'detail')];
    return pointer === null || detail === null ? [] : [{ pointer, detail }];
  });
}

function textField(body: unknown, field: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value: unknown = (body as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : null;
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}
