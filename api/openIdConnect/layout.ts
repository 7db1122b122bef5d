import type { HostedPage } from './ports/oidcPages.ts';
import { builtAsset } from '../pages/assets.ts';
import { type Brand, logoPath, themeLink } from '../pages/brand.ts';
import { common } from '../pages/commonWords.ts';
import { type Content, html } from '../pages/html.ts';
import { type Language, languages } from '../verify/texts.ts';
import { texts } from './texts.ts';

/** Base path of the pages; each login has a path of its own below it. */
export const loginBase = '/login';

/** Path of the page of a citizen's consents. */
export const consentsPath = `${loginBase}/consents`;

/** Path of a citizen's own page; what belongs to it has paths below. */
export const mePath = '/me';

/** The pages' own files. */
export const oidcAssets = {
  style: builtAsset('oidc.css'),
  script: builtAsset('oidc.js'),
} as const;

export const assetsBase = `${loginBase}/assets`;

/** Content of a page without its frame. */
export interface PageParts {
  readonly language: Language;
  readonly title: string;
  readonly main: Content;
  readonly status?: number;
  /** True for pages with the script: those that poll work without it, too. */
  readonly watches?: boolean;
  /** Refresh interval for browsers without scripts, s. */
  readonly refreshSeconds?: number;
  /** Address the browser continues to immediately. */
  readonly onward?: string;
  /** Sources of `form-action`, redirects included; default: the service itself. */
  readonly formAction?: string;
  /** Path for a switch of language; null: not possible. */
  readonly self?: string | null;
}

/** A page that is rendered once it is known whose it is. */
export interface BrandedPage extends Omit<HostedPage, 'html'> {
  readonly html: (brand: Brand) => string;
}

/** Renders a page in the operator's look. */
export function rendered({ html: document, ...page }: BrandedPage, brand: Brand): HostedPage {
  return { ...page, html: document(brand) };
}

/** Makes a page. Its content security policy allows own files only, nothing inline. */
export function hostedPage(parts: PageParts): BrandedPage {
  const { language, status = 200, onward } = parts;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'content-security-policy': policy(parts.formAction ?? "'self'"),
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
      // Needed for the `Origin` of forms; other origins receive no referrer.
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...(onward === undefined ? {} : { refresh: `0; url=${onward}` }),
    },
    html: (brand) => documentOf(parts, brand),
  };
}

function policy(formAction: string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function documentOf(
  { language, title, main, watches, refreshSeconds, self = null }: PageParts,
  brand: Brand,
): string {
  const t = texts[language];
  const name = brand.name[language];
  const { style: css, script: js } = oidcAssets;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${name}</title>
        <link rel="icon" href="${logoPath}" type="${brand.logo.contentType}" />
        <link rel="stylesheet" href="${assetsBase}/${css.fileName}" integrity="${css.integrity}" />
        ${themeLink(brand)}
        ${
          refreshSeconds === undefined
            ? null
            : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`
        }
        ${
          watches === true
            ? html`<script
                src="${assetsBase}/${js.fileName}"
                integrity="${js.integrity}"
                defer
              ></script>`
            : null
        }
      </head>
      <body>
        <header>
          <p class="brand"><img src="${logoPath}" alt="" />${name}</p>
          ${self === null ? null : languageSwitch(language, self)}
        </header>
        <main>${main}</main>
        <footer><p>${t.footer}</p></footer>
      </body>
    </html> `.text;
}

/** Links to a page in each language. @param self path of the page */
export function languageSwitch(language: Language, self: string): Content {
  return html`<nav aria-label="Хэл, language">
    ${languages.map((each) =>
      each === language
        ? html`<span lang="${each}" aria-current="true">${names[each]}</span>`
        : html`<a href="${self}?lang=${each}" lang="${each}" hreflang="${each}">${names[each]}</a>`,
    )}
  </nav>`;
}

const names: Readonly<Record<Language, string>> = {
  mn: common.mn.languageName,
  en: common.en.languageName,
};
