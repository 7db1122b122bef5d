import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../assertions/eventually.ts';
import { freePort } from '../../../main/drill/freePort.ts';

/** A proxy of Debian with its example of docker/, before one or more processes of the service. */
export interface FrontProxy {
  /** TLS, for `localhost`. */
  readonly origin: string;
  /** The plain listener, for OCSP and lists. */
  readonly plainOrigin: string;
  /** Path of the certificate its name is proven with, PEM. */
  readonly certificate: string;
  accessLog(): Promise<string>;
  /** Resolves once it sends requests to every process; absent: it tries each. */
  untilAllAreUp?(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one before the origins, its example altered to be wrong. */
export type StartFrontProxy = (
  upstreams: readonly string[],
  change?: (example: string) => string,
) => Promise<FrontProxy>;

/** Place of a proxy: its files, its ports and a certificate for `localhost`. */
export interface FrontPlace {
  readonly directory: string;
  readonly tls: number;
  readonly plain: number;
  readonly certificate: string;
  readonly key: string;
}

export async function frontPlace(): Promise<FrontPlace> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-proxy-'));
  const certificate = join(directory, 'tls.pem');
  const key = `${certificate}.key`;
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'],
      ...['-keyout', key, '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
  return { directory, tls: await freePort(), plain: await freePort(), certificate, key };
}

/**
 * Runs a proxy until it listens.
 *
 * @throws Error with what it said when it ends instead
 */
export async function runFrontProxy(
  { directory, tls, plain, certificate }: FrontPlace,
  program: string,
  parameters: readonly string[],
  accessLog: (said: string) => Promise<string>,
): Promise<FrontProxy> {
  const server = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let complaints = '';
  server.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  server.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  await Promise.race([
    eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(tls, '127.0.0.1', () => resolve(void socket.destroy()));
          socket.once('error', reject);
        }),
    ),
    ended,
  ]);
  if (server.exitCode !== null) throw new Error(`${program} ended: ${complaints}`);
  return {
    origin: `https://localhost:${tls}`,
    plainOrigin: `http://localhost:${plain}`,
    certificate,
    accessLog: () => accessLog(said),
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
