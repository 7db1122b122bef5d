import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './tools.ts';

/** A program of Auth.js in a folder of its own. */
export interface AuthJsProgram {
  readonly path: string;
  remove(): Promise<void>;
}

/** Server around the library, as Next.js is: requests at `/api/auth` are the library's. */
const server = `import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Auth } from '@auth/core';
export default function NextAuth(config) {
  const { PORT, AUTH_SECRET: secret } = process.env;
  createServer(async (asked, answer) => {
    const body = asked.method === 'POST' ? await buffer(asked) : undefined;
    const address = new URL(asked.url, 'http://127.0.0.1:' + PORT);
    const request = new Request(address, { method: asked.method, headers: asked.headers, body });
    const response = await Auth(request, { ...config, basePath: '/api/auth', secret, trustHost: true });
    for (const cookie of response.headers.getSetCookie()) answer.appendHeader('set-cookie', cookie);
    const location = response.headers.get('location');
    if (location !== null) answer.setHeader('location', location);
    answer.writeHead(response.status).end(await response.text());
  }).listen(Number(PORT), '127.0.0.1');
  return {};
}
`;

/**
 * Installs the core of Auth.js beside lines written for Next.js, which stay as they are.
 *
 * @returns why it cannot be
 */
export async function authJsProgram(lines: string): Promise<AuthJsProgram | string> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-authjs-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  const write = (name: string, text: string) => writeFile(join(directory, name), text);
  await write('package.json', '{"type":"module"}');
  const wanted = '@auth/core@0.41.3';
  const options = ['--prefix', directory, '--no-audit', '--no-fund', '--silent'];
  if ((await run('npm', 'install', ...options, wanted)).code !== 0) {
    await remove();
    return `${wanted} cannot be installed from npm`;
  }
  await write('next-auth.js', server);
  await write('auth.js', lines.replace("'next-auth'", "'./next-auth.js'"));
  return { path: join(directory, 'auth.js'), remove };
}
