import type { KeyObject, X509Certificate } from 'node:crypto';
import { certificateFields, certificateSignature } from '../pki/kernel/certificate.ts';
import { derReader, derTag, readDer, readOid } from '../pki/kernel/derReader.ts';
import { oid } from '../pki/kernel/oids.ts';
import { isSignedBy, signatureScheme } from '../pki/kernel/statedSignature.ts';
import { orRejected, PassportRejected } from './rejection.ts';

/** Document whose signer is verified. */
export interface DocumentSigned {
  /** Time of signing, or now when unknown. */
  readonly at: Date;
  /** Two letters; null for an issuer without a code, which no certificate matches. */
  readonly country: string | null;
  /** Code in the zone: `P`, `PM`, `ID`. */
  readonly documentCode: string;
}

/**
 * Verifies a document signer's certificate: issued by a country authority of the list, both in force at the time of
 * signing, both of that country, and restricted to signing documents of this kind (Doc 9303-12 §7.1).
 *
 * @returns the authority
 * @throws PassportRejected SIGNER_CERTIFICATE_*, COUNTRY_*
 */
export function verifyDocumentSigner(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  { at, country, documentCode }: DocumentSigned,
): X509Certificate {
  verifyUsage(certificate, documentCode);
  const authority = verifyIssuer(certificate, authorities, at);
  for (const each of [certificate, authority]) {
    const found = orRejected('SIGNER_CERTIFICATE_MALFORMED', null, () => subjectCountry(each));
    if (country === null || found?.toUpperCase() !== country) {
      throw new PassportRejected('COUNTRY_MISMATCH');
    }
  }
  return authority;
}

/**
 * Finds the authority that issued a certificate: by name and key identifier, signature, and validity at the same time.
 *
 * @throws PassportRejected COUNTRY_AUTHORITY_UNKNOWN or _NOT_IN_FORCE, SIGNER_CERTIFICATE_ALGORITHM, _FORGED or
 * _NOT_IN_FORCE
 */
export function verifyIssuer(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  at: Date,
): X509Certificate {
  const named = authorities.filter(
    (authority) => authority.ca && certificate.checkIssued(authority),
  );
  if (named.length === 0) throw new PassportRejected('COUNTRY_AUTHORITY_UNKNOWN');
  const { signed, algorithm, signature } = orRejected('SIGNER_CERTIFICATE_MALFORMED', null, () =>
    certificateSignature(certificate.raw),
  );
  const scheme = orRejected('SIGNER_CERTIFICATE_ALGORITHM', null, () =>
    signatureScheme(algorithm, null),
  );
  if (scheme === null) throw new PassportRejected('SIGNER_CERTIFICATE_ALGORITHM');
  const issuers = named.filter((authority) => {
    const key = keyOf(authority);
    return key !== null && isSignedBy(key, scheme, signed, signature);
  });
  if (issuers.length === 0) throw new PassportRejected('SIGNER_CERTIFICATE_FORGED');
  if (!isInForce(certificate, at)) throw new PassportRejected('SIGNER_CERTIFICATE_NOT_IN_FORCE');
  const issuer = issuers.find((authority) => isInForce(authority, at));
  if (issuer === undefined) throw new PassportRejected('COUNTRY_AUTHORITY_NOT_IN_FORCE');
  return issuer;
}

/** Tells whether `at` lies within the validity period, ends included (RFC 5280 §4.1.2.5). */
function isInForce({ validFrom, validTo }: X509Certificate, at: Date): boolean {
  return new Date(validFrom) <= at && at <= new Date(validTo);
}

/** Null for a key type that OpenSSL does not support. */
export function keyOf(certificate: X509Certificate): KeyObject | null {
  try {
    return certificate.publicKey;
  } catch {
    return null;
  }
}

/**
 * Requires digitalSignature, no CA flag, no purpose of another kind of signer, the document type where a list is given,
 * and no unknown critical extension (Doc 9303-12 table 6).
 */
function verifyUsage(certificate: X509Certificate, documentCode: string): void {
  const { extensions } = orRejected('SIGNER_CERTIFICATE_MALFORMED', null, () =>
    certificateFields(certificate.raw),
  );
  const usage = extensions.get(oid.keyUsage)?.value;
  const bits = orRejected('SIGNER_CERTIFICATE_USAGE', null, () =>
    usage === undefined ? 0 : (readDer(usage, derTag.bitString).content[1] ?? 0),
  );
  const signs = (bits & DIGITAL_SIGNATURE) !== 0;
  const isUnknown = [...extensions].some(([id, { critical }]) => critical && !understood.has(id));
  const types = extensions.get(oid.documentTypeList)?.value;
  const isForOthers = types !== undefined && !isListed(documentCode, types);
  if (
    !signs ||
    certificate.ca ||
    extensions.has(oid.extendedKeyUsage) ||
    isUnknown ||
    isForOthers
  ) {
    throw new PassportRejected('SIGNER_CERTIFICATE_USAGE');
  }
}

/** Extensions of Doc 9303-12 table 6 that are checked, or may be ignored. */
const understood: ReadonlySet<string> = new Set([
  ...[oid.keyUsage, oid.basicConstraints, oid.certificatePolicies, oid.privateKeyUsagePeriod],
  ...[oid.authorityKeyIdentifier, oid.subjectKeyIdentifier, oid.crlDistributionPoints],
  ...[oid.subjectAlternativeName, oid.issuerAlternativeName],
  ...[oid.documentTypeList, oid.nameChange],
]);

/** DocumentTypeList: version, SET OF prefixes of document codes. */
function isListed(documentCode: string, extension: Buffer): boolean {
  return orRejected('SIGNER_CERTIFICATE_USAGE', null, () => {
    const list = derReader(readDer(extension, derTag.sequence).content);
    list.element(derTag.integer);
    const types = list.enter(derTag.set);
    while (!types.atEnd) {
      const type = types.element().content.toString('latin1').replaceAll('<', '');
      if (type !== '' && documentCode.startsWith(type)) return true;
    }
    return false;
  });
}

/** First bit of KeyUsage (RFC 5280 §4.2.1.3). */
const DIGITAL_SIGNATURE = 0x80;

/** @throws MalformedDer */
function subjectCountry(certificate: X509Certificate): string | undefined {
  const names = derReader(
    readDer(certificateFields(certificate.raw).subject, derTag.sequence).content,
  );
  while (!names.atEnd) {
    const attribute = names.enter(derTag.set).enter(derTag.sequence);
    if (readOid(attribute.element(derTag.oid)) === oid.countryName) {
      return attribute.element().content.toString('latin1');
    }
  }
  return undefined;
}
