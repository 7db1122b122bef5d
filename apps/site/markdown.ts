import MarkdownIt, { type Token } from 'markdown-it';
import { html, Html } from '../../api/pages/html.ts';
import { anchorOf } from './anchors.ts';
import { diagram } from './diagrams/diagram.ts';
import type { TermLinks } from './glossary.ts';

export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly level: number;
}

/** Passage of a page, as search finds it. */
export interface Passage {
  readonly heading: Heading | null;
  readonly text: string;
}

/** Page as read, before it is framed. */
export interface Rendered {
  readonly title: string;
  readonly html: Html;
  readonly headings: readonly Heading[];
  readonly passages: readonly Passage[];
}

export interface Rendering {
  /** Address of a link's target, relative to the page; null: it is not of the site, and stays text. */
  readonly linkOf: (target: string) => string | null;
  /** Address of a picture, relative to the page. */
  readonly pictureOf: (target: string) => string;
  /** Terms of the glossary that are linked where a page first has them; null: none. */
  readonly terms: TermLinks | null;
  /** True for a page whose table rows are what others link to. */
  readonly hasNamedRows?: boolean;
}

const parser = new MarkdownIt({ html: false, linkify: false });

/** Renders a page of Markdown. @throws Error for a page without a title */
export function renderMarkdown(source: string, rendering: Rendering): Rendered {
  const tokens = parser.parse(withoutHtml(source), {});
  const headings = namedHeadings(tokens);
  const title = headings.find(({ level }) => level === 1)?.text;
  if (title === undefined) throw new Error('The page has no heading of level 1.');
  if (rendering.hasNamedRows === true) nameRows(tokens);
  for (const { type, children } of tokens) {
    if (type === 'inline') retarget(children ?? [], rendering);
  }
  for (const token of tokens) alignByClass(token);
  rendering.terms?.link(tokens);
  return { title, headings, passages: passagesOf(tokens), html: new Html(rendered(tokens)) };
}

/** Drops comments, which are for tests, and writes pictures of a given width as Markdown. */
function withoutHtml(source: string): string {
  return source
    .replaceAll(/^<!--.*-->\n/gm, '')
    .replaceAll(/<img src="([^"]+)" alt="([^"]+)"[^>]*>/g, '![$2]($1)');
}

function rendered(tokens: readonly Token[]): string {
  const parts: string[] = [];
  let rest: Token[] = [];
  const flush = () => {
    parts.push(parser.renderer.render(rest, parser.options, {}));
    rest = [];
  };
  for (const token of tokens) {
    if (token.type === 'fence' && token.info.trim() === 'mermaid') {
      flush();
      parts.push(diagram(token.content).text);
    } else {
      rest.push(token);
    }
  }
  flush();
  // Wide tables scroll by themselves, by keyboard too.
  return (
    parts
      .join('')
      .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>')
      .replaceAll(/<pre>/g, '<pre tabindex="0">')
      // A column without a name has a cell without one: a heading that says nothing is none.
      .replaceAll(/<th([^>]*)><\/th>/g, '<td$1></td>')
  );
}

function namedHeadings(tokens: readonly Token[]): Heading[] {
  const used = new Map<string, number>();
  const headings: Heading[] = [];
  tokens.forEach((token, index) => {
    if (token.type !== 'heading_open') return;
    const text = plainText(tokens[index + 1]);
    const anchor = anchorOf(text);
    const before = used.get(anchor) ?? 0;
    used.set(anchor, before + 1);
    const id = before === 0 ? anchor : `${anchor}-${before}`;
    token.attrSet('id', id);
    headings.push({ id, text, level: Number(token.tag.slice(1)) });
  });
  return headings;
}

/** Aligns a cell by a class: the policy of the site forbids styles inline. */
function alignByClass(token: Token): void {
  const alignment = /^text-align:(\w+)$/.exec(attribute(token, 'style'))?.[1];
  if (alignment === undefined) return;
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
  token.attrSet('class', alignment);
}

/** Names each row of a table by the terms of its first cell. */
function nameRows(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    if (token.type !== 'tr_open' || tokens[index + 1]?.type !== 'td_open') return;
    token.attrSet('id', anchorOf(plainText(tokens[index + 2])));
  });
}

/** Text of an inline token, without its markup. */
function plainText(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) =>
      type === 'softbreak' ? ' ' : type === 'text' || type === 'code_inline' ? content : '',
    )
    .join('');
}

const attribute = (token: Token, name: string) => String(token.attrGet(name) ?? '');

/** Points links into the site, and leaves what is outside of it as text. */
function retarget(children: Token[], { linkOf, pictureOf }: Rendering): void {
  let isDropped = false;
  for (const token of children) {
    if (token.type === 'image') token.attrSet('src', pictureOf(attribute(token, 'src')));
    if (token.type === 'link_open') {
      const address = linkOf(attribute(token, 'href'));
      isDropped = address === null;
      if (address !== null) token.attrSet('href', address);
    }
    if (isDropped && (token.type === 'link_open' || token.type === 'link_close')) {
      token.type = 'text';
      token.tag = '';
      token.nesting = 0;
      token.content = '';
    }
  }
}

function passagesOf(tokens: readonly Token[]): Passage[] {
  const passages: { heading: Heading | null; text: string[] }[] = [{ heading: null, text: [] }];
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const text = plainText(tokens[index + 1]);
      const id = attribute(token, 'id');
      passages.push({ heading: { id, text, level: Number(token.tag.slice(1)) }, text: [] });
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      passages.at(-1)?.text.push(plainText(token));
    } else if (token.type === 'fence') {
      passages.at(-1)?.text.push(token.content);
    }
  });
  return passages.map(({ heading, text }) => ({ heading, text: text.join(' ') }));
}

/** Renders text of one line, such as a sentence with code in it. */
export function renderLine(text: string): Html {
  return html`${new Html(parser.renderInline(text))}`;
}
