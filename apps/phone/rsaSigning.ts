import {
  constants,
  createHash,
  createPrivateKey,
  type KeyObject,
  privateEncrypt,
  randomBytes,
  sign,
} from 'node:crypto';
import type { SignRsa } from './signing.ts';

/** DER prefixes of DigestInfo (RFC 8017 §9.2 note 1) by digest length in bytes. */
const digestInfoPrefix: Readonly<Record<number, string>> = {
  32: '3031300d060960864801650304020105000420',
  48: '3041300d060960864801650304020205000430',
  64: '3051300d060960864801650304020305000440',
};

/**
 * RSASSA-PKCS1-v1_5, or RSASSA-PSS with a salt of the hash's length. Node.js would hash a digest again, so the padded
 * block is built here. PKCS#1 derives the SHA-2 variant from the digest's length.
 *
 * @throws RangeError when no hash algorithm has the digest's length
 */
export const signRsa: SignRsa = (pkcs8, content, { hash, padding }) => {
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
  if ('digest' in content) {
    const prefix = digestInfoPrefix[content.digest.length];
    if (prefix === undefined)
      throw new RangeError('The digest has the length of no supported hash.');
    if (padding === 'pss') return new Uint8Array(signPssDigest(key, content.digest, hash));
    const block = Buffer.concat([Buffer.from(prefix, 'hex'), content.digest]);
    return new Uint8Array(privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, block));
  }
  const pss = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
  return new Uint8Array(sign(hash, content.payload, { key, ...(padding === 'pss' ? pss : {}) }));
};

/**
 * RSASSA-PSS over a given digest (RFC 8017 §8.1.1, §9.1.1): MGF1 over the same hash, a salt as long
 * as the hash. Node's sign always hashes, so the encoded message is built here, for moduli of any
 * number of bits.
 *
 * @param hash name in OpenSSL
 */
function signPssDigest(key: KeyObject, digest: Uint8Array, hash: string): Buffer {
  const modulusBits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  const encodedBits = modulusBits - 1;
  const length = Math.ceil(encodedBits / 8);
  const salt = randomBytes(digest.length);
  const hashed = createHash(hash).update(Buffer.alloc(8)).update(digest).update(salt).digest();
  const data = Buffer.alloc(length - hashed.length - 1);
  data[data.length - salt.length - 1] = 0x01;
  data.set(salt, data.length - salt.length);
  const mask = mgf1(hashed, data.length, hash);
  const masked = data.map((byte, index) => byte ^ (mask[index] ?? 0));
  masked[0] = (masked[0] ?? 0) & (0xff >> (8 * length - encodedBits));
  // One bit above a whole number of bytes: the encoded message is a byte shorter than the modulus.
  const shorter = Buffer.alloc(Math.ceil(modulusBits / 8) - length);
  const encoded = Buffer.concat([shorter, masked, hashed, Buffer.from([0xbc])]);
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded);
}

/** RFC 8017 B.2.1. */
function mgf1(seed: Uint8Array, length: number, hash: string): Buffer {
  const blocks: Buffer[] = [];
  const counter = Buffer.alloc(4);
  for (let made = 0; made < length; made += seed.length) {
    counter.writeUInt32BE(blocks.length);
    blocks.push(createHash(hash).update(seed).update(counter).digest());
  }
  return Buffer.concat(blocks).subarray(0, length);
}
