import type { HashType } from '../../domain/shared/digest.ts';
import { derNull, derOid, derSequence } from './kernel/der.ts';
import { oid } from './kernel/oids.ts';

const hashOids: Readonly<Record<HashType, string>> = {
  SHA256: oid.sha256,
  SHA384: oid.sha384,
  SHA512: oid.sha512,
};

/** AlgorithmIdentifier, DER, without parameters (RFC 5754 §2). */
export const hashAlgorithm: Readonly<Record<HashType, Buffer>> = {
  SHA256: derSequence(derOid(oid.sha256)),
  SHA384: derSequence(derOid(oid.sha384)),
  SHA512: derSequence(derOid(oid.sha512)),
};

/** AlgorithmIdentifier with NULL parameters, as many programs send it. */
const withNull = (hash: HashType) => derSequence(derOid(hashOids[hash]), derNull);

const byEncoding = new Map<string, HashType>(
  (['SHA256', 'SHA384', 'SHA512'] as const).flatMap((hash) => [
    [hashAlgorithm[hash].toString('hex'), hash] as const,
    [withNull(hash).toString('hex'), hash] as const,
  ]),
);

/** Hash named by an AlgorithmIdentifier, parameters absent or NULL; null when unsupported. */
export function hashOf(algorithmIdentifier: Buffer): HashType | null {
  return byEncoding.get(algorithmIdentifier.toString('hex')) ?? null;
}
