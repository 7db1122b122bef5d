import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import type { Readable } from 'node:stream';
import type { PeerAuthority } from '../support/ocspCertificates.ts';
import { onServerCore } from '../support/pinning.ts';

/** A peer's OCSP responder in a process of its own. */
export interface OcspServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** `openssl ocsp`: signs every response. */
export function startOpensslOcsp(authority: PeerAuthority): Promise<OcspServer> {
  const { caPath, responderPath, keyPath, indexPath } = authority;
  return start(
    'openssl',
    (port) => [
      ...['ocsp', '-port', String(port), '-index', indexPath, '-CA', caPath],
      ...['-rsigner', responderPath, '-rkey', keyPath, '-nmin', '60', '-ignore_err'],
    ],
    saysSo,
  );
}

/** `cfssl ocspserve`: serves responses signed in advance. */
export function startCfsslOcsp({ responsesPath }: PeerAuthority): Promise<OcspServer> {
  return start(
    'cfssl',
    (port) => [
      ...['ocspserve', '-port', String(port), '-responses', responsesPath, '-loglevel', '5'],
    ],
    accepts,
  );
}

const WAIT_MS = 60_000;

async function start(
  program: string,
  parameters: (port: number) => readonly string[],
  isReady: Readiness,
): Promise<OcspServer> {
  const port = await freePort();
  const child = spawn(...onServerCore(program, parameters(port)), {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const late = setTimeout(() => child.kill('SIGKILL'), WAIT_MS);
  const outcome = await Promise.race([isReady(child, port), ended.then(() => 'ended' as const)]);
  clearTimeout(late);
  if (outcome === 'ended') throw new Error(`${program} does not listen.`);
  return {
    port,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

type Readiness = (child: { readonly stdout: Readable }, port: number) => Promise<'ready'>;

/**
 * Reads the readiness from the output: a probing connection without a request would block openssl.
 */
const saysSo: Readiness = ({ stdout }) =>
  new Promise((resolve) => {
    stdout.on('data', () => resolve('ready'));
  });

const accepts: Readiness = async ({ stdout }, port) => {
  stdout.resume();
  while (!(await isListening(port))) await new Promise((resolve) => setTimeout(resolve, 50));
  return 'ready';
};

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
