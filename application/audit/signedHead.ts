import { createPublicKey, verify } from 'node:crypto';
import { encodeTreeHead, type SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';

/** Tells whether this key, which the head names, signed it. @param spki SubjectPublicKeyInfo, DER; anything else signed nothing */
export function isSignedHead(head: SignedTreeHead, spki: Buffer): boolean {
  if (sha256Hex(spki) !== head.keyId) return false;
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    return verify('sha256', encodeTreeHead(head), key, head.signature);
  } catch {
    return false;
  }
}
