import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import ts from 'typescript';

const GLOSSARY = 'docs/glossary.md';

/** Texts in Mongolian that people read; names of demo citizens and organizations are in the registries. */
const sources = execFileSync(
  'git',
  [
    ...['ls-files', '-co', '--exclude-standard', 'apps', 'api', 'application', 'domain'],
    ...['infrastructure', 'client/examples', 'main', 'docs/citizen-mn.md'],
  ],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => /\.(?:tsx?|md)$/.test(path) && !path.startsWith('infrastructure/registry/'));

const isBehindValue = (node: ts.Node): node is ts.TemplateMiddle | ts.TemplateTail =>
  node.kind === ts.SyntaxKind.TemplateMiddle || node.kind === ts.SyntaxKind.TemplateTail;

interface Text {
  /** File and line. */
  readonly place: string;
  readonly text: string;
  /** True for what stands behind a value in a template. */
  readonly isAfterValue: boolean;
}

const MONGOLIAN = /[\u0400-\u04ff]/;

function textsIn(path: string): readonly Text[] {
  const content = readFileSync(path, 'utf8');
  if (path.endsWith('.md')) {
    return (
      content
        .split('\n')
        .map((text, index) => ({ place: `${path}:${index + 1}`, text, isAfterValue: false }))
        // Tags are the words people look for, which are others.
        .filter(({ text }) => MONGOLIAN.test(text) && !text.startsWith('tags:'))
    );
  }
  if (!MONGOLIAN.test(content)) return [];
  const file = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true);
  const found: Text[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isJsxText(node)) {
      add(node, false);
    } else if (isBehindValue(node)) add(node, true);
    ts.forEachChild(node, visit);
  };
  const add = (node: ts.LiteralLikeNode, isAfterValue: boolean): void => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push({ place: `${path}:${line + 1}`, text: node.text, isAfterValue });
  };
  visit(file);
  return found.filter(({ text }) => MONGOLIAN.test(text));
}

const texts = sources.flatMap(textsIn);

/** Texts that match, with their places. @param right words that are left out before */
function matching(pattern: RegExp, right?: RegExp): readonly string[] {
  return texts
    .filter(({ text }) => pattern.test(right === undefined ? text : text.replaceAll(right, '')))
    .map(({ place, text }) => `${place} ${text}`);
}

/** Rows of the glossary's Mongolian part: a term, its word, and the words that it is not called by. */
const [, mongolianPart = ''] = readFileSync(GLOSSARY, 'utf8').split('## Mongolian');
const terms = [
  ...mongolianPart.matchAll(/^\| (?!Term|-)([^|]+?) +\| ([^|]+?) +\| ([^|]*?) *\|$/gm),
].map(([, term = '', word = '', not = '']) => ({
  term,
  word,
  not: not.split(', ').filter((each) => each !== ''),
}));

/** Longest ending of a word, letters: what is longer is another word. */
const ENDING = 5;

/** A word in any of its cases; not a name of the program, such as `./tamga` or `@tamga/client`. */
function inAnyCase(word: string, flags = 'iu'): RegExp {
  const ending = String.raw`\d?-?\p{Script=Cyrillic}{0,${ENDING}}`;
  return new RegExp(String.raw`(?<![\p{L}\p{N}_{/@])${word}${ending}(?![\p{L}_])`, flags);
}

describe('Texts in Mongolian', () => {
  it('call a thing by one word, that of the glossary', () => {
    expect(terms).to.have.length.above(20);
    for (const { term, word, not } of terms) {
      const right = inAnyCase(word, 'giu');
      for (const wrong of not) {
        const found = matching(inAnyCase(wrong), right);
        expect(found, `${term} is not called ${wrong}`).to.deep.equal([]);
      }
    }
  });

  it('use every word of the glossary', () => {
    const unused = terms.filter(
      ({ word }) => !texts.some(({ text }) => text.toLowerCase().includes(word.toLowerCase())),
    );
    expect(unused).to.deep.equal([]);
  });

  it('are in the polite form', () => {
    expect(matching(/(?<!Уучл)(?:аарай|ээрэй|оорой|өөрэй)(?!\p{L})/u)).to.deep.equal([]);
    expect(matching(/(?<!\p{L})(?:чи|чамд|чамайг|чамаас|чиний|чамтай)(?!\p{L})/iu)).to.deep.equal(
      [],
    );
  });

  it('glue no ending to a value, whose vowels nobody knows', () => {
    expect(matching(/\}-?[\u0430-\u04ff]/)).to.deep.equal([]);
    const glued = texts.filter(
      ({ text, isAfterValue }) => isAfterValue && /^-?[\u0430-\u04ff]/.test(text),
    );
    expect(glued.map(({ place, text }) => `${place} ${text}`)).to.deep.equal([]);
  });

  it('glue no ending to a command, an option or the ending of a file', () => {
    const glued = /(?:--[a-z][a-z-]*|\.\/tamga [a-z ]+|(?<![\w.])\.[a-z]+)-[\u0430-\u04ff]/u;
    expect(matching(glued)).to.deep.equal([]);
  });
});
