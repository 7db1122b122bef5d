// PDF objects (ISO 32000-2 §7.3) as values, and their serialization.

export interface PdfName {
  readonly kind: 'name';
  readonly name: string;
}

export interface PdfText {
  readonly kind: 'string';
  readonly bytes: Uint8Array;
}

export interface PdfReference {
  readonly kind: 'reference';
  readonly number: number;
  readonly generation: number;
}

export interface PdfDictionary {
  readonly kind: 'dictionary';
  readonly entries: ReadonlyMap<string, PdfObject>;
}

export interface PdfStream {
  readonly kind: 'stream';
  readonly dictionary: PdfDictionary;
  /** Stored bytes: still encoded by the filters. */
  readonly data: Uint8Array;
}

export type PdfObject =
  | null
  | boolean
  | number
  | PdfName
  | PdfText
  | PdfReference
  | PdfDictionary
  | PdfStream
  | readonly PdfObject[];

export function pdfName(name: string): PdfName {
  return { kind: 'name', name };
}

/** A byte string. */
export function pdfBytes(bytes: Uint8Array): PdfText {
  return { kind: 'string', bytes };
}

/** A text string (§7.9.2.2): UTF-16BE with its mark when it is not plain ASCII. */
export function pdfText(text: string): PdfText {
  // eslint-disable-next-line no-control-regex -- what ASCII is
  if (/^[\x00-\x7f]*$/.test(text)) return pdfBytes(latin1(text));
  const littleEndian = Buffer.from(`\ufeff${text}`, 'utf16le');
  return pdfBytes(littleEndian.swap16());
}

/** A date (§7.9.4), UTC. */
export function pdfDate(date: Date): PdfText {
  const digits = date.toISOString().slice(0, 19).replaceAll(/[-T:]/g, '');
  return pdfText(`D:${digits}Z`);
}

export function pdfReference(number: number, generation = 0): PdfReference {
  return { kind: 'reference', number, generation };
}

export function pdfDictionary(entries: Readonly<Record<string, PdfObject>>): PdfDictionary {
  return { kind: 'dictionary', entries: new Map(Object.entries(entries)) };
}

/** @param dictionary without `Length` */
export function pdfStream(
  dictionary: Readonly<Record<string, PdfObject>>,
  data: Uint8Array,
): PdfStream {
  return { kind: 'stream', dictionary: pdfDictionary(dictionary), data };
}

/** The same dictionary with `changes` in it. */
export function withEntries(
  dictionary: PdfDictionary,
  changes: Readonly<Record<string, PdfObject>>,
): PdfDictionary {
  return {
    kind: 'dictionary',
    entries: new Map([...dictionary.entries, ...Object.entries(changes)]),
  };
}

/** The same dictionary without `keys`. */
export function withoutEntries(dictionary: PdfDictionary, keys: readonly string[]): PdfDictionary {
  const entries = new Map(dictionary.entries);
  for (const key of keys) entries.delete(key);
  return { kind: 'dictionary', entries };
}

export function isDictionary(object: PdfObject | undefined): object is PdfDictionary {
  return isKind(object, 'dictionary');
}

export function isStream(object: PdfObject | undefined): object is PdfStream {
  return isKind(object, 'stream');
}

/** True for a string, of bytes or text. */
export function isText(object: PdfObject | undefined): object is PdfText {
  return isKind(object, 'string');
}

export function isReference(object: PdfObject | undefined): object is PdfReference {
  return isKind(object, 'reference');
}

export function isArray(object: PdfObject | undefined): object is readonly PdfObject[] {
  return Array.isArray(object);
}

/** True for a name object of this name. */
export function isName(object: PdfObject | undefined, name: string): boolean {
  return isKind(object, 'name') && object.name === name;
}

function isKind<Kind extends 'name' | 'string' | 'reference' | 'dictionary' | 'stream'>(
  object: PdfObject | undefined,
  kind: Kind,
): object is Extract<PdfObject, { readonly kind: Kind }> {
  return typeof object === 'object' && object !== null && 'kind' in object && object.kind === kind;
}

/** Bytes of an object between `obj` and `endobj`. */
export function serialize(object: PdfObject): Buffer {
  const parts: Uint8Array[] = [];
  write(object, parts);
  return Buffer.concat(parts);
}

function write(object: PdfObject, out: Uint8Array[]): void {
  if (isStream(object)) {
    const { dictionary, data } = object;
    write(withEntries(dictionary, { Length: data.length }), out);
    out.push(latin1('\nstream\n'), data, latin1('\nendstream'));
  } else {
    out.push(latin1(plain(object)));
  }
}

function plain(object: Exclude<PdfObject, PdfStream>): string {
  if (object === null || typeof object === 'boolean') return String(object);
  if (typeof object === 'number') return decimal(object);
  if (isArray(object)) return `[${object.map(nested).join(' ')}]`;
  switch (object.kind) {
    case 'name':
      return escapedName(object.name);
    case 'string':
      return `<${Buffer.from(object.bytes).toString('hex')}>`;
    case 'reference':
      return `${object.number} ${object.generation} R`;
    case 'dictionary': {
      const entries = [...object.entries].map(([key, value]) => {
        return `${escapedName(key)} ${nested(value)}`;
      });
      return `<<${entries.join(' ')}>>`;
    }
  }
}

function nested(object: PdfObject): string {
  if (isStream(object)) throw new Error('A stream is always an indirect object.');
  return plain(object);
}

/** §7.3.3: no exponents. */
function decimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(10).replace(/\.?0+$/, '') : text;
}

const IRREGULAR = /[^!-~]|[#%()/<>[\]{}]/g;

function escapedName(name: string): string {
  const escape = (character: string) => `#${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return `/${name.replaceAll(IRREGULAR, escape)}`;
}

/** Bytes of a text of ISO 8859-1. */
export function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
