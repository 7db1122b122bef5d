import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { program } from '../../main/cli/program.ts';

const pages = execFileSync('git', ['ls-files', '--', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && existsSync(page));

/** Text without blocks of code, where brackets mean something else. */
const proseOf = (page: string) =>
  readFileSync(page, 'utf8')
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ' '));

/** Anchors of a page's headings, as hosts of repositories make them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Faults of a page's links to files of the repository. */
function faultsOf(page: string): readonly string[] {
  const targets = [
    ...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g),
    ...proseOf(page).matchAll(/src="([^"]+)"/g),
  ].map(([, target = '']) => target);
  return targets.flatMap((target) => {
    // Pages of the site that the program makes are checked by test/site.
    if (/^(?:https?:|mailto:|\/docs\/)/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(file)) return [`${page}: ${target} does not exist`];
    if (anchor === undefined || !file.endsWith('.md') || anchorsOf(file).has(anchor)) return [];
    return [`${page}: ${target} has no such heading`];
  });
}

describe('The pages of the repository', () => {
  it('link to files and headings that exist', () => {
    expect(pages.flatMap(faultsOf)).to.deep.equal([]);
  });
});

describe('The commands that pages name', () => {
  for (const page of ['docs/upgrading.md', 'docs/operations.md']) {
    it(`exist: ${page}`, () => {
      const text = readFileSync(page, 'utf8');
      const named = text.matchAll(/\.\/tamga ([a-z][a-z-]*)(?:\s+([a-z][a-z-]*))?/gu);
      const unknown = Array.from(named).filter(([, first = '', second = '']) => {
        const found = program.commands.find((each) => each.name() === first);
        if (found === undefined || second === '' || found.commands.length === 0) return !found;
        return !found.commands.some((each) => each.name() === second);
      });
      expect(unknown.map(([command]) => command)).to.deep.equal([]);
    });
  }
});
