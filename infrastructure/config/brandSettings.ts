import { z } from 'zod';
import { accentFaults } from './brandColours.ts';
import { setting } from './settings.ts';

const name = z.string().trim().min(1).max(60).optional();

/** `#rrggbb`, in small letters. */
const colour = z
  .string()
  .regex(/^#?[0-9a-f]{6}$/i, 'must be a colour such as #0f5c63')
  .transform((text) => `#${text.replace('#', '').toLowerCase()}`)
  .optional();

/** Settings of the name and the look of the pages that citizens and operators see. */
export const brandSettings = {
  SVC_BRAND_NAME: setting(
    name,
    'Name of the service on Mongolian pages: login, /me, verification, assistant and console.',
    'Тамга',
  ),
  SVC_BRAND_NAME_EN: setting(name, 'Name of the service on English pages.', 'Tamga'),
  SVC_BRAND_ACCENT: setting(
    colour,
    'Colour of links and buttons in the light theme, `#rrggbb`, with a contrast of at least 4.5 : 1 against every background (WCAG 2.2, 1.4.3). Set SVC_BRAND_ACCENT_DARK too: no colour is legible in both themes.',
    'that of the design',
  ),
  SVC_BRAND_ACCENT_DARK: setting(
    colour,
    'The same in the dark theme: a light colour.',
    'that of the design',
  ),
  SVC_BRAND_LOGO: setting(
    z.string().min(1).optional(),
    'Path of the logo, which is also the icon of the pages: a square SVG or PNG of at most 64 KiB. An SVG must not have scripts, external style sheets, links or embedded documents.',
    'that of the design',
  ),
} as const;

/** Accents that are given singly or are not legible. @returns faults by name */
export function unusableBrand({
  SVC_BRAND_ACCENT: light,
  SVC_BRAND_ACCENT_DARK: dark,
}: {
  readonly SVC_BRAND_ACCENT?: string | undefined;
  readonly SVC_BRAND_ACCENT_DARK?: string | undefined;
}): readonly string[] {
  const ofTheme = [
    ['SVC_BRAND_ACCENT', light, 'light'],
    ['SVC_BRAND_ACCENT_DARK', dark, 'dark'],
  ] as const;
  return ofTheme.flatMap(([setting, accent, theme]) =>
    accent === undefined ? [] : accentFaults(accent, theme).map((fault) => `${setting}: ${fault}`),
  );
}
