import type { RequestListener } from 'node:http';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Mount } from '../../api/http/mount.ts';

// Demo Bank, the largest example of the client library, served beside the service of `./tamga up`.
// It is a relying party's program: configured only by environment variables, and a client of the
// service's HTTP APIs only.

const source = resolve('client/examples/demo-bank');

/** Base path of the bank on the service's address. */
export const demoBankPath = '/demo';

/** The bank, once it is open. */
export interface DemoBank {
  readonly mount: Mount;
  /** @param environment variables of `demo.env` */
  open(origin: string, environment: Readonly<Record<string, string>>): void;
}

/** Builds the bank into a folder; responds 503 until opened. */
export async function buildDemoBank(target = resolve('dist/demo-bank')): Promise<DemoBank> {
  const library = { '@tamga/client': resolve('client/index.ts') };
  await Promise.all([
    build({
      entryPoints: [join(source, 'bank.ts')],
      outfile: join(target, 'bank.js'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      alias: library,
      sourcemap: true,
      target: 'node24',
      logLevel: 'warning',
    }),
    build({
      entryPoints: [resolve('client/browser/index.ts')],
      outfile: join(target, 'browser/browser.js'),
      bundle: true,
      platform: 'browser',
      format: 'esm',
      minify: true,
      target: 'es2022',
      logLevel: 'warning',
    }),
  ]);
  const { createDemoBank } = (await import(pathToFileURL(join(target, 'bank.js')).href)) as {
    createDemoBank(environment: Readonly<Record<string, string>>): RequestListener;
  };
  let listener: RequestListener = (_, response) => response.writeHead(503).end();

  return {
    mount: {
      // The second is the callback path (contract, `initialCallbackUrl`).
      paths: [demoBankPath, '/auth/eid/callback'],
      listener: (request, response) => listener(request, response),
    },
    open: (origin, environment) => {
      listener = createDemoBank({
        ...environment,
        PUBLIC_ORIGIN: origin,
        PHONE_PAGE: `${origin}/phone`,
        BASE_PATH: demoBankPath,
        BANK_DIRECTORY: source,
        BROWSER_LIBRARY: join(target, 'browser/browser.js'),
      });
    },
  };
}
