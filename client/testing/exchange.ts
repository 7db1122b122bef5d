import type { FieldFault, ProblemCode } from '../index.ts';

/** A request the fake platform was sent. */
export interface FakeRequest {
  /** `GET`, `POST`, `PUT` or `DELETE`. */
  readonly method: string;
  /** Path with `/v3`, without query. */
  readonly path: string;
  /** Query. */
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON, or the bytes of a document; null: none. */
  readonly body: unknown;
}

/** Details of a refusal. */
export interface FakeRefusal {
  /** Becomes `Retry-After`, in whole seconds; default: none. */
  readonly retryAfterMs?: number;
  /** Sentence of the problem; default: its code. */
  readonly detail?: string;
  /** Faults of single fields; default: none. */
  readonly faults?: readonly FieldFault[];
}

/** A refusal of the fake platform. */
export class FakeProblem extends Error {
  override readonly name = 'FakeProblem';
  readonly code: ProblemCode;
  readonly details: FakeRefusal;

  constructor(code: ProblemCode, details: FakeRefusal = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}
