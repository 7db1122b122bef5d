import type { RequestListener } from 'node:http';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Mount } from '../api/http/mount.ts';

// Demo Bank, the largest example of the client library, beside the service of `./tamga up`. It is a program of a relying party:
// all it is given are variables of the environment, and all it does to the service are HTTP calls.

const source = resolve('client/examples/demo-bank');

/** Below which path of the service's address the bank lives. */
export const demoBankPath = '/demo';

/** The bank, once it is open. */
export interface DemoBank {
  readonly mount: Mount;
  /** @param environment what `demo.env` says */
  open(origin: string, environment: Readonly<Record<string, string>>): void;
}

/** Builds the bank into a folder; until it is open it answers 503. */
export async function buildDemoBank(target = resolve('dist/demo-bank')): Promise<DemoBank> {
  const library = { '@tamga/client': resolve('client/index.ts') };
  await Promise.all([
    build({
      entryPoints: [join(source, 'bank.ts')],
      outfile: join(target, 'bank.js'),
      ...{ bundle: true, platform: 'node', format: 'esm', packages: 'external', alias: library },
      ...{ sourcemap: true, target: 'node20.19', logLevel: 'warning' },
    }),
    build({
      entryPoints: [resolve('client/browser/index.ts')],
      outfile: join(target, 'browser/browser.js'),
      ...{ bundle: true, platform: 'browser', format: 'esm', minify: true, target: 'es2022' },
      logLevel: 'warning',
    }),
  ]);
  const { createDemoBank } = (await import(pathToFileURL(join(target, 'bank.js')).href)) as {
    createDemoBank(environment: Readonly<Record<string, string>>): RequestListener;
  };
  let listener: RequestListener = (_, response) => response.writeHead(503).end();

  return {
    mount: {
      // The second is where the platform returns browsers to (contract, `initialCallbackUrl`).
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
