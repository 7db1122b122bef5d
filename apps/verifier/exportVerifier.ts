import { sha256 } from '@noble/hashes/sha2.js';
import { fromBase64, hex, isEcdsaSignature, keysCertifiedBy, pemBlocks } from './certificate.ts';

// A second verifier of exported logs, written from docs/export-format.md alone: it shares no code with the platform, so
// that one of them being wrong shows. It runs in browsers and in Node.js, offline.

/** Opens a file from its start. */
export type Source = () => AsyncIterable<Uint8Array>;

/** An export, and what its verifier trusts. */
export interface ExportFiles {
  /** The exported log, JSON Lines. */
  readonly log: Source;
  /** The file of proofs, `.proofs`. */
  readonly proofs: Source;
  /** The file of keys and certificates, `.keys.pem`. */
  readonly keys: string;
  /** Certificate of the Root CA, DER, from elsewhere; null: the keys are, and are trusted as they are. */
  readonly root: Uint8Array<ArrayBuffer> | null;
  /** Signed heads noted down elsewhere, each as one line of JSON. */
  readonly heads: readonly string[];
}

/** A signed head of the tree (RFC 9162 §4.10). */
interface Head {
  /** Number of events. */
  readonly treeSize: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** Base64. */
  readonly rootHash: string;
  /** SHA-256 of the SubjectPublicKeyInfo, lower-case hexadecimal. */
  readonly keyId: string;
  /** ECDSA with SHA-256, DER, base64. */
  readonly signature: string;
}

/** Result of a verification. Lines and events are counted from 1. */
export type Verdict =
  | {
      readonly ok: true;
      readonly events: number;
      /** Time the newest head was signed at. */
      readonly signedAt: string;
      /** Signed heads that agree. */
      readonly heads: number;
    }
  | { readonly ok: false; readonly fault: 'noHead' }
  | { readonly ok: false; readonly fault: 'noKey' }
  | {
      readonly ok: false;
      readonly fault: 'untrustedKey' | 'badSignature' | 'forked' | 'truncated';
      /** Size of the head that shows it. */
      readonly treeSize: number;
    }
  | { readonly ok: false; readonly fault: 'line'; readonly line: number };

const EVENT_MEMBERS = [
  ...['position', 'stream', 'revision', 'id', 'type', 'schemaVersion', 'data', 'metadata'],
] as const;

/** Events of one line of proofs. */
const BLOCK = 256;

/**
 * Verifies that an export holds exactly the events that its newest head was signed over, and that every other head was
 * signed over a beginning of the same log.
 *
 * @param onProgress told the number of events read
 * @throws Error when a file cannot be read
 */
export async function verifyExport(
  files: ExportFiles,
  onProgress: (events: number) => void = () => undefined,
): Promise<Verdict> {
  const exported = await headsOf(files.proofs);
  const newest = exported.toSorted((one, other) => one.treeSize - other.treeSize).at(-1);
  if (newest === undefined) return { ok: false, fault: 'noHead' };
  const heads = [...exported, ...files.heads.map(knownHead)].sort(
    (one, other) => one.treeSize - other.treeSize,
  );
  const signature = await signatureFault(heads, newest, files);
  if (signature !== null) return signature;
  const events = await eventFault(files, { newest, heads, headLines: exported.length }, onProgress);
  if (events !== null) return events;
  const largest = heads.at(-1) ?? newest;
  return largest.treeSize > newest.treeSize
    ? { ok: false, fault: 'truncated', treeSize: largest.treeSize }
    : { ok: true, events: newest.treeSize, signedAt: newest.timestamp, heads: heads.length };
}

/** @returns null: the lines are the events of the newest head, and of every other head a beginning */
async function eventFault(
  files: ExportFiles,
  { newest, heads, headLines }: { newest: Head; heads: readonly Head[]; headLines: number },
  onProgress: (events: number) => void,
): Promise<Verdict | null> {
  const { events, disagreeing, disordered } = await compareRoots(files, heads, onProgress);
  const isOther = disagreeing !== null || events !== newest.treeSize;
  const line = isOther ? await firstBadLine(files, newest, headLines) : disordered;
  if (line !== null) return { ok: false, fault: 'line', line };
  if (!isOther) return null;
  if (events < newest.treeSize) return { ok: false, fault: 'truncated', treeSize: newest.treeSize };
  return { ok: false, fault: 'forked', treeSize: disagreeing?.treeSize ?? newest.treeSize };
}

