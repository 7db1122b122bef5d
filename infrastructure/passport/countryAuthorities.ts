import { X509Certificate } from 'node:crypto';
import { pemCertificates } from '../pki/readCertificates.ts';
import { derReader, derTag, readDer, readSmallInteger } from '../pki/kernel/derReader.ts';
import { oid } from '../pki/kernel/oids.ts';
import { verifyIssuer } from './documentSigner.ts';
import { orRejected, PassportRejected } from './rejection.ts';
import { readSignedContent } from './signedContent.ts';

/** The country signing certificate authorities (CSCA) an installation trusts (Doc 9303-12 §5). */
export interface CountryAuthorities {
  readonly certificates: readonly X509Certificate[];
  /** Certificates of a master list that OpenSSL cannot read. */
  readonly unreadable: number;
}

/**
 * Reads a list of authorities: certificates as PEM, or a master list (Doc 9303-12 §8) as its bytes. The file itself is
 * trusted; a master list's signature is verified nevertheless, to detect damage.
 *
 * @throws PassportRejected when a master list is damaged; Error when a PEM file holds no certificate or a malformed one
 */
export function readCountryAuthorities(file: Buffer): CountryAuthorities {
  if (file[0] !== derTag.sequence) {
    const certificates = pemCertificates(file.toString('latin1'));
    if (certificates.length === 0)
      throw new Error('The file is neither PEM certificates nor a master list.');
    return { certificates: certificates.map((der) => new X509Certificate(der)), unreadable: 0 };
  }
  const { content, certificate, signedAt } = readSignedContent(file, oid.cscaMasterList);
  const listed = readMasterList(content);
  const certificates = listed.map(orUnreadable).filter((each) => each !== null);
  verifyIssuer(certificate, certificates, signedAt ?? new Date(certificate.validFrom));
  return { certificates, unreadable: listed.length - certificates.length };
}

/** CscaMasterList: version 0, SET OF Certificate. */
function readMasterList(content: Buffer): readonly Buffer[] {
  return orRejected('SECURITY_OBJECT_MALFORMED', 'master list', () => {
    const list = derReader(readDer(content, derTag.sequence).content);
    if (readSmallInteger(list.element(derTag.integer)) !== 0) {
      throw new PassportRejected('SECURITY_OBJECT_VERSION', 'master list');
    }
    const set = list.enter(derTag.set);
    const found: Buffer[] = [];
    while (!set.atEnd) found.push(set.element(derTag.sequence).bytes);
    return found;
  });
}

function orUnreadable(der: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(der);
  } catch {
    return null;
  }
}
