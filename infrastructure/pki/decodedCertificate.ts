import { X509Certificate } from 'node:crypto';
import { oid } from './kernel/oids.ts';
import { parseSignedCertificate, read, subjectText } from './parsedCertificate.ts';

const namesOfOids = new Map(Object.entries(oid).map(([name, id]) => [id as string, name]));

/** Object identifier with its name where the platform knows one. */
function named(id: string): string {
  const name = namesOfOids.get(id);
  return name === undefined ? id : `${name} (${id})`;
}

/**
 * Contents of a certificate as text, for people.
 *
 * @param der a signed certificate
 * @throws Error when it is none
 */
export function decodeCertificate(der: Buffer) {
  const certificate = parseSignedCertificate(der);
  const { publicKey } = new X509Certificate(der);
  const { namedCurve, modulusLength } = publicKey.asymmetricKeyDetails ?? {};
  const addresses = read.accessDescriptions(certificate) ?? [];
  const reachedBy = (method: string) =>
    addresses.filter(({ accessMethod }) => accessMethod === method).map(({ url }) => url);
  return {
    serialNumber: certificate.serial
      .toString('hex')
      .toUpperCase()
      .replaceAll(/..(?!$)/g, '$&:'),
    subject: subjectText(der),
    publicKey: [publicKey.asymmetricKeyType, namedCurve ?? modulusLength].join(' '),
    signatureAlgorithm: named(certificate.tbs.signature.algorithm),
    keyUsage: read.keyUsage(certificate) ?? [],
    extendedKeyUsage: Array.from(read.extendedKeyUsage(certificate) ?? [], named),
    policies: (read.policies(certificate) ?? []).map(named),
    qcStatements: (read.qcStatements(certificate) ?? []).map(({ id }) => named(id)),
    ocsp: reachedBy(oid.ocsp),
    caIssuers: reachedBy(oid.caIssuers),
    crl: read.distributionPoints(certificate) ?? [],
  };
}
