import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../assertions/eventually.ts';
import { shownBlock } from './shownBlocks.ts';

const PROGRAM = '/usr/sbin/apache2';
const MODULES = '/usr/lib/apache2/modules';

/** Debian's Apache with its OpenID Connect module, in front of a page that is for logged-in people alone. */
export interface Apache {
  readonly origin: string;
  /** Address of the page; whoever gets there is passed on to {@link arrived}. */
  readonly page: string;
  /** Headers of the requests that were let through, the last one last. */
  readonly arrived: readonly IncomingHttpHeaders[];
  stop(): Promise<void>;
}

export interface ApacheOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Port of the server. */
  readonly port: number;
}

/** Tells whether Apache and the module are installed. */
export function hasApache(): boolean {
  return existsSync(PROGRAM) && existsSync(join(MODULES, 'mod_auth_openidc.so'));
}

/** Redirect address of the module. */
export function apacheAddresses(port: number) {
  const origin = `http://127.0.0.1:${port}`;
  return { origin, redirectUri: `${origin}/private/callback`, loggedOut: `${origin}/bye` };
}

/** Starts it in the foreground, with a folder of its own and the lines of docs/openid-clients.md. */
export async function startApache(options: ApacheOptions): Promise<Apache> {
  const { port } = options;
  const directory = await mkdtemp(join(tmpdir(), 'tamga-apache-'));
  await chmod(directory, 0o755);
  const arrived: IncomingHttpHeaders[] = [];
  const backend = await startBackend(arrived);
  const { origin } = apacheAddresses(port);
  const path = join(directory, 'apache.conf');
  await writeFile(path, configuration(options, directory, (backend.address() as AddressInfo).port));
  const server = spawn(PROGRAM, ['-DFOREGROUND', '-d', directory, '-f', path], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  server.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const isUp = eventually(() => fetch(`${origin}/bye`));
  await Promise.race([isUp, ended]);
  if (server.exitCode !== null) {
    const log = await readFile(join(directory, 'error.log'), 'utf8').catch(() => '');
    throw new Error(`Apache ended: ${complaints}${log}`);
  }
  return {
    origin,
    arrived,
    page: `${origin}/private/`,
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
      backend.closeAllConnections();
      await new Promise((resolve) => backend.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function startBackend(arrived: IncomingHttpHeaders[]): Promise<Server> {
  const server = createServer(({ headers }, response) => {
    arrived.push(headers);
    response.end('<h1>Private</h1>');
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const modules = {
  mpm_event: 'mpm_event',
  authn_core: 'authn_core',
  authz_core: 'authz_core',
  authz_user: 'authz_user',
  proxy: 'proxy',
  proxy_http: 'proxy_http',
  auth_openidc: 'auth_openidc',
};

function configuration(
  { issuer, clientId, clientSecret, port }: ApacheOptions,
  directory: string,
  backendPort: number,
): string {
  const { redirectUri } = apacheAddresses(port);
  const shown = shownBlock('docs/openid-clients.md', 'apache')
    .replace('https://tamga.example.mn', issuer)
    .replace('https://app.example.mn/private/callback', redirectUri)
    .replace(/(?<=OIDCClientID ).*/, clientId)
    .replace(/(?<=OIDCClientSecret ).*/, clientSecret);
  return `${Object.entries(modules)
    .map(([name, file]) => `LoadModule ${name}_module ${MODULES}/mod_${file}.so`)
    .join('\n')}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${join(directory, 'apache.pid')}
ErrorLog ${join(directory, 'error.log')}
DefaultRuntimeDir ${directory}
User www-data
Group www-data
StartServers 1
${shown}
OIDCPassClaimsAs headers
<Location /private/>
  # Whoever asks is a browser, whatever its request says of itself.
  OIDCUnAuthAction auth true
  ProxyPass http://127.0.0.1:${backendPort}/
</Location>
`;
}
