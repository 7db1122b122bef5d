/** Module that moves the clock of a process by the milliseconds in a file, read anew ten times a second. */
const moduleText = (path: string) => `
import { readFileSync } from 'node:fs';
const Real = Date;
let offset = 0;
const read = () => {
  try {
    offset = Number(readFileSync(${JSON.stringify(path)}, 'utf8'));
  } catch {
    offset = 0;
  }
};
read();
setInterval(read, 100).unref();
globalThis.Date = class Date extends Real {
  constructor(...parts) {
    if (parts.length === 0) super(Real.now() + offset);
    else super(...parts);
  }
  static now() {
    return Real.now() + offset;
  }
};
`;

/**
 * Switch of Node.js that lets the clock of a process be moved, without a library for it; the database and other
 * processes have the machine's.
 *
 * @param path of the file
 */
export function movedClock(path: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(moduleText(path))}`;
}
