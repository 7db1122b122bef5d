import { eventLeafHash, type StoredEvent } from '../../domain/merkle/hashTree.ts';
import { createFrontier } from '../../domain/merkle/frontier.ts';

/** A log's extent, and the root of the Merkle tree over its events (RFC 9162, ADR 37). */
export interface LogExtent {
  readonly events: number;
  /** Position of the last event; null when there is none. */
  readonly head: bigint | null;
  /** Base64. */
  readonly root: string;
}

/** Passes rows of the log in COPY's text format on, and hashes them. */
export function createLogHash() {
  const tree = createFrontier();
  let head: bigint | null = null;

  function take(line: string): void {
    const event = copiedEvent(line);
    tree.append(eventLeafHash(event));
    head = event.position;
  }

  return {
    async *through(rows: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      let rest = Buffer.alloc(0);
      for await (const piece of rows) {
        rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
        const end = rest.lastIndexOf(0x0a);
        if (end !== -1) {
          for (const line of rest.toString('utf8', 0, end).split('\n')) take(line);
          rest = rest.subarray(end + 1);
        }
        yield piece;
      }
      if (rest.length > 0) throw new Error('The rows of the log end in the middle of one.');
    },
    extent: (): LogExtent => ({ events: tree.size, head, root: tree.root().toString('base64') }),
  };
}

/** @param line of the columns position, stream, revision, event_id, type, data, metadata */
function copiedEvent(line: string): StoredEvent {
  const [position = '', stream = '', revision = '', id = '', type = '', data = '', metadata = ''] =
    line.split('\t').map(unescaped);
  return {
    position: BigInt(position),
    stream,
    revision: BigInt(revision),
    id,
    type,
    data,
    metadata,
  };
}

const letters: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function unescaped(cell: string): string {
  if (!cell.includes('\\')) return cell;
  return cell.replace(/\\(.)/gsu, (_, letter: string) => letters[letter] ?? letter);
}
