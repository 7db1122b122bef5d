import { html, type Html } from '../../../api/pages/html.ts';
import { LINE, linesOf, textLines } from './text.ts';

interface Message {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly isAnswer: boolean;
}

/** Form of a drawing: pixels between two participants, and characters of a line of text between them. */
interface Form {
  readonly kind: 'broad' | 'narrow';
  readonly column: number;
  readonly characters: number;
}

/** Forms of a diagram, of which the style shows one: as wide as a text, or as a phone. */
const forms: readonly Form[] = [
  { kind: 'broad', column: 230, characters: 30 },
  { kind: 'narrow', column: 108, characters: 15 },
];

/** Height of a participant's box. */
const HEAD = 44;
/** Height of a message with one line of text. */
const STEP = 40;

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
  return html`<figure class="diagram">
    ${forms.map((form) => drawing(form, names, messages))}
  </figure>`;
}

function drawing(
  { kind, column, characters }: Form,
  names: ReadonlyMap<string, string>,
  messages: readonly Message[],
): Html {
  const columns = [...names.keys()];
  const middle = (name: string) => {
    const at = columns.indexOf(name);
    if (at < 0) throw new Error(`${name} is no participant.`);
    return column * (at + 0.5);
  };
  let y = HEAD + 12;
  const drawn = messages.map((message) => {
    const parts = textLines(message.text, distance(message, columns) * characters);
    y += STEP + (parts.length - 1) * LINE;
    const ends = { start: middle(message.from), end: middle(message.to), y };
    return message.from === message.to
      ? bend(message, parts, ends, columns.at(-1) === message.from ? -1 : 1)
      : arrow(message, parts, ends);
  });
  const [width, height] = [column * columns.length, y + 16];
  return html`<svg
    class="${kind}"
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
            x="${middle(name) - column * 0.46}"
            y="4"
            width="${column * 0.92}"
            height="${HEAD - 8}"
            rx="6"
          />
          ${boxText(names.get(name) ?? name, middle(name), characters)}`,
    )}${drawn}
  </svg>`;
}

const said = ({ from, to, text }: Message, names: ReadonlyMap<string, string>) =>
  from === to
    ? `${names.get(from) ?? from}: ${text}`
    : `${names.get(from) ?? from} to ${names.get(to) ?? to}: ${text}`;

function boxText(text: string, x: number, characters: number): Html {
  const lines = textLines(text, characters - 2);
  return linesOf(lines, x, HEAD / 2 + 5 + ((lines.length - 1) * LINE) / 2, 'middle');
}

/** Columns between two participants; a message to itself has the room of one. */
const distance = ({ from, to }: Message, columns: readonly string[]) =>
  Math.max(1, Math.abs(columns.indexOf(from) - columns.indexOf(to)));

interface Ends {
  readonly start: number;
  readonly end: number;
  readonly y: number;
}

const kindOf = ({ isAnswer }: Message) => (isAnswer ? 'arrow answer' : 'arrow');

/** Draws a message to the sender itself, with its text beside it. @param side -1 left, 1 right */
function bend(message: Message, parts: readonly string[], { start, y }: Ends, side: -1 | 1): Html {
  const text = linesOf(parts, start + side * 19, y - 4, side < 0 ? 'end label' : 'start label');
  return html`<path
      class="${kindOf(message)}"
      d="M${start} ${y - 12} h${side * 14} v12 h${side * -8}"
    />${head(start, y, -side)}${text}`;
}

function arrow(message: Message, parts: readonly string[], { start, end, y }: Ends): Html {
  const way = Math.sign(end - start);
  return html`<line
      class="${kindOf(message)}"
      x1="${start}"
      y1="${y}"
      x2="${end - way * 6}"
      y2="${y}"
    />${head(end, y, way)}${linesOf(parts, (start + end) / 2, y - 7, 'middle label')}`;
}

/** Head of an arrow that ends at x. */
function head(x: number, y: number, way: number): Html {
  return html`<path class="head" d="M${x} ${y} l${-8 * way} -4 v8 z" />`;
}
