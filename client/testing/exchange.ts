import type { FieldFault, ProblemCode } from '../index.ts';
import type { Json } from '../json.ts';

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

/** Answer to a call: JSON, or a PDF. */
export type Handler = (
  request: FakeRequest,
  segments: readonly string[],
  signal: AbortSignal | null,
) => Promise<Json | Uint8Array> | Json | Uint8Array;

/** Calls with their answers: `<method> <path>`, whose groups are the segments. */
export type Handlers = readonly (readonly [route: RegExp, handler: Handler])[];

/** @throws FakeProblem NOT_A_PDF */
export function pdfIn(body: unknown): Uint8Array {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  if (!Buffer.from(bytes).subarray(0, 5).equals(Buffer.from('%PDF-'))) {
    throw new FakeProblem('NOT_A_PDF');
  }
  return bytes;
}
