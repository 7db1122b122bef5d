import { readFileSync } from 'node:fs';
import { tamgaProgram } from './tamgaProgram.ts';
import { run, type Ran } from './tools.ts';

/** A shell block of a page. */
export interface ShownBlock {
  /** Mark before it, `<!-- tested: name -->`, by which a test runs it; null: none. */
  readonly name: string | null;
  readonly text: string;
  /** Heading of the second level that it stands below. */
  readonly heading: string;
}

const BLOCKS =
  /^## (?<heading>.*)$|(?:<!-- tested: (?<name>\S+) -->\n\s*)?^ *```(?<kind>\w+)\n(?<text>[\s\S]*?)^ *```$/gmu;

const without = (indent: string, text: string) =>
  text.replaceAll(new RegExp(`^${indent}`, 'gmu'), '');

/** Shell blocks of a page, in its order. */
export function shownBlocks(page: string): readonly ShownBlock[] {
  let heading = '';
  return [...readFileSync(page, 'utf8').matchAll(BLOCKS)].flatMap(({ groups = {} }) => {
    if (groups['heading'] !== undefined) heading = groups['heading'];
    const { name = null, kind = '', text = '' } = groups;
    if (!['sh', 'console', 'bash'].includes(kind)) return [];
    return [{ name, heading, text: without(/^ */u.exec(text)?.[0] ?? '', text) }];
  });
}

/** The block of a page, of whatever kind, that is marked as tested. */
export function shownBlock(page: string, name: string): string {
  const [, after = ''] = readFileSync(page, 'utf8').split(`<!-- tested: ${name} -->\n`);
  const [, indent = '', text] = /^\s*?( *)```\w+\n([\s\S]*?)^ *```$/mu.exec(after) ?? [];
  if (text === undefined) throw new Error(`${page} has no block ${name}.`);
  return without(indent, text);
}

/**
 * Runs commands of a page in a shell that ends at the first failure, with nothing of this one's environment.
 *
 * @param directory where they are typed
 */
export function runShown(
  text: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<Ran> {
  const script = text.replaceAll('./tamga', '"$NODE" "$TAMGA"');
  return run(
    'env',
    ...['-i', `PATH=${process.env['PATH'] ?? ''}`, `NODE=${process.execPath}`],
    `TAMGA=${tamgaProgram()}`,
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    ...['bash', '--norc', '-eu', '-c', `cd ${directory}\n${script}`],
  );
}
