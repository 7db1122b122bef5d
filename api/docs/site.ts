import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Mount } from '../http/mount.ts';
import { filesBelow, sendFile, type StaticFile, staticFile } from '../pages/staticFile.ts';

const BASE = '/docs';
const NOT_FOUND = '/404.html';
/** File that tells the API reference whether its forms may be tried here, and by whom. */
const DEMO = '/demo.json';

/** Relying party that calls in the examples of a demo; the demo's own file alone tells its secret. */
export interface DemoCaller {
  readonly relyingPartyUUID: string;
  readonly relyingPartyName: string;
}

/** Headers of every response. Content security policy: own files only, nothing inline. */
const headers = {
  'content-security-policy': [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
    ...["img-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Documentation at `/docs`, as the build of the site wrote it. Pages have their addresses with and without `.html`.
 * Names are read at the start, a file when it is first asked for; it is kept, so no later request reads it again.
 *
 * @param directory output folder of the build of the site
 * @param demoCaller relying party of a demo, null while there is none: the API reference offers to send its operations to
 * this service; null: no demo
 */
export function createDocsSite(
  directory: string,
  demoCaller: (() => Promise<DemoCaller | null>) | null,
): Mount {
  const names = new Set(filesBelow(directory));
  const kept = new Map<string, Promise<StaticFile>>();
  const demoFile = async () => {
    const demo =
      demoCaller === null
        ? { demo: false }
        : { demo: true, relyingParty: await demoCaller().catch(() => null) };
    return staticFile(DEMO, Buffer.from(JSON.stringify(demo)));
  };
  const fileAt = (name: string) => {
    const file = kept.get(name) ?? readBuilt(directory, name);
    kept.set(name, file);
    file.catch(() => kept.delete(name));
    return file;
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query] = (request.url ?? '').slice(BASE.length).split('?', 2);
    // Relative links of the first page need the slash.
    if (path === '') {
      const location = `${BASE}/${query === undefined ? '' : `?${query}`}`;
      response.writeHead(308, { ...headers, location, 'content-length': 0 }).end();
      return;
    }
    const name = nameOf(path, names);
    const status = name === null ? 404 : 200;
    const file = await (name === DEMO ? demoFile() : fileAt(name ?? NOT_FOUND));
    await sendFile(request, response, file, { ...headers, 'cache-control': 'no-cache', status });
  }

  return {
    paths: [BASE],
    endpointOf: () => ({ pattern: BASE, methods: ['GET', 'HEAD'] }),
    listener: (request, response) => {
      answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    },
  };
}

/** @returns null for an address without a file */
function nameOf(path: string, names: ReadonlySet<string>): string | null {
  const candidates = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
  return candidates.find((name) => names.has(name)) ?? null;
}

async function readBuilt(directory: string, name: string): Promise<StaticFile> {
  return staticFile(name, await readFile(join(directory, name)));
}
