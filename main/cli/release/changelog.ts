/** One version of the changelog. */
export interface ChangelogSection {
  /** Semantic version; null: not released yet. */
  readonly version: string | null;
  /** Release date, `YYYY-MM-DD`; null where absent. */
  readonly date: string | null;
  /** Text of each entry under its heading, in the order of the file. */
  readonly entries: ReadonlyMap<string, readonly string[]>;
}

const VERSION_HEADING = /^## \[(?:Unreleased|(?<version>[^\]]+))\](?: - (?<date>\S+))?$/;

/**
 * Parses a changelog in the Keep a Changelog form, newest version first.
 *
 * @throws Error naming the line that breaks the form: another heading, or text under no heading
 */
export function readChangelog(text: string): readonly ChangelogSection[] {
  const blocks = text.split(/^(?=## )/m).filter((block) => block.startsWith('## '));
  return blocks.map((block) => {
    const [title = '', ...lines] = block.split('\n');
    const groups = VERSION_HEADING.exec(title)?.groups;
    if (groups === undefined) throw new Error(`Malformed version heading: ${title}`);
    const { version = null, date = null } = groups as Readonly<Record<string, string | undefined>>;
    return { version, date, entries: entriesIn(lines) };
  });
}

function entriesIn(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const entries = new Map<string, string[]>();
  let under: string[] | null = null;
  for (const line of lines.filter((each) => each.trim() !== '' && !isLink(each))) {
    const kind = /^### (.+)$/.exec(line)?.[1];
    if (kind !== undefined) {
      if (entries.has(kind)) throw new Error(`Heading ${kind} occurs twice in one version.`);
      entries.set(kind, (under = []));
    } else if (under === null) throw new Error(`Text without a heading: ${line}`);
    else if (line.startsWith('- ')) under.push(line.slice(2));
    else under[under.length - 1] = `${under.at(-1) ?? ''} ${line.trim()}`;
  }
  return entries;
}

function isLink(line: string): boolean {
  return /^\[[^\]]+\]: \S+$/.test(line);
}
