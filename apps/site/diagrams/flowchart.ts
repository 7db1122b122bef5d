import { html, type Html } from '../../../api/pages/html.ts';
import { linesOf, textLines } from './text.ts';

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

const [BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y] = [130, 48, 120, 46];

/**
 * Draws a flowchart from left to right: `A[text]`, `A[(store)]`, `A -- text --> B`, chains of arrows. A box stands one
 * column behind the last that leads to it; arrows back bend below.
 */
export function flowchart(lines: readonly string[]): Html {
  const names = new Map<string, string>();
  const edges: Edge[] = [];
  for (const line of lines) readLine(line, names, edges);
  const columnOf = columnsOf([...names.keys()], edges);
  const columns = new Map<number, string[]>();
  for (const name of names.keys()) {
    const column = columnOf.get(name) ?? 0;
    columns.set(column, [...(columns.get(column) ?? []), name]);
  }
  const place = (name: string) => {
    const column = columnOf.get(name) ?? 0;
    const row = columns.get(column)?.indexOf(name) ?? 0;
    return { x: column * (BOX_WIDTH + GAP_X), y: 8 + row * (BOX_HEIGHT + GAP_Y) };
  };
  const rows = Math.max(...Array.from(columns.values(), (column) => column.length));
  const width = columns.size * (BOX_WIDTH + GAP_X) - GAP_X;
  const height = rows * (BOX_HEIGHT + GAP_Y) + 8;
  const label = (name: string) => names.get(name) ?? name;
  const said = edges.map(({ from, to, text }) =>
    [label(from), 'to', label(to), ...(text === '' ? [] : [`(${text})`])].join(' '),
  );
  return html`<figure class="diagram" tabindex="0">
    <svg
      viewBox="-4 0 ${width + 8} ${height}"
      width="${width + 8}"
      height="${height}"
      role="img"
      aria-label="${said.join('. ')}"
    >
      ${edges.map((edge) => arrow(edge, place(edge.from), place(edge.to)))}${Array.from(names, ([name, text]) => box(text, place(name)))}
    </svg>
  </figure>`;
}

function readLine(line: string, names: Map<string, string>, edges: Edge[]): void {
  const parts = line.split(/ (?:-- ([^>]*?) )?--> /);
  let before: string | null = null;
  for (let at = 0; at < parts.length; at += 2) {
    const node = /^(\w+)(?:\[\(?(.+?)\)?\])?$/.exec(parts[at] ?? '');
    if (node === null) throw new Error(`Not a line of a flowchart: ${line}`);
    const [, name = '', text] = node;
    if (text !== undefined || !names.has(name)) names.set(name, text ?? name);
    if (before !== null) edges.push({ from: before, to: name, text: parts[at - 1] ?? '' });
    before = name;
  }
}

/** Column of each box: one behind the last that leads to it, where following arrows does not come back to it. */
function columnsOf(names: readonly string[], edges: readonly Edge[]): ReadonlyMap<string, number> {
  const columns = new Map<string, number>();
  const visit = (name: string, column: number, path: ReadonlySet<string>) => {
    if (path.has(name) || (columns.get(name) ?? -1) >= column) return;
    columns.set(name, column);
    for (const { from, to } of edges) {
      if (from === name) visit(to, column + 1, new Set([...path, name]));
    }
  };
  for (const name of names) if (!columns.has(name)) visit(name, 0, new Set());
  return columns;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function box(text: string, { x, y }: Place): Html {
  const lines = textLines(text, 18);
  const last = y + BOX_HEIGHT / 2 + 5 + ((lines.length - 1) * 16) / 2;
  return html`<rect
      x="${x}"
      y="${y}"
      width="${BOX_WIDTH}"
      height="${BOX_HEIGHT}"
      rx="6"
    />${linesOf(lines, x + BOX_WIDTH / 2, last, 'middle')}`;
}

function arrow({ text }: Edge, from: Place, to: Place): Html {
  const isBack = to.x <= from.x;
  const [x1, y1] = [from.x + (isBack ? BOX_WIDTH / 2 : BOX_WIDTH), from.y + BOX_HEIGHT / 2];
  if (isBack) {
    const [down, end] = [from.y + BOX_HEIGHT, to.x + BOX_WIDTH / 2];
    const bottom = Math.max(from.y, to.y) + BOX_HEIGHT + GAP_Y / 2;
    return html`<path
        class="arrow"
        d="M${x1} ${down} V${bottom} H${end} V${to.y + BOX_HEIGHT + 7}"
      /><path
        class="head"
        d="M${end} ${to.y + BOX_HEIGHT} l-4 8 h8 z"
      />${linesOf(textLines(text, 30), (x1 + end) / 2, bottom - 6, 'middle')}`;
  }
  const [x2, y2] = [to.x, to.y + BOX_HEIGHT / 2];
  const lines = text === '' ? [] : textLines(text, 17);
  const bend = x2 - GAP_X + 14;
  return html`<path class="arrow" d="M${x1} ${y1} H${bend} V${y2} H${x2 - 7}" /><path
      class="head"
      d="M${x2} ${y2} l-8 -4 v8 z"
    />${linesOf(lines, bend + 50, y2 - 6, 'middle')}`;
}
