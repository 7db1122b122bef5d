import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { html } from '../../api/pages/html.ts';
import { termLinks, termsOf } from './glossary.ts';
import { renderMarkdown } from './markdown.ts';
import { menu, type MenuChapter, type MenuEntry } from './menu.ts';
import { type MenuPart, type Page, relativeTo } from './page.ts';

const GLOSSARY = 'docs/glossary.md';

/** Pages that are there in both languages. */
const translations: Readonly<Record<string, string>> = {
  'docs/citizen.md': 'docs/citizen-mn.md',
  'docs/citizen-mn.md': 'docs/citizen.md',
};

/** A page of the site that is a file of the repository. */
interface Document {
  readonly source: string;
  readonly chapter: MenuChapter;
  /** The page that lists it, where the menu does not. */
  readonly listedOn?: string;
}

/** Files that the site shows as they are: path below its root, and in the repository. */
export type Pictures = ReadonlyMap<string, string>;

/** Path of a file's page below the site's root. */
function pathOf(source: string): string {
  const inDocs = source.startsWith('docs/') ? source.slice('docs/'.length) : source.toLowerCase();
  return inDocs.replace(/README\.md$/i, 'index.md').replace(/\.md$/, '.html');
}

function documents(): readonly Document[] {
  return menu.flatMap((chapter) => {
    const named = chapter.entries.flatMap((entry) => ('source' in entry ? [entry.source] : []));
    const { folder } = chapter;
    const others =
      folder === undefined
        ? []
        : readdirSync(folder)
            .map((file) => join(folder, file))
            .filter((file) => file.endsWith('.md') && !named.includes(file))
            .sort();
    return [
      ...named.map((source) => ({ source, chapter })),
      ...others.map((source) => ({
        source,
        chapter,
        listedOn: pathOf(`${folder ?? ''}/README.md`),
      })),
    ];
  });
}

/** Pages of docs/ that the menu does not name: no reader would find them. */
export function pagesMissingInMenu(): readonly string[] {
  const all = documents();
  return readdirSync('docs')
    .map((file) => join('docs', file))
    .filter((file) => file.endsWith('.md') && !all.some(({ source }) => source === file));
}

/** Pages made of the files of the repository, the menu over all pages, and the pictures. */
export function documentPages(): { pages: Page[]; parts: MenuPart[]; pictures: Pictures } {
  const all = documents();
  const pictures = new Map<string, string>();
  const terms = termsOf(readFileSync(GLOSSARY, 'utf8'));
  const pages = all.map((document) => pageOf(document, all, { pictures, terms }));
  const titles = new Map(pages.map(({ path, title }) => [path, title]));
  const parts = menu.map(({ title, language, entries }) => ({
    title,
    language,
    pages: entries.map((entry) => listed(entry, titles)),
  }));
  return { pages: pages.map((page) => withList(page, pages)), parts, pictures };
}

function listed(entry: MenuEntry, titles: ReadonlyMap<string, string>) {
  if ('path' in entry) return entry;
  const path = pathOf(entry.source);
  return { path, title: entry.title ?? titles.get(path) ?? path };
}

function pageOf(
  { source, chapter, listedOn }: Document,
  all: readonly Document[],
  {
    pictures,
    terms,
  }: { readonly pictures: Map<string, string>; readonly terms: ReturnType<typeof termsOf> },
): Page {
  const path = pathOf(source);
  const linkOf = (target: string) => {
    if (/^(?:https?|mailto):/.test(target) || target.startsWith('#')) return target;
    // Pages that the program makes are named by their address.
    if (target.startsWith('/docs/')) {
      const [file = '', anchor] = target.slice('/docs/'.length).split('#');
      const made =
        file === '' || file.endsWith('/')
          ? `${file}index.html`
          : file.replace(/\/[^./]+$|^[^./]+$/, '$&.html');
      return relativeTo(path, made) + (anchor === undefined ? '' : `#${anchor}`);
    }
    const [file = '', anchor] = target.split('#');
    const found = all.find((each) => each.source === normalize(join(dirname(source), file)));
    if (found === undefined) return null;
    return relativeTo(path, pathOf(found.source)) + (anchor === undefined ? '' : `#${anchor}`);
  };
  const pictureOf = (target: string) => {
    const file = normalize(join(dirname(source), target));
    const name = `pictures/${basename(file)}`;
    pictures.set(name, file);
    return relativeTo(path, name);
  };
  try {
    const rendered = renderMarkdown(readFileSync(source, 'utf8'), {
      linkOf,
      pictureOf,
      terms:
        source === GLOSSARY || chapter.language === 'mn'
          ? null
          : termLinks(terms, relativeTo(path, pathOf(GLOSSARY))),
      hasNamedRows: source === GLOSSARY,
    });
    return {
      path,
      title: rendered.title,
      language: chapter.language,
      headings: rendered.headings,
      passages: rendered.passages,
      main: rendered.html,
      ...(listedOn !== undefined && { listedOn }),
      ...(source in translations && { otherLanguage: pathOf(translations[source] ?? '') }),
    };
  } catch (error) {
    throw new Error(`${relative('.', source)} cannot be shown.`, { cause: error });
  }
}

/** Adds to a page that lists others the list of them. */
function withList(page: Page, pages: readonly Page[]): Page {
  const own = pages.filter(({ listedOn }) => listedOn === page.path);
  if (own.length === 0) return page;
  const entries = own.map(
    ({ path, title }) => html`<li><a href="${relativeTo(page.path, path)}">${title}</a></li>`,
  );
  return {
    ...page,
    main: html`${page.main}
      <ul>
        ${entries}
      </ul>`,
  };
}
