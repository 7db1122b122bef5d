import { type EndResult, readEndResult } from './endResult.ts';
import type { Http } from './http.ts';
import {
  isTrueIn,
  type Json,
  missing,
  objectIn,
  objectsIn,
  oneOf,
  required,
  requiredNumber,
  textIn,
} from './json.ts';
import type { CallOptions } from './types.ts';

/** Number of certificates by status. */
export interface CertificateCounts {
  /** Valid now. */
  readonly valid: number;
  /** Revoked for good. */
  readonly revoked: number;
  /** Past their validity. */
  readonly expired: number;
  /** On hold (certificate hold). */
  readonly suspended: number;
  /** Total. */
  readonly total: number;
}

/** Number of sessions by kind. */
export interface ActivityCounts {
  /** Authentications. */
  readonly authentication: number;
  /** Signatures. */
  readonly signature: number;
}

/** Summary of a citizen's PKI. */
export interface PersonSummary {
  /** Name in the certificate. */
  readonly givenName: string;
  /** Name in the certificate. */
  readonly surname: string;
  /** Certificates by status. */
  readonly certificates: CertificateCounts;
  /** Sessions with this relying party. */
  readonly activity: ActivityCounts;
  /** Phones in use. */
  readonly devicesActive: number;
  /** Phones ever enrolled. */
  readonly devicesTotal: number;
  /** Organizations the person may act for. */
  readonly representationCount: number;
}

/** One certificate of a citizen. */
export interface PersonCertificate {
  /** The device, by its document number. */
  readonly documentNumber: string;
  /** Purpose of the key. */
  readonly type: 'AUTH' | 'SIGN' | 'SEAL';
  /** Hexadecimal. */
  readonly serialNumber: string;
  /** `ADVANCED`, `QUALIFIED` or `QSCD`. */
  readonly certificateLevel: string;
  /** Current status. */
  readonly status: 'VALID' | 'REVOKED' | 'EXPIRED' | 'SUSPENDED';
  /** RFC 3339. */
  readonly notBefore: string;
  /** RFC 3339. */
  readonly notAfter: string;
  /** Distinguished name of the issuing CA. */
  readonly issuerDn: string;
}

/** A citizen's certificates. */
export interface PersonCertificates {
  /** `PNOMN-<civil id>`. */
  readonly personEtsi: string;
  /** By status. */
  readonly counts: CertificateCounts;
  /** All certificates ever issued. */
  readonly certificates: readonly PersonCertificate[];
}

/** One phone of a citizen. */
export interface PersonDevice {
  /** The device, by its document number. */
  readonly documentNumber: string;
  /** Push channel. */
  readonly platform: 'APNS' | 'FCM' | 'SIM';
  /** RFC 3339. */
  readonly enrolledAt: string;
  /** True when the phone can answer. */
  readonly active: boolean;
  /** RFC 3339; null while active. */
  readonly deactivatedAt: string | null;
}

/** A citizen's phones. */
export interface PersonDevices {
  /** `PNOMN-<civil id>`. */
  readonly personEtsi: string;
  /** All phones ever enrolled. */
  readonly devices: readonly PersonDevice[];
  /** Phones in use. */
  readonly activeCount: number;
  /** Total, not only those returned. */
  readonly total: number;
  /** To send with further pages; null: there was no session yet. */
  readonly snapshot: string | null;
}

/** Kind of session. */
export type ActivityFlow = 'AUTHENTICATION' | 'SIGNATURE';

/** One session of this relying party with a citizen. */
export interface ActivitySession {
  /** Lower-case UUID. */
  readonly sessionId: string;
  /** Kind of session. */
  readonly flow: ActivityFlow;
  /** End of the session, or `RUNNING`. */
  readonly outcome: EndResult | 'RUNNING';
  /** The text the citizen saw; null when there is none. */
  readonly docText: string | null;
  /** RFC 3339. */
  readonly timestamp: string;
}

/** This relying party's sessions with a citizen. */
export interface PersonActivity {
  /** `PNOMN-<civil id>`. */
  readonly personEtsi: string;
  /** Counts over all sessions, independent of the page. */
  readonly counts: ActivityCounts;
  /** The requested page, newest first. */
  readonly sessions: readonly ActivitySession[];
  /** Total, not only those returned. */
  readonly total: number;
}

/** Page of the activity to read. */
export interface ActivityOptions extends CallOptions {
  /** Page size; default 20. */
  readonly limit?: number;
  /** Sessions to skip; default 0. */
  readonly offset?: number;
  /** `snapshot` of the first page: sessions begun since move none to another page; omitted: this is the first one. */
  readonly snapshot?: string;
  /** Kind of session; omitted: both. */
  readonly flow?: ActivityFlow;
}

/**
 * A citizen's certificates, phones and sessions (contract §9). `etsi` is `PNOMN-<civil id>`. All reject with
 * {@link ForbiddenError} without the permission `PKI_READ` and with an {@link ApiError} 404 for an unknown person.
 */
