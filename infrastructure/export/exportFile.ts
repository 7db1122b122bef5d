import { createReadStream } from 'node:fs';
import type { StoredEvent } from '../../domain/merkle/hashTree.ts';
import { BadEventLine, parseEventLine } from './eventLines.ts';
import { linesOf, type NumberedLine } from './lines.ts';

/** A line of an export with its event, or the reason it holds none. */
export type ExportedLine = NumberedLine &
  ({ readonly event: StoredEvent } | { readonly event: null; readonly fault: string });

/**
 * Reads an exported log from a file, many lines at a time, in constant memory. A damaged line does not end the reading:
 * it is yielded as such.
 *
 * @throws Error when the file cannot be read
 */
export async function* readExport(path: string): AsyncGenerator<readonly ExportedLine[]> {
  for await (const lines of linesOf(createReadStream(path))) yield lines.map(exportedLine);
}

function exportedLine({ number, text }: NumberedLine): ExportedLine {
  if (text === null) return { number, text, event: null, fault: 'The line is not UTF-8.' };
  try {
    return { number, text, event: parseEventLine(text) };
  } catch (error) {
    if (!(error instanceof BadEventLine)) throw error;
    return { number, text, event: null, fault: error.message };
  }
}

/** Path of the keys of an export. */
export function keysBeside(path: string): string {
  return `${path}.keys.pem`;
}

/** Path of the proofs of an export. */
export function proofsBeside(path: string): string {
  return `${path}.proofs`;
}
