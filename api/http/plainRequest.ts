import type { IncomingHttpHeaders } from 'node:http';

/** A whole request of the plainest kind, as it arrived. */
export interface PlainRequest {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  /** By lower-case name; shared between requests that sent the same. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: Buffer;
  /** Whether the connection ends with its answer (RFC 9112 §9.3). */
  readonly isLast: boolean;
}

/** What the fields of a head say. */
interface Fields {
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Bytes. */
  readonly bodyLength: number;
  /** What `Connection` says of it; null: nothing, so that the version does. */
  readonly isLast: boolean | null;
}

/** Public clients send the same fields again and again: they are read once. With too many all are forgotten, as a start costs little. */
const MAX_REMEMBERED = 256;
const LONGEST_FIELDS = 4096;
const LONGEST_LINE = 2048;

const END_OF_LINE = Buffer.from('\r\n');
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const REQUEST_LINE = /^(GET|POST) (\/[!-~]*) HTTP\/1\.([01])$/;
/** Blanks have one place each: two runs of them side by side could be divided in as many ways as there are blanks. */
const FIELD = /^([\w!#$%&'*+.^`|~-]+):[\t ]*(?:([!-~](?:[\t -~]*[!-~])?)[\t ]*)?$/;

/** Fields that have a say in how a request is read or answered, beside those that are understood here. */
const DECISIVE: ReadonlySet<string> = new Set([
  ...['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te', 'range'],
  ...['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range'],
]);

/** Fields that are secret, or of one request alone: what has them is not remembered. */
const PERSONAL = ['authorization', 'dpop', 'cookie', 'x-request-id', 'x-forwarded-for'] as const;

/**
 * Reads requests that arrive whole, in one piece and alone, and about whose end no two readers can disagree: every line
 * of the strictest form, no field twice, no field that changes how the rest is read, the body as long as announced
 * to the byte. Whatever is else in any way is left to Node's parser.
 *
 * @returns null: not one of those
 */
export function createPlainRequestReader(): (bytes: Buffer) => PlainRequest | null {
  const remembered = new Map<string, Fields>();

  function fieldsIn(text: string): Fields | null {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const fields = readFields(text);
    if (fields === null || PERSONAL.some((name) => fields.headers[name] !== undefined)) {
      return fields;
    }
    if (remembered.size === MAX_REMEMBERED) remembered.clear();
    remembered.set(text, fields);
    return fields;
  }

  return (bytes) => {
    const lineEnd = bytes.indexOf(END_OF_LINE);
    if (lineEnd < 0 || lineEnd > LONGEST_LINE) return null;
    const headEnd = bytes.indexOf(END_OF_HEAD, lineEnd);
    if (headEnd < 0 || headEnd - lineEnd > LONGEST_FIELDS) return null;
    const line = REQUEST_LINE.exec(bytes.toString('latin1', 0, lineEnd));
    const fields = fieldsIn(bytes.toString('latin1', lineEnd, headEnd));
    if (line === null || fields === null) return null;
    const body = bytes.subarray(headEnd + END_OF_HEAD.length);
    const isOld = line[3] === '0';
    const { headers, isLast } = fields;
    if (body.length !== fields.bodyLength || !(isOld || 'host' in headers)) return null;
    return {
      method: line[1] === 'GET' ? 'GET' : 'POST',
      target: line[2] as string,
      headers,
      body,
      isLast: isLast ?? isOld,
    };
  };
}

/** @param text the lines of the fields, each after its line break */
function readFields(text: string): Fields | null {
  // No prototype: a field may have any name.
  const headers = Object.create(null) as Record<string, string>;
  for (let at = 0; at < text.length;) {
    const begin = at + END_OF_LINE.length;
    const end = text.indexOf('\r\n', begin);
    at = end < 0 ? text.length : end;
    const [, name, value = ''] = FIELD.exec(text.slice(begin, at)) ?? [];
    if (name === undefined) return null;
    const key = name.toLowerCase();
    if (headers[key] !== undefined || DECISIVE.has(key)) return null;
    headers[key] = value;
  }
  const length = headers['content-length'] ?? '0';
  const isLast = persistence.get(headers['connection']?.toLowerCase());
  if (!/^\d{1,6}$/.test(length) || isLast === undefined) return null;
  return { headers, bodyLength: Number(length), isLast };
}

/** Whether the connection ends, by the value of `Connection`. */
const persistence = new Map<string | undefined, boolean | null>([
  [undefined, null],
  ['close', true],
  ['keep-alive', false],
]);