export interface PersonPki {
  /** Reads names, counts and activity. */
  summary(etsi: string, options?: CallOptions): Promise<PersonSummary>;
  /** Lists all certificates with their status. */
  certificates(etsi: string, options?: CallOptions): Promise<PersonCertificates>;
  /** Lists all phones. */
  devices(etsi: string, options?: CallOptions): Promise<PersonDevices>;
  /** Lists sessions of this relying party only, newest first. */
  activity(etsi: string, options?: ActivityOptions): Promise<PersonActivity>;
}

export function createPersonPki(http: Http): PersonPki {
  const get = (route: string, etsi: string, { signal, ...query }: ActivityOptions) =>
    http.json({ method: 'GET', route, params: { etsi }, query, signal });

  return {
    summary: async (etsi, { signal } = {}) =>
      readSummary(await get('/person/summary/etsi/{etsi}', etsi, { signal })),
    certificates: async (etsi, { signal } = {}) =>
      readCertificates(await get('/certificates/etsi/{etsi}', etsi, { signal })),
    devices: async (etsi, { signal } = {}) =>
      readDevices(await get('/devices/etsi/{etsi}', etsi, { signal })),
    activity: async (etsi, { limit = 20, offset = 0, ...rest } = {}) =>
      readActivity(await get('/rp/activity/etsi/{etsi}', etsi, { limit, offset, ...rest })),
  };
}

function readSummary(answer: Json): PersonSummary {
  return {
    givenName: required(answer, 'givenName'),
    surname: required(answer, 'surname'),
    certificates: readCounts(answer, 'certificates'),
    activity: readActivityCounts(answer, 'activity'),
    devicesActive: requiredNumber(answer, 'devicesActive'),
    devicesTotal: requiredNumber(answer, 'devicesTotal'),
    representationCount: requiredNumber(answer, 'representationCount'),
  };
}

function readCertificates(answer: Json): PersonCertificates {
  return {
    personEtsi: required(answer, 'personEtsi'),
    counts: readCounts(answer, 'counts'),
    certificates: objectsIn(answer, 'certificates').map((certificate) => ({
      documentNumber: required(certificate, 'documentNumber'),
      type: oneOf(certificate, 'type', ['AUTH', 'SIGN', 'SEAL']),
      serialNumber: required(certificate, 'serialNumber'),
      certificateLevel: required(certificate, 'certificateLevel'),
      status: oneOf(certificate, 'status', ['VALID', 'REVOKED', 'EXPIRED', 'SUSPENDED']),
      notBefore: required(certificate, 'notBefore'),
      notAfter: required(certificate, 'notAfter'),
      issuerDn: required(certificate, 'issuerDn'),
    })),
  };
}

function readDevices(answer: Json): PersonDevices {
  return {
    personEtsi: required(answer, 'personEtsi'),
    devices: objectsIn(answer, 'devices').map((device) => ({
      documentNumber: required(device, 'documentNumber'),
      platform: oneOf(device, 'platform', ['APNS', 'FCM', 'SIM']),
      enrolledAt: required(device, 'enrolledAt'),
      active: isTrueIn(device, 'active'),
      deactivatedAt: textIn(device, 'deactivatedAt'),
    })),
    activeCount: requiredNumber(answer, 'activeCount'),
    total: requiredNumber(answer, 'total'),
    snapshot: textIn(answer, 'snapshot'),
  };
}

function readActivity(answer: Json): PersonActivity {
  return {
    personEtsi: required(answer, 'personEtsi'),
    counts: readActivityCounts(answer, 'counts'),
    sessions: objectsIn(answer, 'sessions').map((session) => ({
      sessionId: required(session, 'sessionId'),
      flow: oneOf(session, 'flow', ['AUTHENTICATION', 'SIGNATURE']),
      outcome: outcomeOf(required(session, 'outcome')),
      docText: textIn(session, 'docText'),
      timestamp: required(session, 'timestamp'),
    })),
    total: requiredNumber(answer, 'total'),
  };
}

function readCounts(answer: Json, field: string): CertificateCounts {
  const counts = within(answer, field);
  return {
    valid: requiredNumber(counts, 'valid'),
    revoked: requiredNumber(counts, 'revoked'),
    expired: requiredNumber(counts, 'expired'),
    suspended: requiredNumber(counts, 'suspended'),
    total: requiredNumber(counts, 'total'),
  };
}

function readActivityCounts(answer: Json, field: string): ActivityCounts {
  const counts = within(answer, field);
  return {
    authentication: requiredNumber(counts, 'authentication'),
    signature: requiredNumber(counts, 'signature'),
  };
}

function within(answer: Json, field: string): Json {
  const object = objectIn(answer, field);
  if (object === null) throw missing(field);
  return object;
}

function outcomeOf(received: string): EndResult | 'RUNNING' {
  return received === 'RUNNING' ? received : (readEndResult(received) ?? 'UNKNOWN');
}
