import { redactText, redactFields } from './redaction.ts';

/** Body of a call: JSON without its secrets, or type and length of anything else. */
export type CallBody =
  | {
      /** Parsed JSON. */
      readonly type: 'json';
      /** Parsed value; secrets are replaced by `[secret]`, personal data is included. */
      readonly value: unknown;
    }
  | {
      /** Anything but JSON: a document. */
      readonly type: 'bytes';
      /** Media type without parameters. */
      readonly contentType: string;
      /** Length in bytes. */
      readonly length: number;
    };

/**
 * One finished HTTP call. Never holds a secret: neither the API secret nor the one that signs
 * device links. `method`, `route`, `status`, `requestId`, `traceId` and `durationMs` identify nobody and may
 * be logged; `path` and the bodies are personal data.
 */
export interface HttpCall {
  /** `GET`, `POST`, `PUT` or `DELETE`. */
  readonly method: string;
  /** Path below `baseUrl`, parameters in braces, for example `/v3/session/{sessionId}`. */
  readonly route: string;
  /** Path as requested, with its query. */
  readonly path: string;
  /** Body sent; null when there was none. */
  readonly request: CallBody | null;
  /** HTTP status; null when there was no response. */
  readonly status: number | null;
  /** Body received; null when there was no response, or an empty one. */
  readonly response: CallBody | null;
  /** `X-Request-Id` of the response, by which the service's operators find the call. */
  readonly requestId: string | null;
  /** `X-Trace-Id` of the response: the trace in which the service's operators find the call. */
  readonly traceId: string | null;
  /** Start of the call, ms since 1970. */
  readonly startedAt: number;
  /** Duration until the whole response was received, ms. */
  readonly durationMs: number;
}

/** Parts of a finished call. */
export interface FinishedCall extends Pick<HttpCall, 'method' | 'route' | 'path' | 'startedAt'> {
  readonly sent: object | Uint8Array | undefined;
  /** Null: no response. */
  readonly answer: {
    readonly status: number;
    readonly headers?: Pick<Headers, 'get'>;
    readonly bytes: Buffer;
  } | null;
}

/** Builds the observer's view of a call, without secrets. */
export function redactedCall({ sent, answer, ...call }: FinishedCall, apiSecret: string): HttpCall {
  const header = (name: string) => answer?.headers?.get(name) ?? null;
  return {
    ...call,
    request: sent === undefined ? null : redactedBody(sent, apiSecret),
    status: answer?.status ?? null,
    response: answer === null ? null : readBody(answer.bytes, header('content-type'), apiSecret),
    requestId: header('x-request-id'),
    traceId: header('x-trace-id'),
    durationMs: Date.now() - call.startedAt,
  };
}

function redactedBody(body: object, apiSecret: string): CallBody {
  if (body instanceof FormData) {
    const file = body.get('file');
    const length = file instanceof Blob ? file.size : 0;
    return { type: 'bytes', contentType: 'multipart/form-data', length };
  }
  if (body instanceof Uint8Array) {
    return { type: 'bytes', contentType: 'application/pdf', length: body.length };
  }
  return { type: 'json', value: jsonWithoutSecrets(JSON.stringify(body), apiSecret) };
}

function readBody(bytes: Buffer, mediaType: string | null, apiSecret: string): CallBody | null {
  if (bytes.length === 0) return null;
  const [contentType = ''] = (mediaType ?? '').split(';');
  if (/[/+]json$/i.test(contentType.trim())) {
    try {
      return { type: 'json', value: jsonWithoutSecrets(bytes.toString('utf8'), apiSecret) };
    } catch {
      // Reported by its length, like everything that is not JSON.
    }
  }
  return { type: 'bytes', contentType: contentType.trim(), length: bytes.length };
}

function jsonWithoutSecrets(text: string, apiSecret: string): unknown {
  return redactFields(JSON.parse(redactText(text, apiSecret)));
}
