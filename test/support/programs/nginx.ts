import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../assertions/eventually.ts';
import { freePort } from './ports.ts';

const PROGRAM = '/usr/sbin/nginx';

/** Debian's nginx with the example of docker/nginx, before a service. */
export interface Nginx {
  /** TLS, for `localhost`. */
  readonly origin: string;
  /** The plain listener, for OCSP and lists. */
  readonly plainOrigin: string;
  /** Path of the certificate its name is proven with, PEM. */
  readonly certificate: string;
  accessLog(): Promise<string>;
  stop(): Promise<void>;
}

export function hasNginx(): boolean {
  return existsSync(PROGRAM);
}

/** @param change alters the example, to be wrong */
export async function startNginx(
  upstream: string,
  change: (example: string) => string = (example) => example,
): Promise<Nginx> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-nginx-'));
  const [tls, plain] = [await freePort(), await freePort()];
  const certificate = join(directory, 'tls.pem');
  const key = join(directory, 'tls.key');
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'],
      ...['-keyout', key, '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
  const log = join(directory, 'access.log');
  const example = change(await readFile('docker/nginx/tamga.conf', 'utf8'))
    .replaceAll('127.0.0.1:8080', new URL(upstream).host)
    .replaceAll('eid.example.mn.pem', 'tls.pem')
    .replaceAll('eid.example.mn.key', 'tls.key')
    .replaceAll('/etc/nginx/tls', directory)
    .replaceAll('eid.example.mn', 'localhost')
    .replaceAll('/var/log/nginx/tamga.log', log)
    .replaceAll(/listen 80\b/g, `listen 127.0.0.1:${plain}`)
    .replaceAll(/listen 443\b/g, `listen 127.0.0.1:${tls}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(directory, name)};`)
    .join('\n');
  const path = join(directory, 'nginx.conf');
  await writeFile(
    path,
    `worker_processes 1;\npid ${join(directory, 'pid')};\nerror_log ${join(directory, 'error.log')};\n` +
      `events {}\nhttp {\n${temporary}\n${example}\n}\n`,
  );
  const server = spawn(PROGRAM, ['-g', 'daemon off;', '-c', path, '-p', directory], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
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
  if (server.exitCode !== null) throw new Error(`nginx ended: ${complaints}`);
  return {
    origin: `https://localhost:${tls}`,
    plainOrigin: `http://localhost:${plain}`,
    certificate,
    accessLog: () => readFile(log, 'utf8'),
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
