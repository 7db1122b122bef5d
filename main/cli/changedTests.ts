import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** Files and what each uses, both as paths of the repository such as `domain/session/session.ts`. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Test files a change can affect. */
export interface AffectedTests {
  /** Those that reach the change by a path past the whole service, sorted. */
  readonly direct: readonly string[];
  /** Those that reach it only through the whole service, sorted. */
  readonly throughService: readonly string[];
}

/** Files that compose the whole service: nearly every other is reachable from them. */
const serviceRoots: ReadonlySet<string> = new Set(['main/main.ts', 'main/cli/tamga.ts']);

/** Sources used without an import (read, bundled, loaded by a browser), and their tests. */
const unseen: readonly (readonly [source: RegExp, tests: RegExp])[] = [
  [/\.ts$|^\.dependency-cruiser\.cjs$/, /^test\/architecture\//],
  [/^apps\/console\//, /^test\/console\/(?:signIn|dashboard)\./],
  [/^apps\/phone\/web\//, /^test\/phone\/(?:pinKeys|browserPhone)\./],
  [/^docs\/|^CHANGELOG\.md$/, /^test\/cli\//],
  [/^docker\//, /^test\/docker\//],
];

/** Files every test depends on; a change of one calls for a whole run. */
const everywhere =
  /^(?:package(?:-lock)?\.json|tsconfig\.json|\.mocharc\.cjs|test\/support\/runner\/\w+\.ts)$/;

/** The changed files that can affect every test. */
export function reachingEverything(changed: readonly string[]): readonly string[] {
  return changed.filter((file) => everywhere.test(file));
}

/** The test files of `graph` that `changed` can affect. */
export function affectedTests(graph: ImportGraph, changed: readonly string[]): AffectedTests {
  const tests = [...graph.keys()].filter((file) => file.endsWith('.test.ts'));
  const direct = usersOf(graph, changed, serviceRoots);
  const all = usersOf(graph, changed, new Set());
  const bySource = unseen.filter(([source]) => changed.some((file) => source.test(file)));
  const isDirect = (test: string) =>
    direct.has(test) || bySource.some(([, pattern]) => pattern.test(test));
  return {
    direct: tests.filter(isDirect).sort(),
    throughService: tests.filter((test) => all.has(test) && !isDirect(test)).sort(),
  };
}

/** `changed` and everything that uses them, directly or not; users of a file in `ends` are left out. */
function usersOf(
  graph: ImportGraph,
  changed: readonly string[],
  ends: ReadonlySet<string>,
): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  for (const [file, uses] of graph) {
    for (const used of uses) users.set(used, [...(users.get(used) ?? []), file]);
  }
  const reached = new Set(changed);
  const waiting = [...changed];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (ends.has(file) && !changed.includes(file)) continue;
    for (const user of users.get(file) ?? []) {
      if (!reached.has(user)) waiting.push(user);
      reached.add(user);
    }
  }
  return reached;
}

/**
 * The graph of what runs: imports of the compiled files in `dist`, from which imports of types are gone, and the files
 * they name by their path.
 */
export function compiledImports(dist = 'dist'): ImportGraph {
  const compiled = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.js') && existsSync(sourceOf(path)),
  );
  return new Map(
    compiled.map((path) => [sourceOf(path), usedBy(path, readFileSync(join(dist, path), 'utf8'))]),
  );
}

/** Path of a route below its first parameter, in a source of `api/`: the operators' ones are called without their prefix. */
const routePath = /['"`](?:\/v3\/admin(?=\/))?(\/[\w./-]{3,})(?=[/:$'"`])/g;

/** Folders of tests that take a browser, containers or minutes. */
const costly = /^test\/(?:console|docker|long)\//;

/**
 * Those of `tests` that name a route of a changed file, by its path: nothing else leads from a route to the tests that
 * call it at the whole service. Costly ones are left out.
 *
 * @param textOf text of a file of the repository
 */
export function testsOfRoutes(
  tests: readonly string[],
  changed: readonly string[],
  textOf: (file: string) => string = (file) => readFileSync(file, 'utf8'),
): readonly string[] {
  const paths = changed
    .filter((file) => file.startsWith('api/'))
    .flatMap((file) => [...textOf(file).matchAll(routePath)].map(([, path = '']) => path))
    .map((path) => path.replace(/\/$/, '').replaceAll('.', '\\.'));
  if (paths.length === 0) return [];
  const naming = new RegExp(`(?:['"\`}]|/v3/admin)(?:${paths.join('|')})(?![\\w-])`);
  return tests.filter((file) => !costly.test(file) && naming.test(textOf(file)));
}

function usedBy(path: string, text: string): readonly string[] {
  const imported = ts
    .preProcessFile(text, true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => sourceOf(normalize(join(dirname(path), fileName))));
  const named = [...text.matchAll(/['"`]((?:\.{1,2}\/)*[\w-]+(?:\/[\w.-]+)*\.\w+)['"`]/g)].flatMap(
    ([, name = '']) =>
      [name, normalize(join(dirname(path), name))].map(sourceOf).filter(existsSync),
  );
  return [...new Set([...imported, ...named])];
}

/** The TypeScript file a compiled one is made from. */
function sourceOf(compiled: string): string {
  return compiled.replace(/^dist\//, '').replace(/\.js$/, '.ts');
}

/**
 * Files that differ from where the branch left `main`, with those not committed and not added; deleted ones are left
 * out.
 */
export function changedFiles(): readonly string[] {
  const git = (...parameters: readonly string[]) =>
    execFileSync('git', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  const base = ['main', 'origin/main'].flatMap((branch) => {
    try {
      return git('merge-base', 'HEAD', branch);
    } catch {
      return [];
    }
  });
  return [
    ...git('diff', '--name-only', '--diff-filter=d', base[0] ?? 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}
