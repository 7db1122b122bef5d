import { constants, createHash, type KeyObject, publicDecrypt, timingSafeEqual } from 'node:crypto';

// RSA signatures over an existing digest: Node's verify always hashes, so the encoded message is parsed or built here
// around the bare RSA operation.

/** Hashes of a signature over a digest, by their names in node:crypto. */
export type DigestHash = 'sha256' | 'sha384' | 'sha512' | 'sha3-256' | 'sha3-384' | 'sha3-512';

export interface RsaKey {
  readonly key: KeyObject;
  /** Need not be a multiple of 8. */
  readonly modulusBits: number;
}

export interface SignedDigest {
  readonly digest: Uint8Array;
  readonly hash: DigestHash;
  readonly signature: Uint8Array;
}

/** DER of `SEQUENCE { SEQUENCE { hash OID, NULL }, OCTET STRING }` up to the digest (RFC 8017 §9.2 note 1; RFC 8702 for SHA-3). */
const digestInfoPrefix: Readonly<Record<DigestHash, Buffer>> = {
  sha256: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  sha384: Buffer.from('3041300d060960864801650304020205000430', 'hex'),
  sha512: Buffer.from('3051300d060960864801650304020305000440', 'hex'),
  'sha3-256': Buffer.from('3031300d060960864801650304020805000420', 'hex'),
  'sha3-384': Buffer.from('3041300d060960864801650304020905000430', 'hex'),
  'sha3-512': Buffer.from('3051300d060960864801650304020a05000440', 'hex'),
};

/** The last byte of each prefix is the length of what follows it, bytes. */
const digestLength = (hash: DigestHash): number => digestInfoPrefix[hash].at(-1) ?? 0;

/** Input of PKCS#1 v1.5's padding (RFC 8017 §9.2): the digest and the name of its hash, DER. */
export function digestInfo(hash: DigestHash, digest: Uint8Array): Buffer {
  return Buffer.concat([digestInfoPrefix[hash], digest]);
}

/** Least bytes 0xff of the padding (RFC 8017 §9.2). */
const SHORTEST_PADDING = 8;

/**
 * RSASSA-PKCS1-v1_5 (RFC 8017 §8.2.2): compares the whole encoded message, as parsing the padding enables
 * Bleichenbacher's forgery. Never throws.
 */
export function verifyPkcs1Digest(key: RsaKey, { digest, hash, signature }: SignedDigest): boolean {
  const encoded = encodedMessage(key, signature);
  if (encoded === null || digest.length !== digestLength(hash)) return false;
  const padded = digestInfo(hash, digest);
  if (encoded.length < padded.length + SHORTEST_PADDING + 3) return false;
  const expected = Buffer.alloc(encoded.length, 0xff);
  expected.set([0x00, 0x01]);
  expected[encoded.length - padded.length - 1] = 0x00;
  expected.set(padded, encoded.length - padded.length);
  return timingSafeEqual(encoded, expected);
}

/** RSASSA-PSS (RFC 8017 §8.1.2), MGF1 over the same hash, a salt of exactly the hash's length. Never throws. */
export function verifyPssDigest(key: RsaKey, signed: SignedDigest): boolean {
  const block = encodedMessage(key, signed.signature);
  return block !== null && isPssEncodingOf(signed, block, key.modulusBits);
}

const TRAILER = 0xbc;
const EIGHT_ZEROS = Buffer.alloc(8);

/**
 * EMSA-PSS verification (RFC 8017 §9.1.2).
 *
 * @param block result of the RSA operation, as long as the modulus
 */
export function isPssEncodingOf(
  { digest, hash }: Pick<SignedDigest, 'digest' | 'hash'>,
  block: Buffer,
  modulusBits: number,
): boolean {
  const encodedBits = modulusBits - 1;
  const length = Math.ceil(encodedBits / 8);
  const hashLength = digestLength(hash);
  const maskedLength = length - hashLength - 1;
  if (digest.length !== hashLength || maskedLength < hashLength + 1) return false;
  // One bit above a whole number of bytes: the encoded message is a byte shorter than the modulus.
  if (block.subarray(0, block.length - length).some((byte) => byte !== 0)) return false;
  const encoded = block.subarray(block.length - length);
  const masked = encoded.subarray(0, maskedLength);
  const claimed = encoded.subarray(maskedLength, length - 1);
  const unusedBits = 8 * length - encodedBits;
  if (encoded[length - 1] !== TRAILER || (masked[0] ?? 0) >> (8 - unusedBits) !== 0) return false;
  const data = unmask(masked, claimed, hash);
  data[0] = (data[0] ?? 0) & (0xff >> unusedBits);
  const saltAt = data.length - hashLength;
  if (data[saltAt - 1] !== 0x01 || data.subarray(0, saltAt - 1).some((byte) => byte !== 0)) {
    return false;
  }
  const made = createHash(hash)
    .update(EIGHT_ZEROS)
    .update(digest)
    .update(data.subarray(saltAt))
    .digest();
  return timingSafeEqual(made, claimed);
}

/** XOR with MGF1 of `seed` (RFC 8017 B.2.1). */
function unmask(masked: Uint8Array, seed: Uint8Array, hash: DigestHash): Buffer {
  const mask: Buffer[] = [];
  const counter = Buffer.alloc(4);
  for (let made = 0; made < masked.length; made += digestLength(hash)) {
    counter.writeUInt32BE(mask.length);
    mask.push(createHash(hash).update(seed).update(counter).digest());
  }
  const bytes = Buffer.concat(mask);
  return Buffer.from(masked.map((byte, index) => byte ^ (bytes[index] ?? 0)));
}

/** The bare RSA operation; null unless the signature is as long as the modulus and a number below it (RFC 8017 §8.1.2). */
function encodedMessage({ key, modulusBits }: RsaKey, signature: Uint8Array): Buffer | null {
  if (signature.length !== Math.ceil(modulusBits / 8)) return null;
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature);
  } catch {
    return null;
  }
}
