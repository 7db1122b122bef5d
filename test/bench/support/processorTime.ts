import { readdir, readFile } from 'node:fs/promises';

/** Ticks of `/proc/<pid>/stat` in a second: Linux reports USER_HZ, 100 on every architecture. */
const TICKS_PER_SECOND = 100;

/**
 * Processor time of a process and its children, those that ended included, since it began.
 *
 * @returns microseconds, user and system; a step is 10 ms
 */
export async function processorTime(pid: number): Promise<number> {
  const root = await readTimes(pid);
  if (root === null) throw new Error(`Process ${pid} has ended: nothing to measure.`);
  let ticks = root.own + root.endedChildren;
  for (const child of await childrenOf(pid)) {
    const times = await readTimes(child);
    if (times !== null) ticks += times.own + times.endedChildren;
  }
  return (ticks / TICKS_PER_SECOND) * 1e6;
}

/** Process ids of the running children of a process. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const children: number[] = [];
  for (const entry of await readdir('/proc')) {
    const times = /^\d+$/.test(entry) ? await readTimes(Number(entry)) : null;
    if (times?.parent === pid) children.push(Number(entry));
  }
  return children;
}

/** The fields of proc(5) `/proc/<pid>/stat`; null: no such process. */
async function readTimes(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (stat === null) return null;
  // The program's name stands in parentheses and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), endedChildren: field(16) + field(17) };
}
