import { html, type Html } from '../../../api/pages/html.ts';

/** Height of a line of text. */
export const LINE = 16;

/** Width that a character takes at most on the average, in pixels at the size of the style. */
const CHARACTER = 7.2;

/** Breaks a text into lines at spaces, and addresses longer than a line behind a slash. @param width characters of a line */
export function textLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  const parts = text.split(' ').flatMap((word) =>
    (word.length > width ? word.split(/(?<=.\/)/) : [word]).map((part, at) => ({
      part,
      gap: at === 0 ? ' ' : '',
    })),
  );
  for (const { part, gap } of parts) {
    const last = lines.at(-1);
    if (last !== undefined && `${last}${gap}${part}`.length <= width)
      lines.push(`${lines.pop()}${gap}${part}`);
    else lines.push(part);
  }
  return lines;
}

/** Width of the longest of some lines, in pixels. */
export function widthOfLines(lines: readonly string[]): number {
  return Math.max(...lines.map((line) => line.length)) * CHARACTER;
}

/** Draws lines of text, the last of them at y. @param kind classes of the style */
export function linesOf(lines: readonly string[], x: number, y: number, kind: string): Html {
  return html`${lines.map(
    (line, index) =>
      html`<text class="${kind}" x="${x}" y="${y - (lines.length - 1 - index) * LINE}"
        >${line}</text
      >`,
  )}`;
}
