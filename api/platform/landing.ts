import { designTokens } from '../pages/designTokens.ts';
import { anyone } from '../http/guards.ts';
import { type Route, route } from '../http/route.ts';
import { asset, assetRoute } from '../verify/assets.ts';
import { html } from '../pages/html.ts';

/** A place to go on from the landing page. */
export interface LandingLink {
  readonly name: string;
  /** Path, or address where it is of another origin. */
  readonly href: string;
  readonly about: string;
}

/** Icon of every page of the service's origin, as SVG. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="#0f5c63" />
  <path d="M9 9h14v4h-5v10h-4V13H9z" fill="#fff" />
  <circle cx="23" cy="22" r="2.2" fill="#e3b35a" />
</svg>
`;

const style = asset(
  'landing',
  'css',
  'text/css; charset=utf-8',
  `${designTokens}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.6 system-ui, 'Noto Sans', sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { margin: 0; display: flex; gap: 0.75rem; align-items: center; }
h1 img { width: 2.5rem; height: 2.5rem; }
ul { list-style: none; padding: 0; display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); }
li { background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; padding: 1rem; overflow-wrap: anywhere; }
a { color: var(--accent); font-weight: 600; }
p { margin: 0.25rem 0 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`,
);

const policy = [
  ...["default-src 'none'", "style-src 'self'", "img-src 'self'", "base-uri 'none'"],
  ...["form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

/** Address of everything that is served whatever the configuration. */
const always: readonly LandingLink[] = [
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
      handle: () => ({
        body: Buffer.from(icon),
        contentType: 'image/svg+xml',
        headers: { 'cache-control': 'public, max-age=86400' },
      }),
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
