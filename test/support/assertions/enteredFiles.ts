import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** Root of what runs: the compiled files in `dist`, or the sources. */
const root = new URL('../../..', import.meta.url);

/** Records which source files have functions that are called while something is done. */
export async function enteredFiles(done: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await done();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url, functions }) => url.startsWith(root.href) && functions.some(isEntered))
      .map(({ url }) => url.slice(root.href.length).replace(/\.js$/, '.ts'));
  } finally {
    session.disconnect();
  }
}

/** Tells a call from the run of a module, which is the function without a name that begins at 0. */
function isEntered({ functionName, ranges: [range] }: Profiler.FunctionCoverage): boolean {
  const isModule = functionName === '' && range?.startOffset === 0;
  return !isModule && range !== undefined && range.count > 0;
}
