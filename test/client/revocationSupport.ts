import { execFile } from 'node:child_process';
import { sign } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { derValue } from '../../infrastructure/pki/kernel/der.ts';
import type { Issued } from './support.ts';

const run = promisify(execFile);

/** A web server under a revocation service; what it answers is set by the test, bytes or a whole exchange. */
export interface RevocationServer {
  readonly ocspUrl: string;
  readonly crlUrl: string;
  /** Requests so far. */
  readonly asked: { ocsp: number; crl: number };
  ocsp: (request: Buffer, response: ServerResponse) => Promise<Buffer | null>;
  crl: (response: ServerResponse) => Promise<Buffer | null>;
  stop(): Promise<void>;
}

/** Both services answer 503 until told otherwise. */
export async function startRevocationServer(): Promise<RevocationServer> {
  const unavailable = (response: ServerResponse) => {
    response.writeHead(503).end();
    return Promise.resolve(null);
  };
  const asked = { ocsp: 0, crl: 0 };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end();
      process.stderr.write(`${String(error)}\n`);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: RevocationServer = {
    ocspUrl: `${address}/ocsp`,
    crlUrl: `${address}/crl`,
    asked,
    ocsp: (_request, response) => unavailable(response),
    crl: unavailable,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isOcsp = request.url === '/ocsp';
    asked[isOcsp ? 'ocsp' : 'crl'] += 1;
    const bytes = isOcsp
      ? await service.ocsp(Buffer.concat(chunks), response)
      : await service.crl(response);
    if (bytes !== null) response.end(bytes);
  }

  return service;
}

/** Revocation by OpenSSL's own programs, over an index file in a temporary directory. */
export interface OpensslRevocation {
  /** Puts certificates into the index; only those OpenSSL knows. */
  index(good: readonly Issued[], revoked: readonly Issued[]): Promise<void>;
  /** `openssl ocsp`: answers the request, signed by `responder`; `extra` are more of its parameters. */
  ocsp(request: Buffer, responder?: Issued, extra?: readonly string[]): Promise<Buffer>;
  /** `openssl ca -gencrl`, DER; `extra` are more of its parameters, `extensions` lines of its configuration. */
  crl(extra?: readonly string[], extensions?: readonly string[]): Promise<Buffer>;
  stop(): Promise<void>;
}

export async function startOpensslRevocation(issuer: Issued): Promise<OpensslRevocation> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-openssl-'));
  const path = (name: string) => join(directory, name);
  const writeHolder = async (name: string, { pem, privateKey }: Issued) => {
    await writeFile(path(`${name}.pem`), pem);
    await writeFile(path(`${name}.key`), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  };
  await writeHolder('ca', issuer);

  return {
    async index(good, revoked) {
      const line = ({ certificate }: Issued, status: string) =>
        `${status}\t${certificate.serialNumber.toUpperCase()}\tunknown\t/CN=${certificate.serialNumber}\n`;
      const lines = [
        ...good.map((holder) => line(holder, 'V\t360101000000Z\t')),
        ...revoked.map((holder) => line(holder, 'R\t360101000000Z\t260301000000Z,keyCompromise')),
      ];
      await writeFile(path('index.txt'), lines.join(''));
    },
    async ocsp(request, responder = issuer, extra = ['-ndays', '1']) {
      await writeHolder('responder', responder);
      await writeFile(path('request.der'), request);
      await run('openssl', [
        ...['ocsp', '-index', path('index.txt'), '-CA', path('ca.pem')],
        ...['-rsigner', path('responder.pem'), '-rkey', path('responder.key')],
        ...['-reqin', path('request.der'), '-respout', path('response.der'), ...extra],
      ]);
      return readFile(path('response.der'));
    },
    async crl(extra = ['-crldays', '1'], extensions = ['authorityKeyIdentifier = keyid']) {
      await writeFile(
        path('ca.cnf'),
        [
          '[ca]',
          'default_ca = a',
          '[a]',
          `database = ${path('index.txt')}`,
          'default_md = sha256',
          ...(extensions.length > 0 ? ['crl_extensions = e', '[e]', ...extensions] : []),
          '',
        ].join('\n'),
      );
      await run('openssl', [
        ...['ca', '-gencrl', '-config', path('ca.cnf'), '-cert', path('ca.pem')],
        ...['-keyfile', path('ca.key'), '-out', path('crl.pem'), ...extra],
      ]);
      await run('openssl', [
        ...['crl', '-in', path('crl.pem'), '-outform', 'der', '-out', path('crl.der')],
      ]);
      return readFile(path('crl.der'));
    },
    stop: () => rm(directory, { recursive: true, force: true }),
  };
}

const ecdsaWithSha256 = Buffer.from('300a06082a8648ce3d040302', 'hex');

/** A CRL of any size or shape, by hand. @param serials contents of INTEGERs */
export function craftCrl(
  issuer: Issued,
  serials: readonly Buffer[],
  wish: {
    readonly thisUpdate?: Date;
    readonly nextUpdate?: Date | null;
    readonly extensions?: Buffer;
    /** Content of version's INTEGER; none: version 1. */
    readonly version?: Buffer | null;
    /** More of each entry, after its date. */
    readonly more?: Buffer;
    readonly revokedAt?: Buffer;
  } = {},
): Buffer {
  const { thisUpdate = new Date(Date.now() - 60_000) } = wish;
  const { nextUpdate = new Date(Date.now() + 3_600_000) } = wish;
  const { version = Buffer.of(1), more = Buffer.alloc(0) } = wish;
  const { revokedAt = utcTime(new Date('2026-03-01T00:00:00Z')) } = wish;
  const entries = serials.map((serial) => derValue(0x30, derValue(0x02, serial), revokedAt, more));
  const content = derValue(
    0x30,
    ...(version === null ? [] : [derValue(0x02, version)]),
    ecdsaWithSha256,
    Buffer.from(issuer.certificate.subjectName.toArrayBuffer()),
    utcTime(thisUpdate),
    ...(nextUpdate === null ? [] : [utcTime(nextUpdate)]),
    ...(entries.length === 0 ? [] : [derValue(0x30, Buffer.concat(entries))]),
    ...(wish.extensions === undefined ? [] : [derValue(0xa0, derValue(0x30, wish.extensions))]),
  );
  const signature = sign('sha256', content, issuer.privateKey);
  return derValue(0x30, content, ecdsaWithSha256, derValue(0x03, Buffer.of(0), signature));
}

function utcTime(time: Date): Buffer {
  const digits = time
    .toISOString()
    .replace(/[-:T]|\..*$/g, '')
    .slice(2);
  return derValue(0x17, Buffer.from(`${digits}Z`));
}
