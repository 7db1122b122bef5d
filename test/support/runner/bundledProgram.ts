import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { built, BUNDLED } from '../programs/tamgaProgram.ts';

// Hook of whole runs, beside those of every run.

/**
 * Mocha root fixture: joins the 2,600 files of the program in a few, for all processes of the run. Each process that
 * tests start finds and reads them for more than a second of processor time; joining them takes five, once.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const outdir = join(built, 'test-artefacts', `program-${process.pid}`);
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  const manifest = await readFile('package.json', 'utf8');
  const { devDependencies } = JSON.parse(manifest) as { readonly devDependencies: object };
  await build({
    entryPoints: [join(built, 'main/cli/tamga.js')],
    outbase: built,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    keepNames: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
    external: [...findingFiles, ...Object.keys(devDependencies)],
    // Packages of CommonJS require modules of Node.js.
    banner: {
      js: `import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url);`,
    },
    plugins: [atTheirPlaces],
  });
  process.env[BUNDLED] = outdir;
}

/** Packages that load a binary, or start threads of files of their own. */
const findingFiles: readonly string[] = ['pkcs11js', 'pino', 'piscina'];

/** Modules that find files by their own address keep the one they were built at. */
const atTheirPlaces: Plugin = {
  name: 'at-their-places',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(built)) return null;
      const source = await readFile(path, 'utf8');
      const address = JSON.stringify(pathToFileURL(path).href);
      return { contents: source.replaceAll('import.meta.url', address) };
    });
  },
};
