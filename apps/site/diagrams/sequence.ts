import { html, type Html } from '../../../api/pages/html.ts';
import { linesOf, textLines } from './text.ts';

interface Message {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly isAnswer: boolean;
}

const COLUMN = 230;
const HEAD = 40;
/** Height of a message with one line of text, and of each further line. */
const STEP = 40;
const LINE = 16;

/** Draws a sequence diagram: participants, messages between them and of one to itself. */
export function sequence(lines: readonly string[]): Html {
  const names = new Map<string, string>();
  const messages: Message[] = [];
  for (const line of lines) {
    const participant = /^participant (\w+) as (.+)$/.exec(line);
    const message = /^(\w+)(--?>>)(\w+): (.+)$/.exec(line);
    if (participant !== null) names.set(participant[1] ?? '', participant[2] ?? '');
    else if (message !== null) {
      const [, from = '', arrow, to = '', text = ''] = message;
      messages.push({ from, to, text, isAnswer: arrow === '-->>' });
    } else throw new Error(`Not a line of a sequence diagram: ${line}`);
  }
  const columns = [...names.keys()];
  const middle = (name: string) => {
    const at = columns.indexOf(name);
    if (at < 0) throw new Error(`${name} is no participant.`);
    return COLUMN * (at + 0.5);
  };
  let y = HEAD + 12;
  const drawn = messages.map((message) => {
    const parts = textLines(message.text, widthOf(message, columns));
    y += STEP + (parts.length - 1) * LINE;
    return arrow(message, parts, middle, y);
  });
  // Text beside a message of the last participant to itself.
  const beside = messages.some(({ from, to }) => from === to && from === columns.at(-1)) ? 110 : 0;
  const [width, height] = [COLUMN * columns.length + beside, y + 16];
  return html`<figure class="diagram" tabindex="0">
    <svg
      viewBox="0 0 ${width} ${height}"
      width="${width}"
      height="${height}"
      role="img"
      aria-label="${messages.map((each) => said(each, names)).join('. ')}"
    >
      ${columns.map(
        (name) =>
          html`<line
              class="life"
              x1="${middle(name)}"
              y1="${HEAD}"
              x2="${middle(name)}"
              y2="${height}"
            />
            <rect
              x="${middle(name) - COLUMN * 0.42}"
              y="4"
              width="${COLUMN * 0.84}"
              height="${HEAD - 8}"
              rx="6"
            />
            <text x="${middle(name)}" y="${HEAD / 2 + 5}">${names.get(name) ?? name}</text>`,
      )}${drawn}
    </svg>
  </figure>`;
}

const said = ({ from, to, text }: Message, names: ReadonlyMap<string, string>) =>
  from === to
    ? `${names.get(from) ?? from}: ${text}`
    : `${names.get(from) ?? from} to ${names.get(to) ?? to}: ${text}`;

/** Characters that fit between two participants. */
const widthOf = ({ from, to }: Message, columns: readonly string[]) =>
  Math.max(1, Math.abs(columns.indexOf(from) - columns.indexOf(to))) * 30;

function arrow(
  { from, to, isAnswer }: Message,
  parts: readonly string[],
  middle: (name: string) => number,
  y: number,
): Html {
  const kind = isAnswer ? 'arrow answer' : 'arrow';
  const [start, end] = [middle(from), middle(to)];
  if (from === to) {
    return html`<path
        class="${kind}"
        d="M${start} ${y - 12} h18 v12 h-12"
      />${head(start, y, -1)}${linesOf(parts, start + 26, y - 4, 'start')}`;
  }
  const way = Math.sign(end - start);
  return html`<line
      class="${kind}"
      x1="${start}"
      y1="${y}"
      x2="${end - way * 6}"
      y2="${y}"
    />${head(end, y, way)}${linesOf(parts, (start + end) / 2, y - 7, 'middle')}`;
}

/** Head of an arrow that ends at x. */
function head(x: number, y: number, way: number): Html {
  return html`<path class="head" d="M${x} ${y} l${-8 * way} -4 v8 z" />`;
}
