import type { TimestampVerifier } from '../../application/verification/ports/timestampVerifier.ts';
import type { TrustedIssuers } from '../pki/certificatePath.ts';
import { MalformedDer } from '../pki/kernel/derReader.ts';
import { oid } from '../pki/kernel/oids.ts';
import { parseSignedCertificate } from '../pki/parsedCertificate.ts';
import { TimestampRejected, verifyTimestampToken } from './verifyTimestampToken.ts';

/** Verifies tokens with a path to these certificates. */
export function createTimestampVerifier(trust: TrustedIssuers): TimestampVerifier {
  return {
    verify(bytes, digest, hash) {
      try {
        const { token, certificate } = verifyTimestampToken(bytes, { digest, hash, trust });
        const { time, policy } = token;
        const { subject } = parseSignedCertificate(certificate);
        return {
          time,
          policy,
          serial: token.serial.toString('hex'),
          authority: subject.get(oid.commonName)?.[0]?.text ?? '',
        };
      } catch (error) {
        if (error instanceof TimestampRejected || error instanceof MalformedDer) return null;
        throw error;
      }
    },
  };
}