async function signatureFault(
  heads: readonly Head[],
  newest: Head,
  { keys, root }: ExportFiles,
): Promise<Verdict | null> {
  const idOf = (key: Uint8Array) => hex(sha256(key));
  const given = pemBlocks(keys, 'PUBLIC KEY');
  const trusted = root === null ? given : await keysCertifiedBy(root, keys);
  if (given.length + trusted.length === 0) return { ok: false, fault: 'noKey' };
  const known = new Map([...given, ...trusted].map((key) => [idOf(key), key]));
  for (const head of heads) {
    const key = known.get(head.keyId);
    if (key === undefined) return { ok: false, fault: 'untrustedKey', treeSize: head.treeSize };
    const signature = fromBase64(head.signature);
    if (!(await isEcdsaSignature(key, 'SHA-256', signature, signedBytes(head))))
      return { ok: false, fault: 'badSignature', treeSize: head.treeSize };
  }
  // Older heads may be of keys that no root certified; the newest says which events there are.
  return trusted.some((key) => idOf(key) === newest.keyId)
    ? null
    : { ok: false, fault: 'untrustedKey', treeSize: newest.treeSize };
}

/** `TreeHeadDataV2` (RFC 9162 §4.10) without extensions. */
function signedBytes({ timestamp, treeSize, rootHash }: Head): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(51);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(Date.parse(timestamp)));
  view.setBigUint64(8, BigInt(treeSize));
  view.setUint8(16, 32);
  bytes.set(fromBase64(rootHash).subarray(0, 32), 17);
  return bytes;
}

/**
 * Grows the tree event by event, and compares its root with every head of that size, and each position with that of the
 * line before.
 */
async function compareRoots(
  { log }: ExportFiles,
  heads: readonly Head[],
  onProgress: (events: number) => void,
) {
  const subtrees: { readonly height: number; readonly hash: Uint8Array }[] = [];
  let events = 0;
  let next = 0;
  let disagreeing: Head | null = null;
  let previous = -1n;
  let disordered: number | null = null;
  const compare = () => {
    for (let head = heads[next]; head?.treeSize === events; head = heads[(next += 1)]) {
      const root = subtrees
        .map(({ hash }) => hash)
        .reduceRight(
          (right: Uint8Array | null, left) => (right === null ? left : node(left, right)),
          null,
        );
      if (hex(root ?? sha256(new Uint8Array())) !== hex(fromBase64(head.rootHash)))
        disagreeing ??= head;
    }
  };
  compare();
  for await (const line of linesOf(log)) {
    events += 1;
    if (events % 1000 === 0) onProgress(events);
    const event = eventOf(line);
    const position = BigInt(event?.position ?? previous);
    if (event !== null && position <= previous) disordered ??= events;
    previous = position;
    let [height, hash] = [0, leafOf(event)];
    for (let last = subtrees.at(-1); last?.height === height; last = subtrees.at(-1)) {
      hash = node(last.hash, hash);
      height += 1;
      subtrees.pop();
    }
    subtrees.push({ height, hash });
    compare();
  }
  return { events, disagreeing: disagreeing as Head | null, disordered };
}

/** The first line whose event has no proof at its place, or that the newest head does not cover; null: none. */
async function firstBadLine(
  { log, proofs }: ExportFiles,
  newest: Head,
  headLines: number,
): Promise<number | null> {
  const paths = pathsOf(proofs, headLines);
  const root = hex(fromBase64(newest.rootHash));
  let index = 0;
  for await (const line of linesOf(log)) {
    if (index >= newest.treeSize) return index + 1;
    const path = await paths.next();
    const claim = { leaf: leafOf(eventOf(line)), index, size: newest.treeSize, root };
    if (path.done === true || path.value === null || !isIncluded(claim, path.value))
      return index + 1;
    index += 1;
  }
  return null;
}

/** RFC 9162 §2.1.3.2. */
function isIncluded(
  { leaf, index, size, root }: { leaf: Uint8Array; index: number; size: number; root: string },
  path: readonly string[],
): boolean {
  let [fn, sn, hash] = [index, size - 1, leaf];
  for (const text of path) {
    if (sn === 0) return false;
    const sibling = fromBase64(text);
    if (fn % 2 === 1 || fn === sn) {
      hash = node(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)];
    } else hash = node(hash, sibling);
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && hex(hash) === root;
}

const node = (left: Uint8Array, right: Uint8Array) =>
  sha256(Uint8Array.of(0x01, ...left, ...right));

const encoder = new TextEncoder();

/** Leaf of an event; null, of a line that is not written as an export writes it: a leaf of no tree. */
function leafOf(event: EventTexts | null): Uint8Array {
  if (event === null) return new Uint8Array(32);
  const texts = [event.stream, event.type, event.data, event.metadata].map((text) =>
    encoder.encode(text),
  );
  const record = new Uint8Array(26 + texts.reduce((sum, { length }) => sum + 4 + length, 0));
  const view = new DataView(record.buffer);
  // Leaf of the tree, then version 2 of the record.
  record.set([0x00, 2]);
  view.setBigUint64(2, BigInt(event.revision));
  const id = event.id.replaceAll('-', '').match(/../g) ?? [];
  record.set(
    id.map((pair) => Number.parseInt(pair, 16)),
    10,
  );
  let at = 26;
  for (const text of texts) {
    view.setUint32(at, text.length);
    record.set(text, at + 4);
    at += 4 + text.length;
  }
  return sha256(record);
}

