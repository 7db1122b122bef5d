import { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import { type Dependency, Unavailable } from '../../application/ports/faults.ts';
import type { ObjectStore } from '../../application/ports/objectStore.ts';
import { discard, readUpTo } from '../boundedBody.ts';

export interface S3Options {
  /** Address of the bucket, path-style or virtual-hosted, without a slash at its end. */
  readonly bucketUrl: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Dependency reported unavailable when the bucket is. */
  readonly dependency: Dependency;
  /** Prefix of object names. */
  readonly prefix?: string;
  /** Milliseconds for one object, from the first byte to the last; default 60,000. */
  readonly timeoutMs?: number;
  /** Called after every request. @param status the HTTP status, or `error` without a response */
  readonly onCalled?: (operation: string, status: string, seconds: number) => void;
}

/** An object of a bucket, and its length. */
export interface ListedObject {
  readonly name: string;
  readonly bytes: number;
}

export interface S3Objects extends ObjectStore {
  /** Objects whose names begin so, in the order of their names. @throws Unavailable */
  list(beginning: string): Promise<readonly ListedObject[]>;
}

/**
 * Objects in a bucket of an S3-compatible store, requests signed with Signature Version 4. Bodies are streamed with their
 * length and digest announced, so that the store refuses incomplete ones.
 */
export function createS3Objects(options: S3Options): S3Objects {
  const { bucketUrl, prefix = '', timeoutMs = 60_000, onCalled = () => undefined } = options;
  const { region, accessKeyId, secretAccessKey, dependency } = options;
  // Retries are the caller's: a stream cannot be sent twice.
  const client = new AwsClient({ region, accessKeyId, secretAccessKey, service: 's3', retries: 0 });

  async function call(
    operation: 'PUT' | 'GET' | 'DELETE',
    name: string,
    extra: {
      readonly headers?: Record<string, string>;
      readonly body?: Readable;
      readonly timeoutMs?: number;
      /** Asks the bucket itself. */
      readonly query?: URLSearchParams;
    } = {},
  ): Promise<Response> {
    const started = performance.now();
    const called = (status: string) =>
      onCalled(operation, status, (performance.now() - started) / 1000);
    const { headers, body, timeoutMs: within = timeoutMs, query } = extra;
    const address =
      query === undefined ? `${bucketUrl}/${prefix}${name}` : `${bucketUrl}?${query.toString()}`;
    try {
      const { url, headers: signed } = await client.sign(address, {
        method: operation,
        headers: { 'x-amz-content-sha256': EMPTY, ...headers },
      });
      const response = await fetch(url, {
        method: operation,
        headers: signed,
        redirect: 'error',
        signal: AbortSignal.timeout(within),
        ...(body === undefined ? {} : { body: Readable.toWeb(body), duplex: 'half' }),
      });
      called(String(response.status));
      return response;
    } catch (error) {
      called('error');
      throw new Unavailable(dependency, error);
    }
  }

  /** @throws Unavailable unless the response is 2xx or one of `fine` */
  async function done(response: Response, fine: readonly number[] = []): Promise<void> {
    await discard(response);
    if (response.ok || fine.includes(response.status)) return;
    throw new Unavailable(dependency, new Error(`The store answered ${response.status}.`));
  }

  // Read as the stream it is: a `Readable` would throw at nobody when it breaks off before it is read.
  async function* interruptible(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw new Unavailable(dependency, error);
    }
  }

  return {
    async put(name, content) {
      const { sizeBytes, sha256 } = content;
      const headers = {
        'content-length': String(sizeBytes),
        'content-type': 'application/octet-stream',
        'x-amz-content-sha256': sha256,
      };
      await done(await call('PUT', name, { headers, body: Readable.from(content.read()) }));
    },
    async get(name, range) {
      const headers = range && {
        range: `bytes=${range.from}-${range.from + range.length - 1}`,
      };
      const response = await call('GET', name, headers && { headers, timeoutMs: PART_TIMEOUT_MS });
      if (response.status === (range ? 206 : 200) && response.body !== null) {
        return interruptible(response.body);
      }
      await done(response, [404]);
      // A whole object in place of a part would be taken for the part.
      if (response.ok) throw new Unavailable(dependency, new Error('The store ignores ranges.'));
      return null;
    },
    async remove(name) {
      await done(await call('DELETE', name), [404]);
    },
    async list(beginning) {
      const found: ListedObject[] = [];
      for (let token: string | null = ''; token !== null;) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: prefix + beginning });
        if (token !== '') query.set('continuation-token', token);
        const response = await call('GET', '', { query });
        if (!response.ok) await done(response);
        const page = listedIn((await readUpTo(response, MOST_PAGE_BYTES)).toString('utf8'));
        found.push(
          ...page.objects.map(({ name, bytes }) => ({ name: name.slice(prefix.length), bytes })),
        );
        if (page.next === '') {
          throw new Unavailable(
            dependency,
            new Error('The store lists more and does not say where.'),
          );
        }
        token = page.next;
      }
      return found;
    },
  };
}

/** Length of the answer with a thousand names of 1,024 bytes, and what stands beside them. */
const MOST_PAGE_BYTES = 4 * 2 ** 20;

/** A page of `ListObjectsV2`, and the token of the next one. */
function listedIn(xml: string): { objects: readonly ListedObject[]; next: string | null } {
  const within = (text: string, tag: string) =>
    unescaped(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'u').exec(text)?.[1] ?? '');
  const contents = Array.from(xml.matchAll(/<Contents>.*?<\/Contents>/gsu), ([text]) => text);
  return {
    objects: contents.map((text) => ({
      name: within(text, 'Key'),
      bytes: Number(within(text, 'Size')),
    })),
    next: within(xml, 'IsTruncated') === 'true' ? within(xml, 'NextContinuationToken') : null,
  };
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

const unescaped = (text: string) =>
  text.replace(/&(\w+);/gu, (whole, name: string) => entities[name] ?? whole);

/** Time for a part of an object, which somebody waits for, ms. */
const PART_TIMEOUT_MS = 10_000;
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
