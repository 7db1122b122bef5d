import { common } from '../../api/pages/commonWords.ts';
import { html, Html } from '../../api/pages/html.ts';
import type { Heading, Passage } from './markdown.ts';

export type Language = 'en' | 'mn';

/** A page of the site, without its frame. */
export interface Page {
  /** Path below the site's root, `tour.html`. */
  readonly path: string;
  readonly title: string;
  readonly language: Language;
  readonly main: Html;
  readonly headings: readonly Heading[];
  /** Passages that search finds. */
  readonly passages: readonly Passage[];
  /** Path of the same page in the other language. */
  readonly otherLanguage?: string;
  /** Path of the page of the menu that this one is listed on; omitted: it is in the menu itself. */
  readonly listedOn?: string;
  /** Script of its own, in `assets/`. */
  readonly script?: string;
}

/** Part of the menu: the pages of one kind of reader, in order. */
export interface MenuPart {
  readonly title: string;
  readonly language: Language;
  readonly pages: readonly Pick<Page, 'path' | 'title'>[];
}

const words = {
  en: {
    search: 'Search',
    menu: 'Contents',
    here: 'On this page',
    skip: 'To the text',
    before: 'Before',
    next: 'Next',
    other: common.mn.languageName,
    api: 'API',
    problems: 'Problems',
    footer: 'Tamga documentation. The service it comes from serves this version.',
  },
  mn: {
    search: 'Хайх',
    menu: 'Агуулга',
    here: 'Энэ хуудсанд',
    skip: 'Бичвэр рүү очих',
    before: 'Өмнөх',
    next: 'Дараах',
    other: common.en.languageName,
    api: 'API',
    problems: 'Алдаанууд',
    footer: 'Тамга системийн баримт бичиг. Таны ашиглаж буй үйлчилгээний хувилбарт тохирно.',
  },
} as const;

/** Pages of search results. */
export const searchPath: Readonly<Record<Language, string>> = {
  en: 'search.html',
  mn: 'mn/search.html',
};

/** Page that is shown at addresses of any depth, so its own links are absolute. */
export const NOT_FOUND = '404.html';

/** Address of a page or file of the site, relative to another. */
export function relativeTo(from: string, to: string): string {
  if (from === NOT_FOUND) return `/docs/${to}`;
  const up = '../'.repeat(from.split('/').length - 1);
  return up + to;
}

/** Renders a page in its frame: own files only, nothing inline. */
export function framed(page: Page, menu: readonly MenuPart[]): string {
  const { path, title, language, headings, main, otherLanguage } = page;
  const t = words[language];
  const to = (target: string) => relativeTo(path, target);
  const current = page.listedOn ?? path;
  const part = menu.find(({ pages }) => pages.some((each) => each.path === current));
  const here = headings.filter(({ level }) => level === 2);
  const hasHere = here.length > 2;
  const document = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Tamga</title>
        <link rel="icon" href="${to('assets/icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${to('assets/site.css')}" />
        <script src="${to('assets/site.js')}" defer></script>
        ${page.script === undefined ? null : html`<script src="${to(page.script)}" defer></script>`}
      </head>
      <body data-root="${to('')}">
        <a class="skip" href="#text">${t.skip}</a>
        <header>
          <a class="brand" href="${to('index.html')}"
            ><img src="${to('assets/icon.svg')}" alt="" />Tamga</a
          >
          <nav class="tools" aria-label="Tamga">
            <a class="to-menu" href="#menu">${t.menu}</a>
            <a href="${to('api/index.html')}">${t.api}</a>
            <a href="${to(language === 'mn' ? 'mn/problems/index.html' : 'problems/index.html')}"
              >${t.problems}</a
            >
            ${otherLanguage === undefined ? null : html`<a href="${to(otherLanguage)}" lang="${language === 'en' ? 'mn' : 'en'}">${t.other}</a>`}
          </nav>
          <form class="search" role="search" action="${to(searchPath[language])}">
            <input
              type="search"
              name="q"
              aria-label="${t.search}"
              placeholder="${t.search}"
              autocomplete="off"
            />
          </form>
        </header>
        <div class="frame${hasHere ? ' with-here' : ''}">
          <main id="text">
            ${part === undefined ? null : html`<p class="path">${part.title}</p>`}${main}
            ${onward(page, part, t, to)}
          </main>
          <nav class="menu" id="menu" aria-label="${t.menu}">
            ${menu.map((each) => menuPart(each, each === part, current, to))}
          </nav>
          ${
            hasHere
              ? html`<nav class="here" aria-label="${t.here}">
                  <strong>${t.here}</strong>
                  <ul>
                    ${here.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
                  </ul>
                </nav>`
              : null
          }
        </div>
        <footer>${t.footer}</footer>
      </body>
    </html> `;
  return document.text;
}

function menuPart(
  { title, language, pages }: MenuPart,
  isOpen: boolean,
  current: string,
  to: (target: string) => string,
): Html {
  const entries = pages.map(
    (each) =>
      html`<li>
        <a
          href="${to(each.path)}"
          ${each.path === current ? new Html(' aria-current="page"') : null}
          >${each.title}</a
        >
      </li>`,
  );
  return html`<details lang="${language}" ${isOpen ? new Html(' open') : null}>
    <summary>${title}</summary>
    <ul>
      ${entries}
    </ul>
  </details> `;
}

/** Links to the pages before and after, in the order of their reader. */
function onward(
  { path }: Page,
  part: MenuPart | undefined,
  t: (typeof words)[Language],
  to: (target: string) => string,
): Html | null {
  const at = part?.pages.findIndex((each) => each.path === path) ?? -1;
  if (part === undefined || at < 0) return null;
  const [before, next] = [part.pages[at - 1], part.pages[at + 1]];
  return html`<nav class="onward" aria-label="${t.before} / ${t.next}">
    ${before === undefined ? html`<span></span>` : html`<a href="${to(before.path)}">← ${before.title}</a>`}
    ${next === undefined ? null : html`<a href="${to(next.path)}">${next.title} →</a>`}
  </nav>`;
}
