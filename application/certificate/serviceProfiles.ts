import type {
  IssuingAuthority,
  ServiceCertificateType,
  ServicePurpose,
} from '../../domain/certificate/events.ts';

const DAY_MS = 86_400_000;

/** Certification policy of one of the platform's services. */
export interface ServiceCertification {
  readonly type: ServiceCertificateType;
  readonly authority: Exclude<IssuingAuthority, 'root'>;
  readonly commonName: string;
  /** Validity of a certificate, ms. */
  readonly validMs: number;
  /** Time before its end at which it is replaced, ms. */
  readonly renewMs: number;
  /** True to certify the same key again; otherwise each certificate has its own. */
  readonly keepsKey: boolean;
}

// RFC 6960 §4.2.2.2: the CA itself issues its responder's certificate. It cannot be revoked (id-pkix-ocsp-nocheck), so
// it is short-lived; a new key every few days would only fill the token.
const responder = {
  type: 'OCSP',
  validMs: 7 * DAY_MS,
  renewMs: 3 * DAY_MS,
  keepsKey: true,
} as const;

/** Certification policies by service. */
export const serviceCertifications: Readonly<Record<ServicePurpose, ServiceCertification>> = {
  OCSP_PERSONAL: {
    ...responder,
    authority: 'personal',
    commonName: 'Tamga OCSP Responder for the Personal Issuing CA',
  },
  OCSP_ORGANIZATION: {
    ...responder,
    authority: 'organization',
    commonName: 'Tamga OCSP Responder for the Organization Issuing CA',
  },
  // Replaced long before its end, so that tokens can be verified for years after the key's last use. EN 319 421
  // requires a key of its own for each certificate of a time-stamping unit.
  TSA: {
    type: 'TSA',
    authority: 'organization',
    commonName: 'Tamga Time-Stamping Unit',
    validMs: 6 * 365 * DAY_MS,
    renewMs: 3 * 365 * DAY_MS,
    keepsKey: false,
  },
  DOCUMENT_SIGNER: {
    type: 'DOCUMENT',
    authority: 'organization',
    commonName: 'Tamga Document Signer',
    validMs: 2 * 365 * DAY_MS,
    renewMs: 180 * DAY_MS,
    keepsKey: false,
  },
};

export const servicePurposes = Object.keys(serviceCertifications) as readonly ServicePurpose[];
