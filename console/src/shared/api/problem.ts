/** What the operator API refuses with (RFC 9457), or why it could not be asked. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** HTTP status; 0: nothing was answered. */
  readonly status: number;
  /** `domain/shared/refusal.ts`; `NETWORK` when nothing was answered. */
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** What the cause is found by in the service's log; null when nothing was answered. */
  readonly requestId: string | null;
  /** What is wrong in which field, by JSON pointer. */
  readonly faults: readonly { readonly pointer: string; readonly detail: string }[];
  /** Seconds to wait before the next try; null: unsaid. */
  readonly retryAfter: number | null;

  constructor(about: Omit<ApiProblem, keyof Error> & { readonly cause?: unknown }) {
    super(about.detail, { cause: about.cause });
    this.status = about.status;
    this.code = about.code;
    this.title = about.title;
    this.detail = about.detail;
    this.requestId = about.requestId;
    this.faults = about.faults;
    this.retryAfter = about.retryAfter;
  }
}

interface ProblemBody {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly errors?: ApiProblem['faults'];
}

/** A refusal of the assistant's addresses (contract §12). */
interface RefusalEnvelope {
  readonly message: string;
  readonly data?: {
    readonly errors?: readonly { readonly field: string; readonly message: string }[];
  };
}

/** What the status of an envelope means, which names no code. */
const envelopeCodes: Readonly<Record<number, string>> = {
  ...{ 400: 'INVALID_REQUEST', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED' },
  ...{ 404: 'NOT_FOUND', 409: 'CONFLICT', 412: 'PRECONDITION_FAILED', 422: 'INVALID_REQUEST' },
  ...{ 429: 'RATE_LIMITED', 503: 'DEPENDENCY_UNAVAILABLE' },
};

/** An envelope in the words of a problem. */
function bodyIn({ status }: Response, body: unknown): ProblemBody {
  const { message, data } = (body ?? {}) as Partial<RefusalEnvelope>;
  if (message === undefined) return body ?? {};
  const errors = data?.errors?.map(({ field, message: detail }) => ({ pointer: field, detail }));
  const code = envelopeCodes[status];
  return {
    detail: message,
    ...(code === undefined ? {} : { code }),
    ...(errors === undefined ? {} : { errors }),
  };
}

/** Reads the problem of an answer that is none of success. @param body as JSON, when it was */
export function problemIn(response: Response, body: unknown): ApiProblem {
  const { title, detail, code, errors } = bodyIn(response, body);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem({
    status: response.status,
    code: code ?? 'INTERNAL',
    title: title ?? response.statusText,
    detail: detail ?? '',
    requestId: response.headers.get('x-request-id'),
    faults: errors ?? [],
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

/** Anything thrown, as a problem. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem({
    ...{ status: 0, code: error instanceof TypeError ? 'NETWORK' : 'UNEXPECTED' },
    ...{ title: '', detail: error instanceof Error ? error.message : '' },
    ...{ requestId: null, faults: [], retryAfter: null, cause: error },
  });
}
