/** Refusal of the operator API (RFC 9457), or a failure to reach it. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** HTTP status; 0: no response. */
  readonly status: number;
  /** Code of `domain/shared/refusal.ts`; `NETWORK` without a response. */
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** Request id, for the service's log; null without a response. */
  readonly requestId: string | null;
  /** Faults by field, as JSON pointers. */
  readonly faults: readonly { readonly pointer: string; readonly detail: string }[];
  /** Retry-After, s; null: not given. */
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

/** Refusal of the assistant's endpoints (contract §12). */
interface RefusalEnvelope {
  readonly message: string;
  readonly data?: {
    readonly errors?: readonly { readonly field: string; readonly message: string }[];
  };
}

/** Codes of envelope statuses, which carry none. */
const envelopeCodes: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  422: 'INVALID_REQUEST',
  429: 'RATE_LIMITED',
  503: 'DEPENDENCY_UNAVAILABLE',
};

/** Converts an envelope to a problem. */
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

/** Parses the problem of an unsuccessful response. @param body parsed JSON, if any */
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

/** Converts any error to a problem. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem({
    status: 0,
    code: error instanceof TypeError ? 'NETWORK' : 'UNEXPECTED',
    title: '',
    detail: error instanceof Error ? error.message : '',
    requestId: null,
    faults: [],
    retryAfter: null,
    cause: error,
  });
}
