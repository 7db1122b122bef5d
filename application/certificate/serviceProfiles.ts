import type { ServiceCertificateType, ServicePurpose } from '../../domain/certificate/events.ts';
import {
  generationOf,
  type IssuingCa,
  kindOf,
  responderOf,
  responders,
} from '../../domain/shared/issuingCas.ts';

const DAY_MS = 86_400_000;

/** Certification policy of one of the platform's services. */
export interface ServiceCertification {
  readonly type: ServiceCertificateType;
  /** The CA that it answers for and has its certificate from; null: the Organization CA that issues. */
  readonly answersFor: IssuingCa | null;
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
function responder(ca: IssuingCa): ServiceCertification {
  const kind = kindOf(ca) === 'personal' ? 'Personal' : 'Organization';
  const generation = generationOf(ca) === 1 ? '' : ` ${generationOf(ca)}`;
  return {
    type: 'OCSP',
    answersFor: ca,
    commonName: `Tamga OCSP Responder for the ${kind} Issuing CA${generation}`,
    validMs: 7 * DAY_MS,
    renewMs: 3 * DAY_MS,
    keepsKey: true,
  };
}

const others = {
  // Replaced long before its end, so that tokens can be verified for years after the key's last use. EN 319 421
  // requires a key of its own for each certificate of a time-stamping unit.
  TSA: {
    type: 'TSA',
    answersFor: null,
    commonName: 'Tamga Time-Stamping Unit',
    validMs: 6 * 365 * DAY_MS,
    renewMs: 3 * 365 * DAY_MS,
    keepsKey: false,
  },
  DOCUMENT_SIGNER: {
    type: 'DOCUMENT',
    answersFor: null,
    commonName: 'Tamga Document Signer',
    validMs: 2 * 365 * DAY_MS,
    renewMs: 180 * DAY_MS,
    keepsKey: false,
  },
} as const satisfies Readonly<Record<string, ServiceCertification>>;

/** Certification policy of a service. */
export function certificationOf(purpose: ServicePurpose): ServiceCertification {
  if (purpose === 'TSA' || purpose === 'DOCUMENT_SIGNER') return others[purpose];
  const ca = responders.get(purpose);
  if (ca === undefined) throw new Error(`There is no service ${purpose}.`);
  return responder(ca);
}

/** Services of an installation that has these issuing CAs. */
export function servicePurposes(issuingCas: readonly IssuingCa[]): readonly ServicePurpose[] {
  return [...issuingCas.map(responderOf), 'TSA', 'DOCUMENT_SIGNER'];
}
