import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A bucket that takes only what Signature Version 4 proves, checked by another implementation than the adapter's. */
export interface S3Double {
  readonly bucketUrl: string;
  readonly objects: Map<string, Buffer>;
  /** Answered instead of doing what is asked; null: nothing is wrong. */
  fails: number | null;
  /** False: lists that go on do not say where. */
  namesNext: boolean;
  /** Called after each answer. */
  onAnswered: () => void;
  stop(): Promise<void>;
}

export const s3Credentials = {
  region: 'eu-test-1',
  accessKeyId: 'AKTEST',
  secretAccessKey: 'secret of the bucket',
};

export async function startS3Double(): Promise<S3Double> {
  const objects = new Map<string, Buffer>();
  const state = {
    fails: null as number | null,
    namesNext: true,
    onAnswered: (): void => undefined,
  };
  const server = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const body = Buffer.concat(pieces);
      const { status, answer } = serve(request, body);
      response.writeHead(status).end(answer);
      state.onAnswered();
    })();
  });

  function serve(request: IncomingMessage, body: Buffer): { status: number; answer?: Buffer } {
    if (state.fails !== null) return { status: state.fails };
    if (!isProven(request, body)) return { status: 403 };
    const [key = '', query] = (request.url ?? '').split('?');
    if (query !== undefined) return { status: 200, answer: list(key, new URLSearchParams(query)) };
    if (request.method === 'PUT') {
      if (request.headers['content-length'] === undefined) return { status: 411 };
      objects.set(key, body);
      return { status: 200 };
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return { status: 204 };
    }
    const found = objects.get(key);
    return found === undefined ? { status: 404 } : { status: 200, answer: found };
  }

  /** ListObjectsV2, in pages of two. */
  function list(bucket: string, query: URLSearchParams): Buffer {
    const names = [...objects.keys()]
      .map((key) => key.slice(bucket.length + 1))
      .filter((name) => name.startsWith(query.get('prefix') ?? ''))
      .filter((name) => name > (query.get('continuation-token') ?? ''))
      .sort();
    const page = names.slice(0, 2);
    const contents = page.map((name) => {
      const size = objects.get(`${bucket}/${name}`)?.length ?? 0;
      return `<Contents><Key>${name}</Key><Size>${size}</Size></Contents>`;
    });
    const isTruncated = names.length > page.length;
    const next =
      isTruncated && state.namesNext
        ? `<NextContinuationToken>${page.at(-1) ?? ''}</NextContinuationToken>`
        : '';
    return Buffer.from(
      `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    );
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    bucketUrl: `http://127.0.0.1:${port}/documents`,
    objects,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

const hmac = (key: Buffer | string, text: string) =>
  createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** Path, and parameters by their names. */
function canonicalAddress(url: string): readonly string[] {
  const [path = '', query = ''] = url.split('?');
  return [path, query.split('&').sort().join('&')];
}

/** AWS Signature Version 4, header form, as Amazon documents it. */
function isProven({ method = '', url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const { authorization = '' } = headers;
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  if (parts === null) return false;
  const [, id, day = '', region = '', names = '', signature] = parts;
  const { accessKeyId, secretAccessKey } = s3Credentials;
  const announced = String(headers['x-amz-content-sha256']);
  const isWhole = announced === sha256(body) && names.split(';').includes('x-amz-content-sha256');
  if (id !== accessKeyId || region !== s3Credentials.region || !isWhole) return false;
  const canonical = [
    ...[method, ...canonicalAddress(url)],
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    ...['', names, announced],
  ].join('\n');
  const time = String(headers['x-amz-date']);
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce(
    hmac,
    hmac(hmac(`AWS4${secretAccessKey}`, day), region),
  );
  return hmac(key, toSign).toString('hex') === signature;
}
