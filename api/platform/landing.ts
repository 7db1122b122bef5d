import { z } from 'zod';
import { anyone } from '../http/handling.ts';
import { type Reply, type RequestContext, type Route, route } from '../http/route.ts';
import { keptLanguage, languageOf } from '../openIdConnect/language.ts';
import { languageSwitch } from '../openIdConnect/layout.ts';
import { assetRoute, builtAsset } from '../pages/assets.ts';
import { type Brand, brandRoutes, logoPath, themeLink } from '../pages/brand.ts';
import { codingFor, compressed } from '../pages/contentCoding.ts';
import { html } from '../pages/html.ts';
import type { Language } from '../verify/texts.ts';
import { type LandingPlace, landingTexts } from './landingTexts.ts';

/** A place to go on from the landing page. */
export interface LandingLink {
  readonly place: LandingPlace;
  /** Path, or address where it is of another origin. */
  readonly href: string;
}

const style = builtAsset('landing.css');

const policy = [
  ...["default-src 'none'", "style-src 'self'", "img-src 'self'", "base-uri 'none'"],
  ...["form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

/** Links that are shown whatever the configuration. */
const always: readonly LandingLink[] = [
  { place: 'verify', href: '/verify' },
  { place: 'api', href: '/openapi.json' },
  { place: 'discovery', href: '/.well-known/eid' },
  { place: 'openId', href: '/.well-known/openid-configuration' },
];

/** Settings of the landing page beside its links. */
export interface LandingOptions {
  readonly version: string;
  readonly brand: Brand;
  /** True where browsers come over TLS. */
  readonly isSecure: boolean;
}

/** `GET /`: a page for a browser, JSON for other callers; and what every page has of the operator's. */
export function landingRoutes(
  links: readonly LandingLink[],
  { version, brand, isSecure }: LandingOptions,
): readonly Route[] {
  const shown = [...links, ...always];
  const common = {
    'cache-control': 'no-cache',
    vary: 'accept, accept-language, cookie, accept-encoding',
  };
  const pageIn = (language: Language) => {
    const plain = Buffer.from(landingPage(language, shown, version, brand));
    return { plain, packed: compressed(plain) };
  };
  const pages = { mn: pageIn('mn'), en: pageIn('en') };
  const { places } = landingTexts.en;
  const listed = shown.map(({ place, href }) => ({ ...places[place], href }));
  const json = Buffer.from(JSON.stringify({ name: brand.name.en, version, links: listed }));

  /** Answers a browser; a language that was asked for is kept for the other pages. */
  async function pageFor({ headers }: RequestContext, asked: string | null): Promise<Reply> {
    const { cookie, 'accept-language': acceptLanguage } = headers;
    const language = languageOf({ uiLocales: null, acceptLanguage, cookie }, asked);
    const { plain, packed } = pages[language];
    const coding = codingFor(headers);
    return {
      body: coding === null ? plain : await packed(coding),
      contentType: 'text/html; charset=utf-8',
      headers: {
        ...common,
        ...(coding !== null && { 'content-encoding': coding }),
        'content-language': language,
        'content-security-policy': policy,
        ...keptLanguage(asked, isSecure),
      },
    };
  }

  return [
    route({
      name: 'landing',
      summary: 'Get links to the parts of the service: a page for browsers, otherwise JSON',
      method: 'GET',
      path: '/',
      guard: anyone,
      query: z.object({ lang: z.string().nullable().catch(null).default(null) }),
      response: { 200: '*/*' },
      handle: ({ context, query }) =>
        /\btext\/html\b/.test(context.headers.accept ?? '')
          ? pageFor(context, query.lang)
          : { body: json, contentType: 'application/json', headers: common },
    }),
    ...brandRoutes(brand),
    assetRoute('landingStyle', 'Get the style sheet of the landing page', '/landing', style),
  ];
}

function landingPage(
  language: Language,
  links: readonly LandingLink[],
  version: string,
  brand: Brand,
): string {
  const name = brand.name[language];
  const { title, places } = landingTexts[language];
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${name}</title>
        <link rel="icon" href="${logoPath}" type="${brand.logo.contentType}" />
        <link rel="stylesheet" href="/landing/${style.fileName}" integrity="${style.integrity}" />
        ${themeLink(brand)}
      </head>
      <body>
        <main>
          ${languageSwitch(language, '/')}
          <h1><img src="${logoPath}" alt="" />${name}</h1>
          <p>${title(version)}</p>
          <ul>
            ${links.map(
              ({ place, href }) =>
                html`<li>
                  <a href="${href}">${places[place].name}</a>
                  <p>${places[place].about}</p>
                </li>`,
            )}
          </ul>
        </main>
      </body>
    </html> `.text;
}
