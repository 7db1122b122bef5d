import type { FileScanner } from '../../application/document/ports/fileScanner.ts';

/** Scanner used when none is configured: accepts every file. */
export function createNoScanner(): FileScanner {
  return { scan: () => Promise.resolve({ found: null }) };
}
