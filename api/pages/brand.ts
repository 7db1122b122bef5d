import { type Asset, assetOf, assetRoute, builtFile } from './assets.ts';
import { codedReply } from './contentCoding.ts';
import { type Html, html } from './html.ts';
import { anyone } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';
import type { Language } from '../verify/texts.ts';

/** Picture that stands for the service. */
export interface Logo {
  readonly body: Buffer;
  readonly contentType: 'image/svg+xml' | 'image/png';
}

/** Name and look of the service on pages for people, as its operator wants them. */
export interface Brand {
  readonly name: Readonly<Record<Language, string>>;
  readonly logo: Logo;
  /** Style sheet that replaces tokens of the design; null: none is replaced. */
  readonly theme: Asset | null;
}

/** Path of the logo, which browsers ask for by themselves too. */
export const logoPath = '/favicon.ico';

const BASE = '/brand';

/** The logo is a picture and nothing else, opened by itself as well. */
const logoPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** @param style CSS that replaces tokens; empty: none */
export function brandOf({
  mn = 'Тамга',
  en = 'Tamga',
  logo = { body: builtFile('icon.svg'), contentType: 'image/svg+xml' },
  style = '',
}: {
  readonly mn?: string;
  readonly en?: string;
  readonly logo?: Logo;
  readonly style?: string;
}): Brand {
  return {
    name: { mn, en },
    logo,
    theme: style === '' ? null : assetOf('brand.css', Buffer.from(style)),
  };
}

/** Routes of the logo and of the style sheet, where there is one. */
export function brandRoutes({ logo: { body, contentType }, theme }: Brand): readonly Route[] {
  const reply = codedReply(body, contentType, 'public, max-age=86400');
  return [
    route({
      name: 'favicon',
      summary: 'Get the logo, which is also the icon of the pages',
      method: 'GET',
      path: logoPath,
      guard: anyone,
      response: { 200: contentType },
      handle: async (request) => {
        const { headers, ...rest } = await reply(request);
        return { ...rest, headers: { ...headers, 'content-security-policy': logoPolicy } };
      },
    }),
    ...(theme === null
      ? []
      : [assetRoute('brandStyle', "Get the operator's colours", BASE, theme)]),
  ];
}

/** Link of a page's head to the operator's colours, behind the page's own style. */
export function themeLink({ theme }: Brand): Html | null {
  if (theme === null) return null;
  return html`<link
    rel="stylesheet"
    href="${BASE}/${theme.fileName}"
    integrity="${theme.integrity}"
  />`;
}
