import { html, type Html } from '../../../api/pages/html.ts';

/** Height of a line of text. */
const LINE = 16;

/** Breaks a text into lines. @param width characters of a line */
export function textLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= width)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}

/** Draws lines of text, the last of them at y. */
export function linesOf(
  lines: readonly string[],
  x: number,
  y: number,
  anchor: 'start' | 'middle',
): Html {
  return html`${lines.map(
    (line, index) =>
      html`<text class="${anchor}" x="${x}" y="${y - (lines.length - 1 - index) * LINE}"
        >${line}</text
      >`,
  )}`;
}
