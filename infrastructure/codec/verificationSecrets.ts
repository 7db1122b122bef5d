import { createHmac, timingSafeEqual } from 'node:crypto';
import type { VerificationSecrets } from '../../application/identityVerification/ports/verificationSecrets.ts';
import { verificationMethods } from '../../domain/identityVerification/events.ts';
import { deriveMasterKeys } from './encryption.ts';

/** 1 byte method, 1 attempts, 6 start (ms since 1970), 4 lifetime (ms). */
const TERMS_BYTES = 12;
/** HMAC-SHA-256 truncated to 160 bits (RFC 2104 §5). */
const MAC_BYTES = 20;

/**
 * Secrets of identity verifications: their terms and an HMAC over terms and id. The id is random and the key unknown
 * outside, so a secret can neither be guessed nor changed.
 *
 * @param masterKey 32 bytes; every process of the installation has the same
 */
export function createVerificationSecrets(masterKey: Uint8Array): VerificationSecrets {
  const { verificationSecrets: key } = deriveMasterKeys(masterKey);
  const mac = (verificationId: string, terms: Buffer) =>
    createHmac('sha256', key).update(verificationId).update(terms).digest().subarray(0, MAC_BYTES);
  return {
    issue: ({ verificationId, method, attemptsAllowed, startedAt, expiresAt }) => {
      const terms = Buffer.alloc(TERMS_BYTES);
      const start = Date.parse(startedAt);
      terms.writeUInt8(verificationMethods.indexOf(method), 0);
      terms.writeUInt8(attemptsAllowed, 1);
      terms.writeUIntBE(start, 2, 6);
      terms.writeUInt32BE(Date.parse(expiresAt) - start, 8);
      return Buffer.concat([terms, mac(verificationId, terms)]).toString('base64url');
    },
    read: (verificationId, secret) => {
      const bytes = Buffer.from(secret, 'base64url');
      if (bytes.length !== TERMS_BYTES + MAC_BYTES) return null;
      const terms = bytes.subarray(0, TERMS_BYTES);
      const method = verificationMethods[terms.readUInt8(0)];
      const isOurs = timingSafeEqual(mac(verificationId, terms), bytes.subarray(TERMS_BYTES));
      if (!isOurs || method === undefined) return null;
      const start = terms.readUIntBE(2, 6);
      return {
        verificationId,
        method,
        attemptsAllowed: terms.readUInt8(1),
        startedAt: new Date(start).toISOString(),
        expiresAt: new Date(start + terms.readUInt32BE(8)).toISOString(),
      };
    },
  };
}