type EventTexts = Readonly<
  Record<Exclude<(typeof EVENT_MEMBERS)[number], 'schemaVersion'>, string>
>;

/** The event of a line; null unless the line is exactly what an export writes for it. */
function eventOf(line: string | null): EventTexts | null {
  const value = jsonOf(line) as Readonly<Record<string, unknown>> | null;
  const members = EVENT_MEMBERS.map((name) => [name, value?.[name]] as const);
  if (JSON.stringify(Object.fromEntries(members)) !== line) return null;
  if (
    !members.every(
      ([name, member]) => typeof member === (name === 'schemaVersion' ? 'number' : 'string'),
    )
  )
    return null;
  const event = value as EventTexts;
  const version = Number(/"schemaVersion":(\d{1,9})}$/.exec(event.metadata)?.[1] ?? 0);
  const isWellFormed =
    value?.['schemaVersion'] === version &&
    [event.position, event.revision].every(isNumber) &&
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(event.id);
  return isWellFormed ? event : null;
}

/** Tells whether a text is a decimal number of up to 63 bits, written in the one way. */
const isNumber = (text: string) =>
  /^(?:0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= 2n ** 63n - 1n;

function jsonOf(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}

/** Heads that a file of proofs begins with. */
async function headsOf(proofs: Source): Promise<readonly Head[]> {
  const heads: Head[] = [];
  for await (const line of linesOf(proofs)) {
    const head = headOf(jsonOf(line));
    if (head === null) break;
    heads.push(head);
  }
  return heads;
}

/** @throws Error when the text is no head */
function knownHead(text: string): Head {
  const head = headOf(jsonOf(text));
  if (head === null) throw new Error('The file is not a signed tree head.');
  return head;
}

const isRecordOf = (value: unknown, names: readonly string[]): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).sort().join() === names.toSorted().join();

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Base64 as RFC 4648 §4 writes it; with a number, of that many bytes. */
function isBase64(value: unknown, bytes?: number): value is string {
  if (typeof value !== 'string') return false;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)) return false;
  return bytes === undefined || fromBase64(value).length === bytes;
}

const isHash = (value: unknown): value is string => isBase64(value, 32);
const areHashes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isHash);

function isTime(value: unknown): boolean {
  const time = new Date(String(value));
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

const HEAD_MEMBERS = ['treeSize', 'timestamp', 'rootHash', 'keyId', 'signature'];

function headOf(value: unknown): Head | null {
  if (!isRecordOf(value, HEAD_MEMBERS)) return null;
  const { treeSize, timestamp, rootHash, keyId, signature } = value;
  const isHead =
    isCount(treeSize) &&
    isTime(timestamp) &&
    isHash(rootHash) &&
    typeof keyId === 'string' &&
    isBase64(signature);
  return isHead ? (value as unknown as Head) : null;
}

interface Block {
  readonly first: number;
  readonly own: readonly (readonly string[])[];
  readonly shared: readonly string[];
}

function blockOf(value: unknown): Block | null {
  if (!isRecordOf(value, ['first', 'own', 'shared'])) return null;
  const { first, own, shared } = value;
  const isBlock = isCount(first) && Array.isArray(own) && own.every(areHashes) && areHashes(shared);
  return isBlock ? (value as unknown as Block) : null;
}

/** The inclusion path of every event, one after another; null: there is none. */
async function* pathsOf(
  proofs: Source,
  headLines: number,
): AsyncGenerator<readonly string[] | null, void> {
  let number = 0;
  let index = 0;
  for await (const line of linesOf(proofs)) {
    number += 1;
    const block = number > headLines ? blockOf(jsonOf(line)) : null;
    if (block === null) continue;
    for (; index < block.first; index += 1) yield null;
    for (; index < block.first + BLOCK; index += 1) {
      const own = block.own[index - block.first];
      yield own === undefined ? null : [...own, ...block.shared];
    }
  }
}

/** Lines of a file; null for one that is not UTF-8. */
async function* linesOf(source: Source): AsyncGenerator<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const textOf = (bytes: Uint8Array) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return null;
    }
  };
  let rest = new Uint8Array();
  for await (const chunk of source()) {
    let bytes = chunk;
    if (rest.length > 0) {
      bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
    }
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      yield textOf(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.slice(start);
  }
  if (rest.length > 0) yield textOf(rest);
}
