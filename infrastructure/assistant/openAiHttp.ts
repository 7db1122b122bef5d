import {
  type AssistantProvider,
  ProviderFailure,
} from '../../application/assistant/ports/providers.ts';
import { discard, readUpTo } from '../boundedBody.ts';

/** Address and credentials of an OpenAI-compatible server. */
export interface OpenAiServer {
  /** Up to and with `/v1`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; omitted: nothing is sent. */
  readonly key?: string | undefined;
  readonly model: string;
  /** Called after every request. @param status the HTTP status, or `error` without a complete response */
  readonly onCalled?: (operation: string, status: string, seconds: number) => void;
}

/** One POST to a path of the server. */
export interface OpenAiCall {
  readonly provider: AssistantProvider;
  /** Below {@link OpenAiServer.url}, for example `/audio/speech`. */
  readonly path: string;
  readonly body: FormData | object;
  readonly signal: AbortSignal;
  /** Largest response accepted, bytes. */
  readonly maxBytes: number;
  /** Content types (RFC 9110 §8.3) that mark a response as wrong; servers disagree on the type of the right one. */
  readonly wrongTypes?: RegExp;
}

/** @returns the body of a 200 @throws ProviderFailure */
export async function callOpenAi(server: OpenAiServer, call: OpenAiCall): Promise<Buffer> {
  const { provider, path } = call;
  const started = performance.now();
  let status = 'error';
  try {
    const response = await fetch(server.url + path, {
      method: 'POST',
      ...requestOf(server, call.body),
      redirect: 'error',
      signal: call.signal,
    });
    if (response.status !== 200) {
      status = String(response.status);
      await discard(response);
      throw refused(provider, response.status);
    }
    await assertRightType(response, call);
    const bytes = await readUpTo(response, call.maxBytes);
    status = '200';
    return bytes;
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    throw new ProviderFailure(provider, { isTransient: true, cause: error });
  } finally {
    const operation = path.slice(path.lastIndexOf('/') + 1);
    server.onCalled?.(operation, status, (performance.now() - started) / 1000);
  }
}

async function assertRightType(
  response: Response,
  { provider, wrongTypes }: OpenAiCall,
): Promise<void> {
  if (wrongTypes?.test(response.headers.get('content-type') ?? '') !== true) return;
  await discard(response);
  const cause = new Error('The server answered with an unexpected content type.');
  throw new ProviderFailure(provider, { isTransient: false, cause });
}

/** Parses a JSON response. @throws ProviderFailure when it is not JSON */
export function jsonOf(provider: AssistantProvider, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's own error quotes its input, and causes are logged.
    const cause = new Error("The server's answer is not JSON.");
    throw new ProviderFailure(provider, { isTransient: false, cause });
  }
}

function requestOf({ key }: OpenAiServer, body: FormData | object) {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  // The boundary of a form is in the type that fetch sets itself.
  if (body instanceof FormData) return { headers: authorization, body };
  const headers = { ...authorization, 'content-type': 'application/json' };
  return { headers, body: JSON.stringify(body) };
}

function refused(provider: AssistantProvider, status: number): ProviderFailure {
  const isTransient = status === 429 || status >= 500;
  return new ProviderFailure(provider, {
    isTransient,
    cause: new Error(`The server answered ${status}.`),
  });
}
