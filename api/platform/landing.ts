import { anyone } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';
import { assetRoute, builtAsset, builtFile } from '../pages/assets.ts';
import { codedReply } from '../pages/contentCoding.ts';
import { html } from '../pages/html.ts';

/** A place to go on from the landing page. */
export interface LandingLink {
  readonly name: string;
  /** Path, or address where it is of another origin. */
  readonly href: string;
  readonly about: string;
}

/** Icon of every page of the service's origin, as SVG. */
const icon = builtFile('icon.svg');

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

/** `GET /`: a page for a browser, JSON for other callers; and the icon, which browsers ask for by themselves. */
export function landingRoutes(
  links: readonly LandingLink[],
  { version }: { readonly version: string },
): readonly Route[] {
  const shown = [...links, ...always];
  const page = Buffer.from(landingPage(shown, version));
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
              body: Buffer.from(JSON.stringify({ name: 'Tamga', version, links: shown })),
              contentType: 'application/json',
              headers: common,
            };
      },
    }),
    route({
      name: 'favicon',
      summary: 'The icon of the pages',
      method: 'GET',
      path: '/favicon.ico',
      guard: anyone,
      response: { 200: 'image/svg+xml' },
      handle: codedReply(icon, 'image/svg+xml', 'public, max-age=86400'),
    }),
    assetRoute('landingStyle', 'The style of the landing page', '/landing', style),
  ];
}

function landingPage(links: readonly LandingLink[], version: string): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Tamga</title>
        <link rel="icon" href="/favicon.ico" type="image/svg+xml" />
        <link rel="stylesheet" href="/landing/${style.fileName}" integrity="${style.integrity}" />
      </head>
      <body>
        <main>
          <h1><img src="/favicon.ico" alt="" />Tamga</h1>
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
