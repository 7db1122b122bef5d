/** Theme of a page. */
export type ThemeName = 'light' | 'dark';

/** Backgrounds on which an accent is written: those of apps/pages/tokens.css (test/architecture/design.test.ts). */
export const grounds = {
  light: { page: '#f3f5f5', card: '#ffffff', sunken: '#e6ebeb' },
  dark: { page: '#0d1314', card: '#172021', sunken: '#223031' },
} as const;

/** Least contrast of text (WCAG 2.2, 1.4.3, level AA). */
const LEAST = 4.5;

const BLACK = '#000000';

/** Share of the accent in the background of what is chosen, and of black in the panels of its colour. */
const BACK = 0.12;
const INK = 0.6;
const RAISED = 0.4;

/** Reasons why an accent is illegible in a theme, ratio and background included. */
export function accentFaults(accent: string, theme: ThemeName): readonly string[] {
  const { page, card, sunken } = grounds[theme];
  const backgrounds = { page, card, sunken, chosen: mix(card, accent, BACK) };
  return Object.entries(backgrounds).flatMap(([name, background]) => {
    const ratio = contrast(accent, background);
    return ratio >= LEAST
      ? []
      : [
          `has a contrast of ${rounded(ratio)} : 1 against the background ${name} (${background}) of the ${theme} theme, but needs at least ${LEAST} : 1`,
        ];
  });
}

/** CSS that replaces the accent of the design, and what is derived of it. */
export function accentStyle(light: string, dark: string): string {
  const both = (inLight: string, inDark: string) => `light-dark(${inLight},${inDark})`;
  const back = both(mix(grounds.light.card, light, BACK), mix(grounds.dark.card, dark, BACK));
  const tokens = {
    accent: both(light, dark),
    'accent-back': back,
    'on-accent': both(grounds.light.card, grounds.dark.page),
    mark: light,
    ink: mix(light, BLACK, INK),
    'ink-raised': mix(light, BLACK, RAISED),
  };
  const declared = Object.entries(tokens).map(([name, value]) => `--${name}:${value}`);
  return `:root{${declared.join(';')}}`;
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance, 0 to 1 (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** A colour with this share of another in it. */
function mix(colour: string, other: string, share: number): string {
  const others = channels(other);
  const mixed = channels(colour).map((channel, index) =>
    Math.round(channel * (1 - share) + (others[index] ?? 0) * share),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

const channels = (colour: string): readonly number[] =>
  [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** Rounded down, so that a fault never names the ratio that is needed. */
const rounded = (ratio: number) => (Math.floor(ratio * 100) / 100).toFixed(2);
