import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/**
 * Keys of recipients and identities (X25519): a file has one a line as `age-keygen` writes them, or is PEM, as
 * `openssl genpkey -algorithm X25519` writes it.
 */

const KEY_BYTES = 32;
const RECIPIENT = 'age';
const IDENTITY = 'age-secret-key-';

/** A file that holds no key of the kind asked for; the message says what would do, and quotes nothing. */
export class NoKey extends Error {
  override readonly name = 'NoKey';
}

/** @throws NoKey */
export function recipientsIn(text: string): readonly KeyObject[] {
  return keysIn(text, RECIPIENT, publicKeyOf, () => createPublicKey(text));
}

/** @throws NoKey */
export function identitiesIn(text: string): readonly KeyObject[] {
  return keysIn(text, IDENTITY, privateKeyOf, () => createPrivateKey(text));
}

/** The 32 bytes of a public key, or of that of a private one. */
export function rawPublicKey(key: KeyObject): Buffer {
  const { x = '' } = key.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url');
}

/** @param raw 32 bytes */
export function publicKeyOf(raw: Uint8Array): KeyObject {
  const x = Buffer.from(raw).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
}

/** PKCS #8 before the 32 bytes of an X25519 key (RFC 8410 §7). */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');

function privateKeyOf(raw: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, raw]), format: 'der', type: 'pkcs8' });
}

function keysIn(
  text: string,
  prefix: string,
  keyOf: (raw: Uint8Array) => KeyObject,
  ofPem: () => KeyObject,
): readonly KeyObject[] {
  const keys = /^-----BEGIN /mu.test(text) ? [pem(ofPem)] : linesOf(text).map(ofLine);
  if (keys.length === 0) throw none();
  return keys;

  function ofLine(line: string): KeyObject {
    const raw = bech32(line, prefix);
    if (raw === null) throw none();
    return keyOf(raw);
  }

  function pem(read: () => KeyObject): KeyObject {
    try {
      const key = read();
      if (key.asymmetricKeyType === 'x25519') return key;
    } catch {
      // Reported below: the parser's message says nothing of what would do.
    }
    throw none();
  }

  function none(): NoKey {
    return new NoKey(
      prefix === RECIPIENT
        ? 'it contains no public key: give a line age1… or PEM with a public X25519 key'
        : 'it contains no private key: give a line AGE-SECRET-KEY-1… or PEM with a private X25519 key',
    );
  }
}

/** Lines that are neither empty nor a comment. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The 32 bytes of a Bech32 text (BIP 173) with this prefix; null: it is none. */
function bech32(text: string, prefix: string): Buffer | null {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return null;
  if (!lower.startsWith(`${prefix}1`)) return null;
  const values = Array.from(lower.slice(prefix.length + 1), (letter) => ALPHABET.indexOf(letter));
  if (values.includes(-1) || checksum(prefix, values) !== 1) return null;
  return bytesOf(values.slice(0, -6));
}

function checksum(prefix: string, values: readonly number[]): number {
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0));
  let sum = 1;
  for (const value of [
    ...codes.map((code) => code >> 5),
    0,
    ...codes.map((code) => code & 31),
    ...values,
  ]) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of GENERATORS.entries()) if ((top >> bit) & 1) sum ^= generator;
  }
  return sum >>> 0;
}

/** Groups of five bits as bytes; null: not 32 of them, or bits that mean nothing are set. */
function bytesOf(values: readonly number[]): Buffer | null {
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('');
  if (bits.length !== Math.ceil((KEY_BYTES * 8) / 5) * 5) return null;
  if (bits.slice(KEY_BYTES * 8).includes('1')) return null;
  return Buffer.from(
    Array.from({ length: KEY_BYTES }, (_, at) => parseInt(bits.slice(at * 8, at * 8 + 8), 2)),
  );
}
