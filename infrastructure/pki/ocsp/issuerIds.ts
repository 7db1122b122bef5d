import { createHash } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { SubjectPublicKeyInfo } from '@peculiar/asn1-x509';
import { derNull, derOctetString, derOid, derSequence } from '../kernel/der.ts';
import { certificateFields } from '../kernel/certificateFields.ts';
import { oid } from '../kernel/oids.ts';
import { parseSignedCertificate } from '../parsedCertificate.ts';

const hashes = { sha1: oid.sha1, sha256: oid.sha256 } as const;

type HashName = keyof typeof hashes;

/**
 * The first three fields of CertID that identify this CA, DER, concatenated: hashed with SHA-1 and with SHA-256, the
 * algorithm's parameters NULL or absent.
 *
 * @param certificate the CA's, DER
 */
export function issuerIds(certificate: Buffer): readonly Buffer[] {
  return (Object.keys(hashes) as HashName[]).flatMap((hash) => [
    issuerId(certificate, hash, [derNull]),
    issuerId(certificate, hash, []),
  ]);
}

/**
 * CertID with SHA-1, which every verifier supports: an identifier, not a protection.
 * @param serial content of the INTEGER
 */
export function certificateIdParts(certificate: Buffer): Buffer {
  return issuerId(certificate, 'sha1', [derNull]);
}

function issuerId(certificate: Buffer, hash: HashName, parameters: readonly Buffer[]): Buffer {
  const digest = (data: Uint8Array) => derOctetString(createHash(hash).update(data).digest());
  const { publicKey } = parseSignedCertificate(certificate);
  const { subjectPublicKey } = AsnConvert.parse(publicKey, SubjectPublicKeyInfo);
  return Buffer.concat([
    derSequence(derOid(hashes[hash]), ...parameters),
    digest(certificateFields(certificate).subject),
    digest(new Uint8Array(subjectPublicKey)),
  ]);
}
