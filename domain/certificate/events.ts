import type { CertificateLevel } from '../shared/certificateLevel.ts';
import type { DomainEvent } from '../shared/decider.ts';
import { FORGOTTEN, type PersonalData } from '../shared/personalData.ts';

// Storage format: see domain/session/events.ts.

/** What a citizen's key is for: PIN1 authentication, PIN2 signing (contract §9 `type`). */
export type CitizenCertificateType = 'AUTH' | 'SIGN';

/** What the platform signs with a key of its own: OCSP answers, timestamps, stamped documents. */
export type ServiceCertificateType = 'OCSP' | 'TSA' | 'DOCUMENT';

/** What a certificate's key is for; SEAL: an organization's seal. */
export type CertificateType = CitizenCertificateType | 'SEAL' | ServiceCertificateType;

/** A public key as certified. */
export type KeyType = 'P-256' | 'RSA';

/** A CA of the platform. */
export type IssuingAuthority = 'root' | 'personal' | 'organization';

/** What the platform itself signs: OCSP answers for each issuing CA, timestamps, stamped documents. */
export type ServicePurpose = 'OCSP_PERSONAL' | 'OCSP_ORGANIZATION' | 'TSA' | 'DOCUMENT_SIGNER';

/** Whose certificate it is. */
export type CertificateHolder =
  | { readonly kind: 'citizen'; readonly civilId: string; readonly documentNumber: string }
  /** @property register national registration number */
  | { readonly kind: 'organization'; readonly register: string }
  | { readonly kind: 'service'; readonly purpose: ServicePurpose };

/** The intent, written before anything is signed: after a crash no certificate is unknown. */
export type CertificateRequested = DomainEvent<
  'CertificateRequested',
  {
    /** Lower-case hexadecimal, 16 bytes. */
    readonly serial: string;
    readonly type: CertificateType;
    /** Null: a certificate of the platform, which has none. */
    readonly level: CertificateLevel | null;
    readonly keyType: KeyType;
    /** Where the private key is in the platform's key vault; null: with the holder. */
    readonly keyLabel: string | null;
    readonly holder: CertificateHolder;
    readonly authority: IssuingAuthority;
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
    /** Whose names it carries; null: nobody's. */
    readonly civilId: string | null;
    /** The whole certificate, base64 DER. */
    readonly certificate: string;
    /** SHA-256 of the DER, lower-case hexadecimal: stays when the certificate itself is forgotten. */
    readonly fingerprint: string;
    readonly issuedAt: string;
  }
>;

/** Another certificate took its place: the platform no longer uses it. Its status outside stays what it was. */
export type CertificateSuperseded = DomainEvent<
  'CertificateSuperseded',
  { readonly serial: string; readonly supersededBy: string; readonly supersededAt: string }
>;

/** Put on hold (RFC 5280 §5.3.1 certificateHold): counts as revoked until it is reinstated. */
export type CertificateSuspended = DomainEvent<
  'CertificateSuspended',
  { readonly serial: string; readonly suspendedAt: string }
>;

export type CertificateReinstated = DomainEvent<
  'CertificateReinstated',
  { readonly serial: string; readonly reinstatedAt: string }
>;

export type CertificateRevoked = DomainEvent<
  'CertificateRevoked',
  {
    readonly serial: string;
    /** RFC 5280 §5.3.1 CRLReason number. */
    readonly reason: number;
    /** From when it counts as revoked: the decision, or the suspension before it. */
    readonly revokedAt: string;
  }
>;

export type CertificateEvent =
  | CertificateRequested
  | CertificateIssued
  | CertificateSuperseded
  | CertificateSuspended
  | CertificateReinstated
  | CertificateRevoked;

/** The certificate carries the person's names. */
export const certificatePersonalData: PersonalData<CertificateEvent> = {
  CertificateIssued: {
    subject: ({ civilId }) => civilId,
    placeholders: { certificate: FORGOTTEN },
  },
};
