import dagre from '@dagrejs/dagre';
import { html, type Html } from '../../../api/pages/html.ts';
import { LINE, linesOf, textLines, widthOfLines } from './text.ts';

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Pixels of a box and between boxes; characters of a line in a box and of a label. */
const [BOX_WIDTH, BOX_HEIGHT, BOX_LINE, GAP, LABEL_LINE] = [112, 44, 15, 26, 18];

/**
 * Draws a flowchart from top to bottom: `A[text]`, `A[(store)]`, `A -- text --> B`, chains of arrows. The layout keeps
 * a place for each label, so none stands on another or on a box; it is narrow enough for a phone.
 */
export function flowchart(lines: readonly string[]): Html {
  const names = new Map<string, string>();
  const edges: Edge[] = [];
  for (const line of lines) readLine(line, names, edges);
  const graph = placed(names, edges);
  const { width = 0, height = 0 } = graph.graph();
  const label = (name: string) => names.get(name) ?? name;
  const said = edges.map(({ from, to, text }) =>
    [label(from), 'to', label(to), ...(text === '' ? [] : [`(${text})`])].join(' '),
  );
  return html`<figure class="diagram">
    <svg
      viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"
      width="${Math.ceil(width)}"
      height="${Math.ceil(height)}"
      role="img"
      aria-label="${said.join('. ')}"
    >
      ${edges.map(({ from, to }) => arrow(graph.edge(from, to).points))}${edges.map((edge) => labelOf(edge, graph))}${Array.from(names, ([name, text]) => box(text, graph.node(name)))}
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

/** Places boxes, labels and arrows. */
function placed(names: ReadonlyMap<string, string>, edges: readonly Edge[]): dagre.graphlib.Graph {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({
    rankdir: 'TB',
    nodesep: GAP,
    edgesep: GAP,
    ranksep: GAP,
    marginx: 4,
    marginy: 4,
  });
  for (const name of names.keys()) graph.setNode(name, { width: BOX_WIDTH, height: BOX_HEIGHT });
  for (const { from, to, text } of edges) {
    const lines = textLines(text, LABEL_LINE);
    graph.setEdge(from, to, {
      width: text === '' ? 0 : widthOfLines(lines),
      height: text === '' ? 0 : lines.length * LINE + 6,
      labelpos: 'c',
    });
  }
  dagre.layout(graph);
  return graph;
}

function box(text: string, { x, y }: Point): Html {
  const lines = textLines(text, BOX_LINE);
  return html`<rect
      x="${x - BOX_WIDTH / 2}"
      y="${y - BOX_HEIGHT / 2}"
      width="${BOX_WIDTH}"
      height="${BOX_HEIGHT}"
      rx="6"
    />${linesOf(lines, x, y + 5 + ((lines.length - 1) * LINE) / 2, 'middle')}`;
}

function labelOf({ from, to, text }: Edge, graph: dagre.graphlib.Graph): Html | null {
  if (text === '') return null;
  // Types of the library leave out where it put the label.
  const { x, y } = graph.edge(from, to) as unknown as Point;
  const lines = textLines(text, LABEL_LINE);
  return linesOf(lines, x, y + 5 + ((lines.length - 1) * LINE) / 2, 'middle label');
}

/** Draws an arrow through the points of its layout; the last stands on the edge of its box. */
function arrow(points: readonly Point[]): Html {
  const [before, end] = points.slice(-2);
  if (before === undefined || end === undefined) throw new Error('An arrow has two ends.');
  const turn = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  const path = points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(' L');
  return html`<path class="arrow" d="M${path}" /><path
      class="head"
      d="M0 0 l-8 -4 v8 z"
      transform="translate(${end.x.toFixed(1)} ${end.y.toFixed(1)}) rotate(${turn.toFixed(1)})"
    />`;
}
