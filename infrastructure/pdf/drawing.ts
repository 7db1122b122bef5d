import type { PageTemplate } from './pageTemplate.ts';

/** `0xRRGGBB` */
export type Ink = number;

export interface Rectangle {
  readonly left: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

export interface TextPlace {
  readonly left: number;
  /** The base line. */
  readonly base: number;
  /** Points. */
  readonly size: number;
  readonly bold?: boolean;
  readonly color: Ink;
}

export interface TextBox {
  readonly width: number;
  readonly size: number;
  /** More is truncated with an ellipsis. */
  readonly lines: number;
}

/** Operators of a content stream, set in the template's font under the name `F`; points, from the lower left corner. */
export interface Drawing {
  text(text: string, place: TextPlace): void;
  widthOf(text: string, size: number): number;
  /** Breaks text into lines that fit, at spaces where possible. */
  wrap(text: string, box: TextBox): readonly string[];
  /** Filled ones. */
  rectangles(rectangles: readonly Rectangle[], color: Ink): void;
  /** An outlined one. */
  frame(rectangle: Rectangle, color: Ink): void;
  /** The content stream so far. */
  content(): Buffer;
}

type Font = Pick<PageTemplate, 'codeOf' | 'metrics'>;

export function createDrawing(font: Font): Drawing {
  const operators: string[] = [];
  const { widthOf, printable } = measuring(font);
  return {
    widthOf,
    wrap: (text, { width, size, lines }) =>
      wrapped(printable(text).trim(), lines, (line) => widthOf(line, size) <= width),
    text: (text, { left, base, size, bold = false, color }) => {
      // Bold is the same font with stroked outlines: a second embedded font would outweigh the page.
      const stroke = bold ? `2 Tr ${rgb(color)} RG ${number(size / 32)} w ` : '';
      operators.push(
        `q ${stroke}${rgb(color)} rg BT /F ${number(size)} Tf ${number(left)} ${number(base)} Td <${hexadecimal(font, printable(text))}> Tj ET Q`,
      );
    },
    rectangles: (rectangles, color) => {
      operators.push(`q ${rgb(color)} rg`, ...rectangles.map(path), 'f Q');
    },
    frame: (rectangle, color) => {
      operators.push(`q ${rgb(color)} RG 0.8 w`, path(rectangle), 'S Q');
    },
    content: () => Buffer.from(operators.join('\n'), 'latin1'),
  };
}

function measuring({ codeOf, metrics }: Font) {
  function printable(text: string): string {
    return Array.from(text.normalize('NFC'), (character) =>
      codeOf(character.codePointAt(0) ?? 0) === undefined ? '?' : character,
    ).join('');
  }

  function widthOf(text: string, size: number): number {
    let width = 0;
    for (const character of printable(text)) {
      width += metrics.advanceOf(character.codePointAt(0) ?? 0);
    }
    return (width * size) / 1000;
  }

  return { printable, widthOf };
}

function wrapped(text: string, most: number, fits: (line: string) => boolean): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '') {
    let end = rest.length;
    while (end > 1 && !fits(rest.slice(0, end))) end -= 1;
    if (end === rest.length) return [...lines, rest];
    if (lines.length === most - 1) {
      while (end > 1 && !fits(`${rest.slice(0, end)}…`)) end -= 1;
      return [...lines, `${rest.slice(0, end).trimEnd()}…`];
    }
    const space = rest.lastIndexOf(' ', end);
    const cut = space > end / 2 ? space : end;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return lines;
}

function hexadecimal({ codeOf }: Font, text: string): string {
  return Array.from(text, (character) =>
    (codeOf(character.codePointAt(0) ?? 0) ?? 0).toString(16).padStart(4, '0'),
  ).join('');
}

function path({ left, bottom, width, height }: Rectangle): string {
  return `${[left, bottom, width, height].map(number).join(' ')} re`;
}

function rgb(color: Ink): string {
  const bytes = [color >> 16, (color >> 8) & 0xff, color & 0xff];
  return bytes.map((byte) => number(byte / 255)).join(' ');
}

function number(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
