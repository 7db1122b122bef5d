import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, normalize, dirname } from 'node:path';
import { expect } from 'chai';
import MiniSearch from 'minisearch';
import { endResultHelp } from '../../api/problems/help/endResultHelp.ts';
import { refusalCodes } from '../../domain/shared/refusal.ts';
import { buildSite } from '../../apps/site/build.ts';
import { pagesMissingInMenu } from '../../apps/site/documents.ts';
import { searchOptions } from '../../apps/site/searchOptions.ts';

describe('The documentation site', function () {
  this.timeout(60_000);
  let directory: string;
  const pages = new Map<string, string>();

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-site-'));
    await buildSite(directory);
    for (const file of await readdir(directory, { recursive: true })) {
      if (file.endsWith('.html')) pages.set(file, await readFile(join(directory, file), 'utf8'));
    }
  });

  after(() => rm(directory, { recursive: true, force: true }));

  const pageAt = (path: string) => {
    const page = pages.get(path);
    if (page === undefined) throw new Error(`There is no page ${path}.`);
    return page;
  };

  /** Links of a page to the site itself: file and anchor. */
  const linksOf = (path: string) =>
    Array.from(pageAt(path).matchAll(/(?:href|src|action)="([^"]*)"/g), ([, link = '']) => link)
      .filter((link) => !/^(?:https?:|mailto:)/.test(link))
      .map((link) => {
        const [file = '', anchor] = link.split('#');
        const below = file.startsWith('/docs/')
          ? file.slice('/docs/'.length)
          : normalize(join(dirname(path), file));
        return { file: file === '' ? path : below, anchor };
      });

  it('has no link to a page or heading that does not exist', async () => {
    const files = new Set(await readdir(directory, { recursive: true }));
    const faults = [...pages.keys()].flatMap((path) =>
      linksOf(path).flatMap(({ file, anchor }) => {
        if (!files.has(file)) return [`${path}: ${file} does not exist`];
        if (anchor === undefined || !file.endsWith('.html')) return [];
        return pageAt(file).includes(`id="${decodeURI(anchor)}"`)
          ? []
          : [`${path}: ${file} has no ${anchor}`];
      }),
    );
    expect(faults.slice(0, 10).join('\n')).to.equal('');
  });

  it('names every page of docs/ in its menu, apps/site/menu.ts', () => {
    expect(pagesMissingInMenu()).to.deep.equal([]);
  });

  it('has no orphan: every page is reached from the first by links', () => {
    const reached = new Set(['index.html']);
    for (const path of reached) {
      for (const { file } of linksOf(path)) if (pages.has(file)) reached.add(file);
    }
    const made = [...pages.keys()].filter((path) => path !== '404.html');
    expect(made.filter((path) => !reached.has(path))).to.deep.equal([]);
  });

  it('has a page of every problem and end result in both languages, without words of ours in the place of text', () => {
    const named = [
      ...refusalCodes.map((code) => `problems/${code}.html`),
      ...Object.keys(endResultHelp).map((code) => `end-results/${code}.html`),
    ];
    for (const path of named) {
      const [english, mongolian] = [pageAt(path), pageAt(`mn/${path}`)];
      const main = (page: string) => /<main[^>]*>([\s\S]*)<\/main>/.exec(page)?.[1] ?? '';
      expect(main(english).match(/class="say"/g), path).to.have.length(2);
      expect(main(mongolian), path).to.match(/[А-Яа-яӨөҮү]{3}/);
      expect(english).to.include('<html lang="en">');
      expect(mongolian).to.include('<html lang="mn">');
      expect(main(english) + main(mongolian), path).not.to.match(/undefined|null|\[object/);
    }
  });

  it('has no heading of a column without words', () => {
    const bare = [...pages].filter(([, text]) => /<th[^>]*>\s*<\/th>/.test(text));
    expect(bare.map(([path]) => path)).to.deep.equal([]);
  });

  it('has nothing inline that its policy forbids', () => {
    for (const [path, page] of pages) {
      // One file, to be opened from a disk, where no policy is.
      if (path.startsWith('verifier/')) continue;
      expect(page, path).not.to.match(/<style|<[^>]*\s(?:style|on\w+)=|<script(?![^>]*\bsrc=)/);
    }
  });

  it('finds codes, words and words in Mongolian', async () => {
    const index = MiniSearch.loadJSON(
      await readFile(join(directory, 'assets/search.json'), 'utf8'),
      searchOptions,
    );
    const found = (query: string) =>
      index.search(query).map(({ address }) => String(address as unknown));
    expect(found('WRONG_VC')[0]).to.match(/end-results\/WRONG_VC\.html$/);
    expect(found('SVC_SESSION_WINDOW').join(' ')).to.include('configuration.html');
    expect(found('гэрчилгээ')).not.to.be.empty;
    expect(found('gerchilgee')).to.include.members(found('гэрчилгээ').slice(0, 3));
    expect(found('PIN мартсан').join(' ')).to.include('citizen-mn.html');
    expect(found('PIN мартсан')).to.deep.equal(found('ПИН мартсан'));
  });
});
