import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Lets an example import the library of this process by the package's name. */
const libraryHere: Plugin = {
  name: 'library-here',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@tamga\/client(\/|$)/ }, ({ path }) => {
      const entry = path.replace('@tamga/client', '.');
      return {
        path: pathToFileURL(resolve('dist/client', entry, 'index.js')).href,
        external: true,
      };
    });
  },
};

/** Folder of the examples this process built; removed when it ends. */
const directory = resolve('dist/test-artefacts', `examples-${process.pid}`);
const examples = new Map<string, Promise<string>>();

/**
 * Bundles an example of the library, once a process, as a project of a relying party runs it.
 *
 * @param path below `client/examples`
 * @returns path of the file
 */
export function builtExample(path: string): Promise<string> {
  if (examples.size === 0) {
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  }
  const built = examples.get(path) ?? buildExample(path);
  examples.set(path, built);
  return built;
}

async function buildExample(path: string): Promise<string> {
  const outfile = join(directory, path.replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [resolve('client/examples', path)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    target: 'node24',
    logLevel: 'warning',
    plugins: [libraryHere],
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
  return outfile;
}

/** Imports an example. @param path below `client/examples` */
export async function importExample<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(await builtExample(path)).href)) as Module;
}
