// Verification of proofs of RFC 9162 §2.1 and of signed tree heads, with WebCrypto only:
// independent of the service.

/** SHA-256 of the bytes. */
async function sha256(...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', whole));
}

const INTERIOR = Uint8Array.of(1);

/** `SHA-256(0x01 ‖ left ‖ right)` (§2.1.1). */
const nodeHash = (left: Uint8Array, right: Uint8Array) => sha256(INTERIOR, left, right);

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** One sibling hash of an inclusion path. */
export interface PathStep {
  /** Side of the sibling. */
  readonly side: 'left' | 'right';
  readonly sibling: string;
  /** Hash of the parent. */
  readonly hash: string;
}

export interface InclusionClaim {
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly leafHash: string;
  readonly path: readonly string[];
}

/** Path from a leaf to a root, `fn` and `sn` of §2.1.3.2 and §2.1.4.2. */
interface Walk {
  fn: number;
  sn: number;
}

const half = (value: number) => Math.floor(value / 2);

function up(walk: Walk): void {
  while (walk.fn % 2 === 0 && walk.fn !== 0 && walk.fn === walk.sn) shift(walk);
  shift(walk);
}

function shift(walk: Walk): void {
  walk.fn = half(walk.fn);
  walk.sn = half(walk.sn);
}

const isRightChild = ({ fn, sn }: Walk) => fn % 2 === 1 || fn === sn;

/**
 * Computes the root of an inclusion path (§2.1.3.2).
 *
 * @returns every step; null when the path has a wrong length
 */
export async function climb(claim: InclusionClaim): Promise<readonly PathStep[] | null> {
  const { leafIndex, treeSize, leafHash, path } = claim;
  if (leafIndex >= treeSize) return null;
  const walk: Walk = { fn: leafIndex, sn: treeSize - 1 };
  const steps: PathStep[] = [];
  let hash: Uint8Array = bytesOf(leafHash);
  for (const sibling of path) {
    if (walk.sn === 0) return null;
    const side = isRightChild(walk) ? 'left' : 'right';
    const other = bytesOf(sibling);
    hash = await (side === 'left' ? nodeHash(other, hash) : nodeHash(hash, other));
    steps.push({ side, sibling, hash: base64Of(hash) });
    up(walk);
  }
  return walk.sn === 0 ? steps : null;
}

export interface TreeState {
  readonly treeSize: number;
  readonly rootHash: string;
}

/**
 * Verifies a consistency proof: `second` begins with all of `first` (§2.1.4.2); `first` is not
 * empty.
 */
export async function isContinued(
  first: TreeState,
  second: TreeState,
  path: readonly string[],
): Promise<boolean> {
  if (first.treeSize > second.treeSize) return false;
  if (first.treeSize === second.treeSize) {
    return path.length === 0 && first.rootHash === second.rootHash;
  }
  const isPowerOfTwo = Number.isInteger(Math.log2(first.treeSize));
  const [start, ...rest] = isPowerOfTwo ? [first.rootHash, ...path] : path;
  if (start === undefined) return false;
  const walk: Walk = { fn: first.treeSize - 1, sn: second.treeSize - 1 };
  while (walk.fn % 2 === 1) shift(walk);
  let [one, two]: [Uint8Array, Uint8Array] = [bytesOf(start), bytesOf(start)];
  for (const each of rest) {
    if (walk.sn === 0) return false;
    const sibling = bytesOf(each);
    if (isRightChild(walk)) {
      one = await nodeHash(sibling, one);
      two = await nodeHash(sibling, two);
    } else two = await nodeHash(two, sibling);
    up(walk);
  }
  return walk.sn === 0 && base64Of(one) === first.rootHash && base64Of(two) === second.rootHash;
}

export interface SignedHead extends TreeState {
  readonly timestamp: string;
  readonly keyId: string;
  readonly signature: string;
}

/** `TreeHeadDataV2` of RFC 9162 §4.10 without extensions. */
function encoded({ timestamp, treeSize, rootHash }: SignedHead): Uint8Array<ArrayBuffer> {
  const root = bytesOf(rootHash);
  const bytes = new Uint8Array(8 + 8 + 1 + root.length + 2);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(Date.parse(timestamp)));
  view.setBigUint64(8, BigInt(treeSize));
  view.setUint8(16, root.length);
  bytes.set(root, 17);
  return bytes;
}

/**
 * Converts an ECDSA signature from DER (RFC 3279 §2.2.3) to r ‖ s, the format of WebCrypto.
 *
 * @param field length of a field element, bytes; shorter than 62, so that all lengths are one byte
 */
export function rawSignature(der: Uint8Array, field: number): Uint8Array<ArrayBuffer> {
  const raw = new Uint8Array(2 * field);
  let at = 2;
  for (const end of [field, 2 * field]) {
    const length = der[at + 1] ?? 0;
    const integer = der.slice(at + 2, at + 2 + length);
    const digits = integer.slice(Math.max(0, integer.length - field));
    raw.set(digits, end - digits.length);
    at += 2 + length;
  }
  return raw;
}

const P256_FIELD = 32;

/**
 * Verifies that a tree head is signed with one of these keys; a key counts only under its own
 * fingerprint.
 *
 * @param keys SubjectPublicKeyInfo, DER, base64
 */
export async function isSigned(head: SignedHead, keys: readonly string[]): Promise<boolean> {
  for (const key of keys) {
    const spki = bytesOf(key);
    const fingerprint = (await sha256(spki)).reduce(
      (text, byte) => text + byte.toString(16).padStart(2, '0'),
      '',
    );
    if (fingerprint !== head.keyId) continue;
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const publicKey = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify']);
    return crypto.subtle.verify(
      { name: 'ECDSA', hash: 'SHA-256' },
      publicKey,
      rawSignature(bytesOf(head.signature), P256_FIELD),
      encoded(head),
    );
  }
  return false;
}
