import { createTheme, type MantineColorsTuple } from '@mantine/core';

/**
 * Deep teal, the colour of a seal's ink. Contrast of white on shades 6 and 7, and of shade 3 on the
 * dark background, is above 4.5 : 1.
 */
const tamga: MantineColorsTuple = [
  ...(['#ecf7f6', '#d7ebea', '#abd7d4', '#7cc3be', '#54b0a9'] as const),
  ...(['#35958f', '#1f7d78', '#126661', '#0d524f', '#083d3b'] as const),
];

/** Warm greys instead of blue ones. */
const dark: MantineColorsTuple = [
  ...(['#d5d9d8', '#b3bab8', '#98a2a0', '#6c7775', '#3b4846'] as const),
  ...(['#2b3635', '#222c2b', '#182120', '#121a19', '#0b1110'] as const),
];

/** Theme of the console. */
export const theme = createTheme({
  primaryColor: 'tamga',
  primaryShade: { light: 7, dark: 6 },
  colors: { tamga, dark },
  autoContrast: true,
  luminanceThreshold: 0.34,
  defaultRadius: 'md',
  black: '#15201f',
  // No font is loaded: Latin and Cyrillic together weigh half of what the sign-in does.
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  fontFamilyMonospace:
    "ui-monospace, SFMono-Regular, 'Cascadia Mono', 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  focusRing: 'auto',
});
