import MarkdownIt, { type Token } from 'markdown-it';
import { anchorOf } from './anchors.ts';

/** Links the terms of the glossary on one page. */
export interface TermLinks {
  /** Links each term where the page first has it, outside of headings, links and code. */
  link(tokens: readonly Token[]): void;
}

interface Term {
  readonly pattern: RegExp;
  readonly anchor: string;
}

/** Terms of the glossary: of its rows those words that mean nothing else in a sentence. */
export function termsOf(glossary: string): readonly Term[] {
  return [...glossary.matchAll(/^\| (?!Term |---)([^|]+?) +\|/gm)].flatMap(([, cell = '']) =>
    cell
      .replace(/\(([^)]+)\)/g, ', $1')
      .split(', ')
      .map((term) => term.trim())
      .filter((term) => /^\p{L}+(?:[ -]\p{L}+)+$/u.test(term) || single.has(term))
      .map((term) => ({
        pattern: new RegExp(`(?<![\\p{L}-])${term}s?(?![\\p{L}-])`, 'iu'),
        anchor: anchorOf(cell),
      })),
  );
}

/** Single words that are terms wherever they stand. */
const single = new Set(['nonce', 'QSCD', 'PKCE', 'DPoP', 'upcaster', 'projection', 'reactor']);

const text = new MarkdownIt();

/** @param address of the glossary, relative to the page */
export function termLinks(terms: readonly Term[], address: string): TermLinks {
  return {
    link: (tokens) => {
      const left = new Set(terms);
      tokens.forEach((token, index) => {
        if (token.type !== 'inline' || tokens[index - 1]?.type === 'heading_open') return;
        token.children = linked(token.children ?? [], left, address);
      });
    },
  };
}

function linked(children: readonly Token[], left: Set<Term>, address: string): Token[] {
  let depth = 0;
  return children.flatMap((token) => {
    if (token.type === 'link_open') depth += 1;
    if (token.type === 'link_close') depth -= 1;
    if (token.type !== 'text' || depth > 0 || token.content === '') return [token];
    const found = firstOf(token.content, left);
    if (found === null) return [token];
    const { term, at, words } = found;
    left.delete(term);
    const [before, after] = [token.content.slice(0, at), token.content.slice(at + words.length)];
    const link = text.parseInline(`[x](${address}#${encodeURI(term.anchor)})`, {})[0]?.children;
    const [open, label, close] = link ?? [];
    if (open === undefined || label === undefined || close === undefined) return [token];
    open.attrSet('class', 'term');
    label.content = words;
    const [head, tail] = [textToken(token, before), textToken(token, after)];
    return [head, open, label, close, ...linked([tail], left, address)];
  });
}

function firstOf(content: string, left: ReadonlySet<Term>) {
  for (const term of left) {
    const match = term.pattern.exec(content);
    if (match !== null) return { term, at: match.index, words: match[0] };
  }
  return null;
}

function textToken(like: Token, content: string): Token {
  return Object.assign(Object.create(Object.getPrototypeOf(like) as object) as Token, like, {
    content,
  });
}
