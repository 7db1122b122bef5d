import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { grounds } from '../../infrastructure/config/brandColours.ts';

const declared = 'apps/pages/tokens.css';
/** Served by an example that stands alone. */
const copy = 'client/examples/demo-bank/public/tokens.css';
const tokens = readFileSync(declared, 'utf8');

const hex = /#[0-9a-f]{3,8}\b/gi;
/** Colours and fonts as style sheets write them. */
const inStyles =
  /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch)\(|:[^;{]*\b(?:white|black)\b|system-ui|monospace|serif\b/gi;
/** Colours and fonts as programs write them: in quotes. */
const inPrograms = /["'`]#[0-9a-f]{3,8}["'`]|["'`](?:rgba?|hsla?)\(|light-dark\(|system-ui/gi;

const below = (pattern: string) =>
  globSync([
    `apps/**/${pattern}`,
    `api/**/${pattern}`,
    `client/{browser,examples/demo-bank}/**/${pattern}`,
  ])
    .filter((path) => path !== declared && path !== copy)
    .toSorted();

/** Finds of a pattern, by file. */
function found(paths: readonly string[], pattern: RegExp): readonly string[] {
  return paths.flatMap((path) =>
    Array.from(readFileSync(path, 'utf8').matchAll(pattern), ([text]) => `${path}: ${text}`),
  );
}

const names = (text: string, pattern: RegExp) =>
  new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name));

describe('The design', () => {
  it('has its colours and fonts in one file', () => {
    expect(found(below('*.css'), inStyles)).to.deep.equal([]);
    expect(found(below('*.{ts,tsx}'), inPrograms)).to.deep.equal([]);
  });

  it('is the same where no variable can stand', () => {
    const files = below('*.{html,svg,webmanifest}');
    expect(files).not.to.deep.equal([]);
    const colours = new Set(tokens.match(hex));
    const others = files.flatMap((path) =>
      (readFileSync(path, 'utf8').match(hex) ?? [])
        .filter((colour) => !colours.has(colour))
        .map((colour) => `${path}: ${colour}`),
    );
    expect(others).to.deep.equal([]);
  });

  it('has the backgrounds that accents are compared with', () => {
    for (const name of ['page', 'card', 'sunken'] as const) {
      const { light, dark } = grounds;
      expect(tokens).to.include(`--${name}: light-dark(${light[name]}, ${dark[name]});`);
    }
  });

  it('is the same in the example that stands alone', () => {
    expect(readFileSync(copy, 'utf8')).to.equal(tokens);
  });

  it('uses every token, and none that is not declared', () => {
    const sources = below('*.{css,ts,tsx}').map(
      (path) => [path, readFileSync(path, 'utf8')] as const,
    );
    const own = names(tokens, /^\s*--([a-z0-9-]+):/gm);
    const used = new Set(sources.flatMap(([, text]) => [...names(text, /--([a-z0-9-]+)/g)]));
    expect([...own].filter((name) => !used.has(name))).to.deep.equal([]);
    const local = sources.flatMap(([, text]) => [...names(text, /--([a-z0-9-]+)['"]?:/g)]);
    const known = new Set([...own, ...local]);
    const undeclared = sources.flatMap(([path, text]) =>
      [...names(text, /var\(--([a-z0-9-]+)/g)]
        .filter((name) => !known.has(name) && !name.startsWith('mantine-'))
        .map((name) => `${path}: --${name}`),
    );
    expect(undeclared).to.deep.equal([]);
  });
});
