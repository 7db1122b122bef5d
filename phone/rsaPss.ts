import { constants, createHash, type KeyObject, privateEncrypt, randomBytes } from 'node:crypto';

/**
 * RSASSA-PSS over a given digest (RFC 8017 §8.1.1, §9.1.1): MGF1 over the same hash, a salt as long
 * as the hash. Node's sign always hashes, so the encoded message is built here, for moduli of any
 * number of bits.
 *
 * @param hash name in OpenSSL
 */
export function signPssDigest(key: KeyObject, digest: Uint8Array, hash: string): Buffer {
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
