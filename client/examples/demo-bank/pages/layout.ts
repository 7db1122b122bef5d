import { languages, texts } from '../texts/index.ts';
import { type Content, type Html, html } from './html.ts';
import { panel } from './panel.ts';
import type { View } from './view.ts';

export interface PageParts {
  readonly title: string;
  readonly main: Content;
  /** Steps shown in the panel before any has run; null: a page without panel. */
  readonly steps?: readonly string[] | null;
}

/** A whole page. */
export function page(view: View, { title, main, steps = [] }: PageParts): string {
  const { t, language, settings } = view;
  const { base } = settings;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${t.bank}</title>
        <link rel="icon" href="${base}/public/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${base}/public/tokens.css" />
        <link rel="stylesheet" href="${base}/public/bank.css" />
        <script type="module" src="${base}/public/bank.js"></script>
      </head>
      <body>
        <a class="skip" href="#main">${t.skip}</a>
        <header class="top">
          <a class="brand" href="${base}/"
            ><img src="${base}/public/mark.svg" width="36" height="36" alt="" /><span
              >${t.bank}</span
            ></a
          >
          <nav aria-label="${t.language}">${languages.map((each) => languageLink(view, each))}</nav>
          ${signOut(view)}
        </header>
        <div class="${steps === null ? 'alone' : 'beside'}">
          <main id="main" tabindex="-1">${main}</main>
          ${steps === null ? null : html`<aside id="panel" aria-label="${t.panel.title}"><div class="sheet" id="sheet">${panel(view, steps)}</div></aside>`}
        </div>
        <footer><p>${t.tagline}</p></footer>
      </body>
    </html> `.text;
}

function languageLink({ language }: View, each: View['language']): Html {
  const { languageName } = texts[each];
  return each === language
    ? html`<span lang="${each}" aria-current="true">${languageName}</span>`
    : html`<a lang="${each}" hreflang="${each}" href="?lang=${each}">${languageName}</a>`;
}

function signOut({ visitor, settings, t }: View): Html | null {
  const { customer } = visitor;
  if (customer === undefined) return null;
  return html`<form class="who" method="post" action="${settings.base}/logout">
    ${token(visitor)}<span class="name">${customer.givenName} ${customer.surname}</span>
    <button class="quiet">${t.signOut}</button>
  </form>`;
}

/** Hidden field with the CSRF token. */
export function token({ csrfToken }: { readonly csrfToken: string }): Html {
  return html`<input type="hidden" name="csrf" value="${csrfToken}" />`;
}

/** Definition list of labels and values; nulls are left out. */
export function facts(rows: readonly (readonly [label: string, value: Content])[]): Html {
  return html`<dl class="facts">
    ${rows.map(([label, value]) =>
      value === null
        ? null
        : html`<div>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div>`,
    )}
  </dl>`;
}

/** Time in Mongolia's time zone. */
export function time(moment: Date): Html {
  const shown = moment.toLocaleString('sv-SE', { timeZone: 'Asia/Ulaanbaatar' });
  return html`<time datetime="${moment.toISOString()}">${shown.slice(0, 16)}</time>`;
}

/** Amount in tögrög. */
export function money(amount: number): string {
  return `${amount.toLocaleString('en-US')} ₮`;
}
