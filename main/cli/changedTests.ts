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
  /** Those of the others that name a changed route or page by its path, sorted. */
  readonly byPath: readonly string[];
  /** Those of the others that reach it only through the whole service, sorted. */
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

/**
 * The test files of `graph` that `changed` can affect.
 *
 * @param textOf text of a file of the repository
 */
export function affectedTests(
  graph: ImportGraph,
  changed: readonly string[],
  textOf: (file: string) => string = (file) => readFileSync(file, 'utf8'),
): AffectedTests {
  const tests = [...graph.keys()].filter((file) => file.endsWith('.test.ts')).sort();
  const direct = usersOf(graph, changed, serviceRoots);
  const all = usersOf(graph, changed, new Set());
  const bySource = unseen.filter(([source]) => changed.some((file) => source.test(file)));
  const isDirect = (test: string) =>
    direct.has(test) || bySource.some(([, pattern]) => pattern.test(test));
  const others = tests.filter((test) => !isDirect(test));
  const byPath = others.filter(testsNaming(changed, textOf));
  return {
    direct: tests.filter(isDirect),
    byPath,
    throughService: others.filter((test) => all.has(test) && !byPath.includes(test)),
  };
}

/** Path of a route or page below its first parameter; those of operators are called without their prefix. */
const pathInText = /['"`](?:\/v3\/admin(?=\/))?(\/[\w./-]{3,})(?=[/:$'"`])/g;

/** Sources of routes and pages, to which nothing leads but the whole service and a browser; where their paths are; their tests. */
const addressed: readonly (readonly [source: RegExp, paths: string, tests: RegExp])[] = [
  // Not in a browser, with containers or for minutes.
  [/^api\/.*/, '$&', /^test\/(?!console|docker|long)/],
  [/^(apps\/console\/src\/areas\/\w+)\/.*/, '$1/area.ts', /^test\/console\//],
];

/** True for tests that name a path of a changed source. */
function testsNaming(
  changed: readonly string[],
  textOf: (file: string) => string,
): (test: string) => boolean {
  const named = addressed.flatMap(([source, place, tests]) => {
    const files = changed.filter((file) => source.test(file));
    const paths = files
      .flatMap((file) => [...textOf(file.replace(source, place)).matchAll(pathInText)])
      .map(([, path = '']) => path.replace(/\/$/, '').replaceAll('.', '\\.'));
    if (paths.length === 0) return [];
    const name = new RegExp(`(?:['"\`}]|/v3/admin|/console)(?:${paths.join('|')})(?![\\w-])`);
    return [{ tests, name }];
  });
  return (test) => named.some(({ tests, name }) => tests.test(test) && name.test(textOf(test)));
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
