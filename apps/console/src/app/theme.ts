import {
  colorsTuple,
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core';

/** Colours that components are given by name, and the design's tokens of each: written or filled, and behind writing. */
const tokens = {
  tamga: ['--accent', '--accent-back'],
  red: ['--bad', '--bad-back'],
  yellow: ['--open', '--open-back'],
  green: ['--good', '--good-back'],
  gray: ['--quiet', '--sunken'],
} as const;

const names = Object.keys(tokens) as readonly (keyof typeof tokens)[];

/** Shades of grey of the component library on a light ground, from the lightest, and on a dark one, from the lightest. */
const grey: MantineColorsTuple = [
  ...(['var(--page)', 'var(--sunken)', 'var(--line)', 'var(--line)', 'var(--edge)'] as const),
  ...(['var(--edge)', 'var(--quiet)', 'var(--quiet)', 'var(--text)', 'var(--text)'] as const),
];
const dark: MantineColorsTuple = [
  ...(['var(--text)', 'var(--text)', 'var(--quiet)', 'var(--edge)', 'var(--edge)'] as const),
  ...(['var(--sunken)', 'var(--card)', 'var(--card)', 'var(--page)', 'var(--page)'] as const),
];

/** A little stronger than the colour: under the pointer. */
const stronger = (color: string) => `color-mix(in srgb, ${color}, var(--text) 12%)`;

/** Variables of the component library for one named colour; light and dark are in the tokens. */
function variablesOf(name: keyof typeof tokens): Readonly<Record<string, string>> {
  const [strong, back] = tokens[name].map((token) => `var(${token})`) as [string, string];
  const variable = `--mantine-color-${name}`;
  return {
    [`${variable}-text`]: strong,
    [`${variable}-filled`]: strong,
    [`${variable}-filled-hover`]: stronger(strong),
    [`${variable}-light`]: back,
    [`${variable}-light-hover`]: stronger(back),
    [`${variable}-light-color`]: strong,
    [`${variable}-outline`]: strong,
    [`${variable}-outline-hover`]: back,
  };
}

const variables: Readonly<Record<string, string>> = {
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-bright': 'var(--text)',
  '--mantine-color-body': 'var(--card)',
  '--mantine-color-dimmed': 'var(--quiet)',
  '--mantine-color-placeholder': 'var(--quiet)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--card)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--edge)',
  '--mantine-color-disabled': 'var(--sunken)',
  '--mantine-color-disabled-color': 'var(--quiet)',
  '--mantine-color-disabled-border': 'var(--line)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  ...Object.fromEntries(names.flatMap((name) => Object.entries(variablesOf(name)))),
};

/** Variables of the component library that are the design's tokens. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...variables },
  dark: { ...variables },
});

const isToken = (color: string): color is keyof typeof tokens => color in tokens;

/** Theme of the console: the tokens of apps/pages/tokens.css under the names of the component library. */
export const theme = createTheme({
  primaryColor: 'tamga',
  colors: { tamga: colorsTuple('var(--accent)'), gray: grey, dark },
  black: 'var(--text)',
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const { color = 'tamga', variant } = input;
    return variant === 'filled' && isToken(color)
      ? { ...colors, color: 'var(--on-accent)' }
      : colors;
  },
  defaultRadius: 'md',
  radius: { sm: 'var(--radius-small)', md: 'var(--radius-small)', lg: 'var(--radius)' },
  fontSizes: { xs: 'var(--size-small)', sm: 'var(--size-less)', lg: 'var(--size-more)' },
  // No font is loaded: Latin and Cyrillic together weigh half of what the sign-in does.
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  focusRing: 'auto',
});
