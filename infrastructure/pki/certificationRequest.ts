import { createPublicKey } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Name } from '@peculiar/asn1-x509';
import type { EcdsaKeyType, KeyVault, VaultKey } from '../../application/ports/keyVault.ts';
import { pem } from '../../domain/shared/pem.ts';
import { derBitString, derExplicit, derOid, derSequence, derUnsigned } from './kernel/der.ts';
import { derReader, derTag, readBitString, readDer } from './kernel/derReader.ts';
import { encodeName, type NameAttribute } from './kernel/name.ts';
import { isSignedBy, signatureScheme } from './kernel/statedSignature.ts';
import { signatureSuites } from './profiles.ts';

/** Certification request (PKCS #10, RFC 2986); its signature was verified. */
export interface CertificationRequest {
  readonly subject: readonly NameAttribute[];
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
}

/** Version 1, which is encoded as 0 (RFC 2986 §4.1). */
const version1 = derUnsigned(Buffer.from([0]));
/** No attributes: extensions are the issuer's to decide. */
const noAttributes = derExplicit(0, Buffer.alloc(0));

/** A request for the certificate of a key in the vault, PEM. */
export async function certificationRequest(
  vault: Pick<KeyVault, 'sign'>,
  { label, type, publicKey }: VaultKey & { readonly type: EcdsaKeyType },
  subject: readonly NameAttribute[],
): Promise<string> {
  const { hash, algorithm } = signatureSuites[type];
  const info = derSequence(version1, encodeName(subject), publicKey, noAttributes);
  const signature = await vault.sign(label, info, hash);
  const der = derSequence(info, derSequence(derOid(algorithm)), derBitString(signature));
  return pem('CERTIFICATE REQUEST', der);
}

/**
 * Reads a request and verifies its signature.
 *
 * @throws Error when it is none, or not signed by the key it names: then nobody has shown to have that key
 */
export function readCertificationRequest(text: string): CertificationRequest {
  const [, base64 = ''] =
    /-----BEGIN CERTIFICATE REQUEST-----([^-]+)-----END CERTIFICATE REQUEST-----/.exec(text) ?? [];
  if (base64 === '') throw new Error('There is no certification request (PEM).');
  const whole = derReader(readDer(Buffer.from(base64, 'base64'), derTag.sequence).content);
  const info = whole.element(derTag.sequence);
  const scheme = signatureScheme(whole.element(derTag.sequence).bytes, null);
  const signature = readBitString(whole.element());
  whole.end();
  const fields = derReader(info.content);
  fields.element(derTag.integer);
  const name = fields.element(derTag.sequence).bytes;
  const publicKey = fields.element(derTag.sequence).bytes;
  const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
  if (scheme === null || !isSignedBy(key, scheme, info.bytes, signature)) {
    throw new Error('The certification request is not signed by the key it names.');
  }
  const subject = [...AsnConvert.parse(name, Name)].flatMap((rdn) =>
    [...rdn].map(({ type, value }) => ({ type, value: value.toString() })),
  );
  return { subject, publicKey };
}
