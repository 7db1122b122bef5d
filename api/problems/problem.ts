import type { FieldFault, Refusal, RefusalCode } from '../../domain/shared/refusal.ts';
import { problems } from './problems.ts';
import { refusalOf } from './refusalOf.ts';
import { problemType } from './wire.ts';

/** An error response. */
export interface Problem {
  readonly code: RefusalCode;
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  /** Explanation for the caller's developer. */
  readonly detail: string;
  readonly faults: readonly FieldFault[];
  /** RFC 9457 members plus `error`, `code` and `errors` (contract §6). */
  readonly body: object;
  /** Cause, for the log only; null when the refusal is complete. */
  readonly cause: unknown;
}

/** A refusal with another status than its code's, as some clients expect. */
export class AnsweredAs extends Error {
  override readonly name = 'AnsweredAs';
  readonly status: number;
  readonly refusal: Refusal;

  constructor(status: number, refusal: Refusal) {
    super(`${status}: ${refusal.message}`, { cause: refusal });
    this.status = status;
    this.refusal = refusal;
  }
}

/** Response of a refusal. */
export interface WrittenRefusal {
  readonly status: number;
  readonly contentType: string;
  /** JSON, or the text of a page. */
  readonly body: object | string;
  /** Lower-case names; replace the common headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Default format of refusals (contract §6). */
export function asProblem({ status, body }: Problem): WrittenRefusal {
  return { status, contentType: 'application/problem+json', body };
}

/** Maps any error to a problem. Unknown errors disclose only the request id. */
export function problemOf(error: unknown, requestId: string, status?: number): Problem {
  if (error instanceof AnsweredAs) return problemOf(error.refusal, requestId, error.status);
  const refusal = refusalOf(error);
  const wire = problems[refusal.code];
  const shown = status ?? wire.status;
  const faults = refusal.errors.length === 0 ? {} : { errors: refusal.errors.map(faultOnWire) };
  // A 403 always has the table's text: clients search it for one word.
  const detail = wire.status === 403 ? wire.text : (refusal.detail ?? wire.text);
  return {
    code: refusal.code,
    status: shown,
    retryAfterSeconds: refusal.retryAfterSeconds ?? null,
    detail,
    faults: refusal.errors,
    body: {
      type: problemType(refusal.code),
      title: wire.title,
      status: shown,
      detail,
      instance: requestId,
      error: detail,
      code: refusal.code,
      ...faults,
    },
    cause: error === refusal ? (refusal.cause ?? null) : error,
  };
}

function faultOnWire({ pointer, detail }: FieldFault) {
  return { pointer, detail };
}
