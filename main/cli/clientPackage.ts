import { spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { build, type BuildOptions, type Plugin } from 'esbuild';

// Builds the relying parties' library as a package: client/ → dist/npm/tamga-client-<version>.tgz

const source = resolve('client');
const defaultTarget = resolve('dist/npm');
const packageName = '@tamga/client';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Entries of the package, each with its API report. */
const entries = [
  { name: 'index', types: 'index.d.ts' },
  { name: 'browser', types: 'browser/index.d.ts' },
  { name: 'login', types: 'login/index.d.ts' },
  { name: 'testing', types: 'testing/index.d.ts' },
] as const;

/** Entries that import the main one by the package's name: its errors are the same classes in all of them. */
const besideMain = ['login', 'testing'] as const;

/**
 * Builds and packs the library.
 *
 * @param target emptied first; must be below this project, whose packages the declarations name
 * @returns path of the tarball
 * @throws Error when the exported declarations differ from the committed reports
 */
export async function packClient(target = defaultTarget): Promise<string> {
  const packageDirectory = packageOf(target);
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest;
  await writeDeclarations(target);
  if (!(await extractApi('compare', target)))
    throw new Error(
      'The API differs from client/*.api.md; run `./tamga client api` to update them.',
    );
  await bundle(manifest, packageDirectory);
  await writeFile(
    join(packageDirectory, 'package.json'),
    // Development dependencies are bundled; the package does not list them.
    `${JSON.stringify({ ...manifest, devDependencies: undefined }, null, 2)}\n`,
  );
  for (const file of ['README.md', 'LICENSE']) {
    await copyFile(join(source, file), join(packageDirectory, file));
  }
  await run('npm', ['pack', '--silent', '--pack-destination', target, packageDirectory]);
  return join(
    target,
    `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`,
  );
}

/**
 * Compares the exported declarations with the committed reports, or writes them.
 *
 * @returns true when they are equal, or were written
 */
export async function clientApi(mode: 'compare' | 'write'): Promise<boolean> {
  await writeDeclarations(defaultTarget);
  return extractApi(mode, defaultTarget);
}

const packageOf = (target: string) => join(target, 'package');
const typesOf = (target: string) => join(target, 'types');

async function writeDeclarations(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(packageOf(target), { recursive: true });
  const project = join(source, 'tsconfig.build.json');
  await run(resolve('node_modules/.bin/tsc'), ['-p', project, '--outDir', typesOf(target)]);
}

/** Bundles the declarations of each entry into one file and writes its report. */
async function extractApi(mode: 'compare' | 'write', target: string): Promise<boolean> {
  let isEqual = true;
  for (const { name, types } of entries) {
    const { succeeded } = Extractor.invoke(extractorConfig(name, types, target), {
      localBuild: mode === 'write',
      showVerboseMessages: false,
      messageCallback: (message) => {
        // Every message but progress is a fault.
        message.handled ||= progress.includes(message.logLevel);
      },
    });
    isEqual &&= succeeded;
    if (name === 'index') await shareMainTypes(target);
  }
  return isEqual;
}

/** Lets the declarations beside the main ones import those by the package's name instead of repeating them. */
async function shareMainTypes(target: string): Promise<void> {
  const shared = join(typesOf(target), 'node_modules', packageName);
  await mkdir(shared, { recursive: true });
  await copyFile(join(packageOf(target), 'dist/index.d.ts'), join(shared, 'index.d.ts'));
  const manifest = { name: packageName, type: 'module', types: 'index.d.ts' };
  await writeFile(join(shared, 'package.json'), JSON.stringify(manifest));
  for (const entry of besideMain) {
    const folder = join(typesOf(target), 'client', entry);
    for (const file of await readdir(folder)) {
      const text = await readFile(join(folder, file), 'utf8');
      await writeFile(join(folder, file), text.replaceAll("'../index.ts'", `'${packageName}'`));
    }
  }
}

const progress: readonly ExtractorLogLevel[] = [ExtractorLogLevel.Info, ExtractorLogLevel.Verbose];

function extractorConfig(name: string, types: string, target: string): ExtractorConfig {
  const rollup = join(packageOf(target), 'dist', `${name}.d.ts`);
  const silent = { logLevel: ExtractorLogLevel.None };
  const warning = { logLevel: ExtractorLogLevel.Warning };
  return ExtractorConfig.prepare({
    configObjectFullPath: join(source, 'api-extractor.json'),
    packageJsonFullPath: join(source, 'package.json'),
    configObject: {
      projectFolder: source,
      mainEntryPointFilePath: join(typesOf(target), 'client', types),
      compiler: { tsconfigFilePath: join(source, 'tsconfig.build.json') },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: source,
        reportTempFolder: join(target, 'report'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: true, untrimmedFilePath: rollup },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: warning },
        extractorMessageReporting: {
          default: warning,
          // Everything exported is public; no release tags needed.
          'ae-missing-release-tag': silent,
          'ae-undocumented': warning,
        },
        tsdocMessageReporting: { default: warning, 'tsdoc-param-tag-missing-hyphen': silent },
      },
    },
  });
}

/**
 * Bundles the JavaScript of the entries: dependencies external, development dependencies inlined.
 */
async function bundle(manifest: Manifest, packageDirectory: string): Promise<void> {
  const distribution = join(packageDirectory, 'dist');
  const common: BuildOptions = {
    bundle: true,
    sourcemap: true,
    legalComments: 'inline',
    external: Object.keys(manifest.dependencies).flatMap((name) => [name, `${name}/*`]),
    logLevel: 'warning',
  };
  const onNode: BuildOptions = {
    ...common,
    entryPoints: [join(source, 'index.ts')],
    platform: 'node',
    target: 'node20.19',
  };
  const beside = besideMain.flatMap((name) => {
    const entry = {
      ...onNode,
      entryPoints: [join(source, name, 'index.ts')],
      plugins: [mainByName],
    };
    return [
      build({ ...entry, format: 'esm', outfile: join(distribution, `${name}.js`) }),
      build({ ...entry, format: 'cjs', outfile: join(distribution, `${name}.cjs`) }),
      copyFile(join(distribution, `${name}.d.ts`), join(distribution, `${name}.d.cts`)),
    ];
  });
  await Promise.all([
    ...beside,
    build({ ...onNode, format: 'esm', outfile: join(distribution, 'index.js') }),
    build({ ...onNode, format: 'cjs', outfile: join(distribution, 'index.cjs') }),
    build({
      ...common,
      entryPoints: [join(source, 'browser/index.ts')],
      platform: 'browser',
      target: 'es2022',
      format: 'esm',
      outfile: join(distribution, 'browser.js'),
    }),
    copyFile(join(distribution, 'index.d.ts'), join(distribution, 'index.d.cts')),
  ]);
}

/** Leaves the main entry out of the bundles beside it. */
const mainByName: Plugin = {
  name: 'main-by-name',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.\/index\.ts$/ }, () => ({ path: packageName, external: true }));
  },
};

async function run(program: string, parameters: readonly string[]): Promise<void> {
  const code = await new Promise<number | null>((ended) => {
    const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', () => ended(127));
    child.once('close', ended);
  });
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}.`);
}
