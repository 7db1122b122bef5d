import { withoutSecret, withoutSecretFields } from './redaction.ts';

/** What a call carried: JSON without the secrets in it, or how many bytes there were of what. */
export type CallBody =
  | {
      /** Parsed. */
      readonly type: 'json';
      /** Secrets are replaced by `[secret]`; personal data is in it. */
      readonly value: unknown;
    }
  | {
      /** Not JSON: a document. */
      readonly type: 'bytes';
      /** Media type without parameters. */
      readonly contentType: string;
      /** Bytes. */
      readonly length: number;
    };

/**
 * One HTTP call, told when it is over. It never holds a secret: neither the API secret nor what signs device links. `method`, `route`,
 * `status`, `requestId` and `durationMs` name nobody and may be logged; `path` and the bodies are personal data.
 */
export interface HttpCall {
  /** `GET`, `POST`, `PUT` or `DELETE`. */
  readonly method: string;
  /** Below `baseUrl`, its parameters in braces, for example `/v3/session/{sessionId}`. */
  readonly route: string;
  /** As it was asked for, with its query. */
  readonly path: string;
  /** Null when nothing was sent. */
  readonly request: CallBody | null;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** Null when there was no answer, or an empty one. */
  readonly response: CallBody | null;
  /** `X-Request-Id` of the answer: what the service's operators find the call by. */
  readonly requestId: string | null;
  /** When it was sent, ms since 1970. */
  readonly startedAt: number;
  /** Until the whole answer was there, ms. */
  readonly durationMs: number;
}

/** The parts of a finished call. */
export interface FinishedCall extends Pick<HttpCall, 'method' | 'route' | 'path' | 'startedAt'> {
  readonly sent: object | Uint8Array | undefined;
  /** Null: there was none. */
  readonly answer: {
    readonly status: number;
    readonly headers?: Pick<Headers, 'get'>;
    readonly bytes: Buffer;
  } | null;
}

/** What may be told of a call. */
export function tellableCall({ sent, answer, ...call }: FinishedCall, apiSecret: string): HttpCall {
  const header = (name: string) => answer?.headers?.get(name) ?? null;
  return {
    ...call,
    request: sent === undefined ? null : tellableBody(sent, apiSecret),
    status: answer?.status ?? null,
    response: answer === null ? null : readBody(answer.bytes, header('content-type'), apiSecret),
    requestId: header('x-request-id'),
    durationMs: Date.now() - call.startedAt,
  };
}

function tellableBody(body: object, apiSecret: string): CallBody {
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
      // Told by its length, like everything that is no JSON.
    }
  }
  return { type: 'bytes', contentType: contentType.trim(), length: bytes.length };
}

function jsonWithoutSecrets(text: string, apiSecret: string): unknown {
  return withoutSecretFields(JSON.parse(withoutSecret(text, apiSecret)));
}
