import { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import { Unavailable } from '../../application/ports/faults.ts';
import type { FileStore } from '../../application/document/ports/fileStore.ts';
import { expectFileId } from './fileId.ts';

export interface S3Options {
  /** Address of the bucket, path-style or virtual-hosted, without a slash at its end. */
  readonly bucketUrl: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Prefix of object names. */
  readonly prefix?: string;
  /** Milliseconds for one file, from the first byte to the last; default 60,000. */
  readonly timeoutMs?: number;
  /** Called after every request. @param status the HTTP status, or `error` without a response */
  readonly onCalled?: (operation: string, status: string, seconds: number) => void;
}

/**
 * Files in a bucket of an S3-compatible store, requests signed with Signature Version 4. Bodies are streamed with their
 * length and digest announced, so that the store refuses incomplete ones.
 */
export function createS3FileStore(options: S3Options): FileStore {
  const { bucketUrl, prefix = '', timeoutMs = 60_000, onCalled = () => undefined } = options;
  const { region, accessKeyId, secretAccessKey } = options;
  // Retries are the caller's: a stream cannot be sent twice.
  const client = new AwsClient({ region, accessKeyId, secretAccessKey, service: 's3', retries: 0 });

  async function call(
    operation: 'PUT' | 'GET' | 'DELETE',
    fileId: string,
    extra: { readonly headers?: Record<string, string>; readonly body?: Readable } = {},
  ): Promise<Response> {
    const started = performance.now();
    const called = (status: string) =>
      onCalled(operation, status, (performance.now() - started) / 1000);
    const { headers, body } = extra;
    try {
      const { url, headers: signed } = await client.sign(
        `${bucketUrl}/${prefix}${expectFileId(fileId)}`,
        { method: operation, headers: { 'x-amz-content-sha256': EMPTY, ...headers } },
      );
      const response = await fetch(url, {
        method: operation,
        headers: signed,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: Readable.toWeb(body), duplex: 'half' }),
      });
      called(String(response.status));
      return response;
    } catch (error) {
      called('error');
      throw new Unavailable('fileStore', error);
    }
  }

  /** @throws Unavailable unless the response is 2xx or one of `fine` */
  async function done(response: Response, fine: readonly number[] = []): Promise<void> {
    await response.body?.cancel();
    if (response.ok || fine.includes(response.status)) return;
    throw new Unavailable('fileStore', new Error(`The store answered ${response.status}.`));
  }

  return {
    async put(fileId, content) {
      const { sizeBytes, sha256 } = content;
      const headers = {
        'content-length': String(sizeBytes),
        'content-type': 'application/octet-stream',
        'x-amz-content-sha256': sha256,
      };
      await done(await call('PUT', fileId, { headers, body: Readable.from(content.read()) }));
    },
    async get(fileId) {
      const response = await call('GET', fileId);
      if (response.status === 200 && response.body !== null) {
        return interruptible(Readable.fromWeb(response.body));
      }
      await done(response, [404]);
      return null;
    },
    async remove(fileId) {
      await done(await call('DELETE', fileId), [404]);
    },
  };
}

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

async function* interruptible(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new Unavailable('fileStore', error);
  }
}
