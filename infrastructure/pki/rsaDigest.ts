import { constants, createHash, type KeyObject, publicDecrypt, timingSafeEqual } from 'node:crypto';
import { digestLength, type HashAlgorithm } from '../../domain/shared/digest.ts';

// RSA signatures over an existing digest: Node's verify always hashes, so the encoded message is parsed or built here
// around the bare RSA operation.

export interface RsaKey {
  readonly key: KeyObject;
  readonly modulusBits: number;
}

export interface SignedDigest {
  /** Of the length of `hash`. */
  readonly digest: Uint8Array;
  readonly hash: HashAlgorithm;
  /** Of the length of the modulus. */
  readonly signature: Uint8Array;
}

/** DER of `SEQUENCE { SEQUENCE { hash OID, NULL }, OCTET STRING }` up to the digest (RFC 8017 §9.2 note 1; RFC 8702 for SHA-3). */
const digestInfoPrefix: Readonly<Record<HashAlgorithm, Buffer>> = {
  SHA256: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  SHA384: Buffer.from('3041300d060960864801650304020205000430', 'hex'),
  SHA512: Buffer.from('3051300d060960864801650304020305000440', 'hex'),
  'SHA3-256': Buffer.from('3031300d060960864801650304020805000420', 'hex'),
  'SHA3-384': Buffer.from('3041300d060960864801650304020905000430', 'hex'),
  'SHA3-512': Buffer.from('3051300d060960864801650304020a05000440', 'hex'),
};

/** Input of PKCS#1 v1.5's padding (RFC 8017 §9.2): the digest and the name of its hash, DER. */
export function digestInfo(hash: HashAlgorithm, digest: Uint8Array): Buffer {
  return Buffer.concat([digestInfoPrefix[hash], digest]);
}

/** RSASSA-PKCS1-v1_5 (RFC 8017 §8.2.2): compares the whole encoded message instead of parsing the padding. */
export function verifyPkcs1Digest(key: RsaKey, { digest, hash, signature }: SignedDigest): boolean {
  const encoded = encodedMessage(key, signature);
  if (encoded === null) return false;
  const padded = digestInfo(hash, digest);
  const expected = Buffer.alloc(encoded.length, 0xff);
  expected.set([0x00, 0x01]);
  expected[encoded.length - padded.length - 1] = 0x00;
  expected.set(padded, encoded.length - padded.length);
  return timingSafeEqual(encoded, expected);
}

const TRAILER = 0xbc;
const EIGHT_ZEROS = Buffer.alloc(8);

/** RSASSA-PSS (RFC 8017 §8.1.2, §9.1.2), MGF1 over the same hash, a salt of exactly the hash's length. */
export function verifyPssDigest(key: RsaKey, { digest, hash, signature }: SignedDigest): boolean {
  const block = encodedMessage(key, signature);
  if (block === null) return false;
  const encodedBits = key.modulusBits - 1;
  const length = Math.ceil(encodedBits / 8);
  // One bit above a whole number of bytes: the encoded message is a byte shorter than the modulus.
  if (length < block.length && block[0] !== 0) return false;
  const encoded = block.subarray(block.length - length);
  const hashLength = digestLength[hash];
  const masked = encoded.subarray(0, length - hashLength - 1);
  const claimed = encoded.subarray(masked.length, length - 1);
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
function unmask(masked: Uint8Array, seed: Uint8Array, hash: HashAlgorithm): Buffer {
  const mask: Buffer[] = [];
  const counter = Buffer.alloc(4);
  for (let made = 0; made < masked.length; made += digestLength[hash]) {
    counter.writeUInt32BE(mask.length);
    mask.push(createHash(hash).update(seed).update(counter).digest());
  }
  const bytes = Buffer.concat(mask);
  return Buffer.from(masked.map((byte, index) => byte ^ (bytes[index] ?? 0)));
}

/** The bare RSA operation; null unless the signature is a number below the modulus. */
function encodedMessage({ key }: RsaKey, signature: Uint8Array): Buffer | null {
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature);
  } catch {
    return null;
  }
}
