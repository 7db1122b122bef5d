import { HASH_BYTES, type TreeState } from './hashTree.ts';

/** Signed content of a tree head: size, root, timestamp. */
export interface TreeHead extends TreeState {
  /** Strictly increasing from head to head. */
  readonly timestamp: Date;
}

export interface SignedTreeHead extends TreeHead {
  /** Id of the public key: SHA-256 of its SubjectPublicKeyInfo, lower-case hexadecimal (RFC 6962 §3.2 LogID). */
  readonly keyId: string;
  /** ECDSA with SHA-256 over {@link encodeTreeHead}, DER. */
  readonly signature: Buffer;
}

/**
 * `TreeHeadDataV2` of RFC 9162 §4.10 without extensions: milliseconds since 1970 (8 bytes), size (8), length of the root
 * (1), root, length of the extensions (2), 0.
 */
export function encodeTreeHead({ timestamp, size, root }: TreeHead): Buffer {
  const bytes = Buffer.alloc(8 + 8 + 1 + HASH_BYTES + 2);
  bytes.writeBigUInt64BE(BigInt(timestamp.getTime()), 0);
  bytes.writeBigUInt64BE(BigInt(size), 8);
  bytes.writeUInt8(HASH_BYTES, 16);
  bytes.set(root, 17);
  return bytes;
}
