import { type AssistantProvider, ProviderFailure } from '../../application/ports/providers.ts';
import { readUpTo } from '../boundedBody.ts';

/** Where an OpenAI-compatible server is, and who we are to it. */
export interface OpenAiServer {
  /** Up to and with `/v1`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; omitted: nothing is sent. */
  readonly key?: string | undefined;
  readonly model: string;
  /** Hears of every call. @param status the HTTP status, or `error` when there was no whole answer */
  readonly onCalled?: (operation: string, status: string, seconds: number) => void;
}

/** One POST below the server's address. */
export interface OpenAiCall {
  readonly provider: AssistantProvider;
  /** Below {@link OpenAiServer.url}, for example `/audio/speech`. */
  readonly path: string;
  readonly body: FormData | object;
  readonly signal: AbortSignal;
  /** Largest answer taken, bytes. */
  readonly maxBytes: number;
  /** Types (RFC 9110 §8.3) that say an answer is not what was asked for; servers disagree on what to call the right one. */
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
      await response.body?.cancel();
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
  { headers, body }: Response,
  { provider, wrongTypes }: OpenAiCall,
): Promise<void> {
  if (wrongTypes?.test(headers.get('content-type') ?? '') !== true) return;
  await body?.cancel();
  const cause = new Error('The server answered something of another type.');
  throw new ProviderFailure(provider, { isTransient: false, cause });
}

/** The JSON of an answer. @throws ProviderFailure when it is none */
export function jsonOf(provider: AssistantProvider, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's own error quotes what it read, and causes are logged.
    const cause = new Error('The server answered something else than JSON.');
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
