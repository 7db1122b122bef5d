import { constants, verify } from 'node:crypto';
import {
  bitStringOf,
  childrenOf,
  contentOf,
  contextTag,
  type DerElement,
  derTag,
  oidText,
  readElement,
} from './der.ts';
import type { VerificationKey } from './keys.ts';

/** Parts of every signed structure of X.509: certificate, CRL, OCSP response. */
export interface SignedBytes {
  /** Signed bytes. */
  readonly bytes: Buffer;
  /** AlgorithmIdentifier. */
  readonly algorithm: DerElement;
  readonly signature: Buffer;
}

/**
 * Reads `SIGNED { content, algorithm, signature }` of a certificate or revocation list.
 *
 * @returns the signed bytes and the elements of the content
 * @throws RangeError when it is malformed, or names two algorithms (RFC 5280 §4.1.1.2)
 */
export function readSigned(element: DerElement): {
  readonly signed: SignedBytes;
  readonly content: readonly DerElement[];
} {
  const [content, algorithm, signature, ...more] = childrenOf(element);
  if (content === undefined || algorithm === undefined || more.length > 0) {
    throw new RangeError('A signed structure has a wrong number of parts.');
  }
  const elements = childrenOf(content);
  const inner = elements.find(({ tag }) => tag === derTag.sequence);
  if (inner?.raw.equals(algorithm.raw) !== true) {
    throw new RangeError('A signed structure names two signature algorithms.');
  }
  const signed = { bytes: content.raw, algorithm, signature: bitStringOf(signature) };
  return { signed, content: elements };
}

interface Scheme {
  readonly family: VerificationKey['family'];
  readonly hash: string;
}

const schemes: Readonly<Record<string, Scheme>> = {
  '1.2.840.10045.4.3.2': { family: 'EC', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { family: 'EC', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { family: 'EC', hash: 'sha512' },
  '1.2.840.113549.1.1.11': { family: 'RSA', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { family: 'RSA', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { family: 'RSA', hash: 'sha512' },
};

const RSASSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';

const hashes: Readonly<Record<string, { readonly name: string; readonly length: number }>> = {
  '2.16.840.1.101.3.4.2.1': { name: 'sha256', length: 32 },
  '2.16.840.1.101.3.4.2.2': { name: 'sha384', length: 48 },
  '2.16.840.1.101.3.4.2.3': { name: 'sha512', length: 64 },
};

/**
 * Verifies a signature with `key`; false also when the algorithm is unknown, broken, or unsuitable
 * for the key.
 */
export function isSignedBy(
  { bytes, algorithm, signature }: SignedBytes,
  verifier: VerificationKey,
): boolean {
  try {
    const { family, key } = verifier;
    const [id, parameters] = childrenOf(algorithm);
    const oid = oidText(contentOf(id, derTag.oid));
    if (oid === RSASSA_PSS) {
      if (family !== 'RSA') return false;
      const hash = pssHash(parameters);
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      return verify(hash.name, bytes, { key, padding, saltLength: hash.length }, signature);
    }
    const scheme = schemes[oid];
    return scheme?.family === family && verify(scheme.hash, bytes, key, signature);
  } catch {
    return false;
  }
}

/**
 * RSASSA-PSS-params (RFC 4055 §3.1): the hash, MGF1 with the same, a salt as long as it. The
 * defaults are SHA-1, so only the trailer may be omitted.
 */
function pssHash(parameters: DerElement | undefined): { name: string; length: number } {
  const parts = childrenOf(parameters);
  const part = (number: number) => {
    const wrapper = parts.find(({ tag }) => tag === contextTag(number));
    return readElement(contentOf(wrapper, contextTag(number)));
  };
  const hashOid = oidText(contentOf(childrenOf(part(0))[0], derTag.oid));
  const [mask, maskHash] = childrenOf(part(1));
  const maskHashOid = oidText(contentOf(childrenOf(maskHash)[0], derTag.oid));
  const hash = hashes[hashOid];
  const salt = contentOf(part(2), derTag.integer);
  const usual =
    oidText(contentOf(mask, derTag.oid)) === MGF1 &&
    maskHashOid === hashOid &&
    salt.length === 1 &&
    salt[0] === hash?.length &&
    parts.length === 3;
  if (hash === undefined || !usual) throw new RangeError('PSS parameters are unusable.');
  return hash;
}
