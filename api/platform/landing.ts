import { anyone } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';
import { assetRoute, builtAsset } from '../pages/assets.ts';
import { type Brand, brandRoutes, logoPath, themeLink } from '../pages/brand.ts';
import { html } from '../pages/html.ts';

/** A place to go on from the landing page. */
export interface LandingLink {
  readonly name: string;
  /** Path, or address where it is of another origin. */
  readonly href: string;
  readonly about: string;
}

const style = builtAsset('landing.css');

const policy = [
  ...["default-src 'none'", "style-src 'self'", "img-src 'self'", "base-uri 'none'"],
  ...["form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

/** Links that are shown whatever the configuration. */
const always: readonly LandingLink[] = [
  {
    name: 'Verify',
    href: '/verify',
    about: 'Who signed a document, when, and whether it is valid.',
  },
  { name: 'API', href: '/openapi.json', about: 'The description of every operation, OpenAPI 3.1.' },
  {
    name: 'Discovery',
    href: '/.well-known/eid',
    about: 'Addresses, certificates and limits, for relying parties.',
  },
  {
    name: 'OpenID Connect',
    href: '/.well-known/openid-configuration',
    about: 'Discovery of the OpenID provider.',
  },
];

/** `GET /`: a page for a browser, JSON for other callers; and what every page has of the operator's. */
export function landingRoutes(
  links: readonly LandingLink[],
  { version, brand }: { readonly version: string; readonly brand: Brand },
): readonly Route[] {
  const shown = [...links, ...always];
  const page = Buffer.from(landingPage(shown, version, brand));
  return [
    route({
      name: 'landing',
      summary: 'Where to go from here: a page for browsers, else JSON',
      method: 'GET',
      path: '/',
      guard: anyone,
      response: { 200: '*/*' },
      handle: ({ context: { headers } }) => {
        const isBrowser = /\btext\/html\b/.test(headers.accept ?? '');
        const common = { 'cache-control': 'no-cache', vary: 'accept' };
        return isBrowser
          ? {
              body: page,
              contentType: 'text/html; charset=utf-8',
              headers: { ...common, 'content-security-policy': policy },
            }
          : {
              body: Buffer.from(JSON.stringify({ name: brand.name.en, version, links: shown })),
              contentType: 'application/json',
              headers: common,
            };
      },
    }),
    ...brandRoutes(brand),
    assetRoute('landingStyle', 'The style of the landing page', '/landing', style),
  ];
}

function landingPage(links: readonly LandingLink[], version: string, brand: Brand): string {
  const name = brand.name.en;
  return html`<!doctype html>
    <html lang="en">
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
          <h1><img src="${logoPath}" alt="" />${name}</h1>
          <p>National electronic-identity platform, version ${version}.</p>
          <ul>
            ${links.map(
              ({ name, href, about }) =>
                html`<li>
                  <a href="${href}">${name}</a>
                  <p>${about}</p>
                </li>`,
            )}
          </ul>
        </main>
      </body>
    </html> `.text;
}
