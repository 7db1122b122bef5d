/** Colours of the hosted pages as custom properties, light or dark by the system's setting. */
export const designTokens = `:root {
  color-scheme: light dark;
  --page: #f2f5f9;
  --card: #ffffff;
  --text: #14202b;
  --quiet: #52606d;
  --line: #cfd8e3;
  --accent: #14466e;
  --on-accent: #ffffff;
  --accent-back: #e7f0f8;
  --good: #116329;
  --bad: #a40e26;
  --open: #6b5200;
  --sensitive: #7a3e00;
  --sensitive-back: #fff1de;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e141b;
    --card: #171f29;
    --text: #e8eef4;
    --quiet: #a3b0bd;
    --line: #354152;
    --accent: #8cc4f2;
    --on-accent: #0e141b;
    --accent-back: #1c2c3c;
    --good: #7ee787;
    --bad: #ff9492;
    --open: #f0c674;
    --sensitive: #ffc480;
    --sensitive-back: #33261a;
  }
}
`;
