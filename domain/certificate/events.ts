import { civilIdOf } from '../shared/etsi.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { nullable, number, oneOf, text, type ValueOf, variants } from '../shared/eventFields.ts';
import { certificateLevels } from '../shared/certificateLevel.ts';
import { issuingAuthorities, responders } from '../shared/issuingCas.ts';
import { FORGOTTEN } from '../shared/personalData.ts';

// Storage format: see domain/shared/defineEvents.ts.

const citizenCertificateTypes = ['AUTH', 'SIGN'] as const;
const serviceCertificateTypes = ['OCSP', 'TSA', 'DOCUMENT'] as const;
const certificateTypes = [...citizenCertificateTypes, 'SEAL', ...serviceCertificateTypes] as const;
const keyTypes = ['P-256', 'RSA'] as const;
const servicePurposes = [...responders.keys(), 'TSA', 'DOCUMENT_SIGNER'] as const;

/** Purpose of a citizen's key: PIN1 authentication, PIN2 signing (contract §9 `type`). */
export type CitizenCertificateType = (typeof citizenCertificateTypes)[number];

/** Purpose of a key of the platform: OCSP responses, timestamps, stamped documents. */
export type ServiceCertificateType = (typeof serviceCertificateTypes)[number];

/** Purpose of a certificate's key; SEAL: an organization's seal. */
export type CertificateType = (typeof certificateTypes)[number];

/** A public key as certified. */
export type KeyType = (typeof keyTypes)[number];

export type { IssuingAuthority } from '../shared/issuingCas.ts';

/** Services with a certificate of the platform: OCSP responders of each issuing CA, timestamps, stamped documents. */
export type ServicePurpose = (typeof servicePurposes)[number];

const certificateHolder = variants('kind', [
  { kind: oneOf(['citizen']), civilId: text, documentNumber: text },
  {
    kind: oneOf(['organization']),
    /** National registration number. */
    register: text,
  },
  { kind: oneOf(['service']), purpose: oneOf(servicePurposes) },
]);

/** Holder of a certificate. */
export type CertificateHolder = ValueOf<typeof certificateHolder>;

export const certificateEvents = defineEvents('certificate', {
  /** Intent, recorded before anything is signed: after a crash every certificate is known. */
  CertificateRequested: event({
    version: 2,
    data: {
      /** Lower-case hexadecimal, 16 bytes. */
      serial: text,
      type: oneOf(certificateTypes),
      /** Null: a certificate of the platform, which has none. */
      level: nullable(oneOf(certificateLevels)),
      keyType: oneOf(keyTypes),
      /** Label of the private key in the platform's key vault; null: with the holder. */
      keyLabel: nullable(text),
      holder: certificateHolder,
      authority: oneOf(issuingAuthorities),
      /** Distinguished name of the issuing CA, RFC 4514. */
      issuer: text,
      /** SubjectPublicKeyInfo, base64 DER. */
      publicKey: text,
      notBefore: text,
      notAfter: text,
      requestedAt: text,
    },
    audit: {
      type: 'CERT_REQUEST',
      civilId: ({ holder }) => (holder.kind === 'citizen' ? holder.civilId : null),
      details: ({ type, level, authority }) => ({ type, level, authority }),
    },
  }),

  CertificateIssued: event({
    version: 2,
    data: {
      serial: text,
      /** Person named in it; null: none. */
      civilId: nullable(text),
      /** The whole certificate, base64 DER. */
      certificate: text,
      /** SHA-256 of the DER, lower-case hexadecimal: remains after crypto-shredding of the certificate. */
      fingerprint: text,
      issuedAt: text,
    },
    // The certificate carries the person's names.
    personal: {
      subject: civilIdOf,
      placeholders: { certificate: FORGOTTEN },
    },
    audit: {
      type: 'CERT_ISSUE',
      civilId: civilIdOf,
      details: ({ fingerprint }) => ({ fingerprint }),
    },
  }),

  /** Superseded: the platform no longer uses it. Its published status (OCSP, CRL) is unchanged. */
  CertificateSuperseded: event({
    data: {
      serial: text,
      supersededBy: text,
      supersededAt: text,
    },
    audit: {
      type: 'CERT_SUPERSEDE',
      details: ({ supersededBy }) => ({ supersededBy }),
    },
  }),

  /** Put on hold (RFC 5280 §5.3.1 certificateHold): counts as revoked until it is reinstated. */
  CertificateSuspended: event({
    data: {
      serial: text,
      suspendedAt: text,
    },
    audit: { type: 'CERT_SUSPEND', capability: 'cert:revoke' },
  }),

  CertificateReinstated: event({
    data: {
      serial: text,
      reinstatedAt: text,
    },
    audit: { type: 'CERT_REINSTATE', capability: 'cert:revoke' },
  }),

  CertificateRevoked: event({
    data: {
      serial: text,
      /** RFC 5280 §5.3.1 CRLReason number. */
      reason: number,
      /** Start of the revocation: the decision, or the suspension before it. */
      revokedAt: text,
    },
    audit: {
      type: 'CERT_REVOKE',
      capability: 'cert:revoke',
      details: ({ reason }) => ({ reason }),
    },
  }),
});

export type CertificateEvent = EventOf<typeof certificateEvents>;
export type CertificateRequested = EventOf<typeof certificateEvents, 'CertificateRequested'>;
export type CertificateIssued = EventOf<typeof certificateEvents, 'CertificateIssued'>;
