import type { CertificateLevel } from '../shared/certificateLevel.ts';
import type { DomainEvent } from '../shared/decider.ts';
import { FORGOTTEN, type PersonalData } from '../shared/personalData.ts';

// Storage format: see domain/session/events.ts.

/** What a certificate's key is for: PIN1 authentication, PIN2 signing (contract §9 `type`). */
export type CertificateType = 'AUTH' | 'SIGN';

/** A citizen's public key as certified. */
export type KeyType = 'P-256' | 'RSA';

/** The intent, written before anything is signed: after a crash no certificate is unknown. */
export type CertificateRequested = DomainEvent<
  'CertificateRequested',
  {
    /** Lower-case hexadecimal, 16 bytes. */
    readonly serial: string;
    readonly type: CertificateType;
    readonly level: CertificateLevel;
    readonly keyType: KeyType;
    readonly civilId: string;
    readonly documentNumber: string;
    /** Distinguished name of the issuing CA, RFC 4514. */
    readonly issuer: string;
    /** SubjectPublicKeyInfo, base64 DER. */
    readonly publicKey: string;
    readonly notBefore: string;
    readonly notAfter: string;
    readonly requestedAt: string;
  }
>;

export type CertificateIssued = DomainEvent<
  'CertificateIssued',
  {
    readonly serial: string;
    readonly civilId: string;
    /** The whole certificate, base64 DER. */
    readonly certificate: string;
    /** SHA-256 of the DER, lower-case hexadecimal: stays when the certificate itself is forgotten. */
    readonly fingerprint: string;
    readonly issuedAt: string;
  }
>;

export type CertificateRevoked = DomainEvent<
  'CertificateRevoked',
  {
    readonly serial: string;
    /** RFC 5280 CRLReason number. */
    readonly reason: number;
    readonly revokedAt: string;
  }
>;

export type CertificateEvent = CertificateRequested | CertificateIssued | CertificateRevoked;

/** The certificate carries the person's names. */
export const certificatePersonalData: PersonalData<CertificateEvent> = {
  CertificateIssued: {
    subject: (data) => data.civilId,
    placeholders: { certificate: FORGOTTEN },
  },
};
