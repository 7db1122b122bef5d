import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Excerpt of this program's source. */
export interface Excerpt {
  readonly file: string;
  /** Number of the first line. */
  readonly lineNumber: number;
  readonly text: string;
}

const REGION = /^[ \t]*\/\/ #region (\w+)\n([\s\S]*?)^[ \t]*\/\/ #endregion/gm;

/**
 * Reads the regions of the flows by name, from the files that run (or that were compiled), so that
 * the pages show the actual code.
 */
export function readExcerpts(directory: string): ReadonlyMap<string, Excerpt> {
  const files = readdirSync(join(directory, 'flows'));
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  const shown = sources.length > 0 ? sources : files.filter((file) => file.endsWith('.js'));
  return new Map(shown.flatMap((file) => excerptsOf(directory, `flows/${file}`)));
}

function excerptsOf(directory: string, file: string): [string, Excerpt][] {
  const source = readFileSync(join(directory, file), 'utf8');
  return [...source.matchAll(REGION)].map(({ 1: name = '', 2: text = '', index }) => [
    name,
    { file, lineNumber: source.slice(0, index).split('\n').length + 1, text: unindented(text) },
  ]);
}

function unindented(text: string): string {
  const lines = text.trimEnd().split('\n');
  const indents = lines.filter((line) => line !== '').map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n');
}
