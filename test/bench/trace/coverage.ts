import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Functions entered, by source file (`domain/session/session.ts`); each function by its name and offset. */
export type Entered = ReadonlyMap<string, ReadonlySet<string>>;

/** Counting of the functions of this process that are entered. */
export interface Coverage {
  /** Functions entered since the last call. */
  take(): Promise<Entered>;
  stop(): Promise<void>;
}

const compiled = fileURLToPath(new URL('../../../', import.meta.url));
/** Folders of those who ask the service, which run in the same process here. */
const participants = /^(apps|client|main\/cli|test)\//;

/** Counts by V8's precise coverage. The first call of `take` returns what ran before it, too. */
export async function startCoverage(): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    take: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const entered = new Map<string, Set<string>>();
      for (const { url, functions } of result) {
        const file = sourceOf(url);
        if (file === null) continue;
        const called = functions.filter(isCalled);
        if (called.length === 0) continue;
        const names = called.map(
          ({ functionName, ranges }) => `${functionName}@${ranges[0]?.startOffset ?? 0}`,
        );
        entered.set(file, new Set(names));
      }
      return entered;
    },
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

/** Tells a call from the run of a module, which is the function without a name that begins at 0. */
function isCalled({ functionName, ranges: [range] }: Profiler.FunctionCoverage): boolean {
  const isModule = functionName === '' && range?.startOffset === 0;
  return !isModule && range !== undefined && range.count > 0;
}

/** Source file of a compiled one; null for what is not of the service. */
function sourceOf(url: string): string | null {
  if (!url.startsWith('file:')) return null;
  const path = relative(compiled, fileURLToPath(url));
  if (path.startsWith('..') || path.includes('node_modules') || participants.test(path))
    return null;
  return path.replace(/\.js$/, '.ts');
}

/** Subtraction: what was entered and is not in `background`. */
export function without(entered: Entered, background: Entered): Entered {
  const left = new Map<string, ReadonlySet<string>>();
  for (const [file, functions] of entered) {
    const known = background.get(file) ?? new Set();
    const own = [...functions].filter((name) => !known.has(name));
    if (own.length > 0) left.set(file, new Set(own));
  }
  return left;
}

export function together(...all: readonly Entered[]): Entered {
  const joined = new Map<string, Set<string>>();
  for (const [file, functions] of all.flatMap((each) => [...each])) {
    const names = joined.get(file) ?? new Set<string>();
    for (const name of functions) names.add(name);
    joined.set(file, names);
  }
  return joined;
}

/** Intersection: what was entered in each of some runs. */
export function inEach([first = new Map(), ...others]: readonly Entered[]): Entered {
  return others.reduce((common, other) => without(common, without(common, other)), first);
}

export function functionsOf(entered: Entered): number {
  return [...entered.values()].reduce((sum, { size }) => sum + size, 0);
}
