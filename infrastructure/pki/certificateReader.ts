import { createHash } from 'node:crypto';
import type { CertificateReader } from '../../application/ports/certificateReader.ts';
import { hasTrustedPath } from './certificatePath.ts';
import { oid } from './kernel/oids.ts';
import { parseSignedCertificate } from './parsedCertificate.ts';

/** @param authorities DER: the root and the issuing CAs */
export function createCertificateReader(authorities: {
  readonly root: Buffer;
  readonly issuing: readonly Buffer[];
}): CertificateReader {
  const { root, issuing } = authorities;
  const trust = { anchors: [root], intermediates: issuing };
  return {
    subjectOf(certificate) {
      const { subject } = parseSignedCertificate(certificate);
      const givenName = subject.get(oid.givenName)?.[0]?.text;
      const surname = subject.get(oid.surname)?.[0]?.text;
      if (givenName === undefined || surname === undefined) {
        throw new Error('The certificate names no person.');
      }
      return { givenName, surname };
    },
    leadsToRoot: (certificate, at) => hasTrustedPath(certificate, [], trust, at),
    rootFingerprint: createHash('sha256').update(root).digest('hex'),
  };
}
