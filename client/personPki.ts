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

/** How many certificates are in which status. */
export interface CertificateCounts {
  /** Valid now. */
  readonly valid: number;
  /** Revoked for good. */
  readonly revoked: number;
  /** Past their validity. */
  readonly expired: number;
  /** Revoked for a time. */
  readonly suspended: number;
  /** All of them. */
  readonly total: number;
}

/** How many sessions there were. */
export interface ActivityCounts {
  /** Authentications. */
  readonly authentication: number;
  /** Signatures. */
  readonly signature: number;
}

/** A citizen's PKI at a glance. */
export interface PersonSummary {
  /** As in the certificate. */
  readonly givenName: string;
  /** As in the certificate. */
  readonly surname: string;
  /** By status. */
  readonly certificates: CertificateCounts;
  /** With this relying party. */
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
  /** What the key is for. */
  readonly type: 'AUTH' | 'SIGN' | 'SEAL';
  /** Hexadecimal. */
  readonly serialNumber: string;
  /** `ADVANCED`, `QUALIFIED` or `QSCD`. */
  readonly certificateLevel: string;
  /** Now. */
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
  /** Every certificate there ever was. */
  readonly certificates: readonly PersonCertificate[];
}

/** One phone of a citizen. */
export interface PersonDevice {
  /** The device, by its document number. */
  readonly documentNumber: string;
  /** How it is reached. */
  readonly platform: 'APNS' | 'FCM' | 'SIM';
  /** RFC 3339. */
  readonly enrolledAt: string;
  /** Whether it can answer. */
  readonly active: boolean;
  /** RFC 3339; null while active. */
  readonly deactivatedAt: string | null;
}

/** A citizen's phones. */
export interface PersonDevices {
  /** `PNOMN-<civil id>`. */
  readonly personEtsi: string;
  /** Every phone there ever was. */
  readonly devices: readonly PersonDevice[];
  /** Phones in use. */
  readonly activeCount: number;
  /** All of them, not only those returned. */
  readonly total: number;
}

/** Which kind of session. */
export type ActivityFlow = 'AUTHENTICATION' | 'SIGNATURE';

/** One session of this relying party with a citizen. */
export interface ActivitySession {
  /** Lower-case UUID. */
  readonly sessionId: string;
  /** Which kind of session. */
  readonly flow: ActivityFlow;
  /** An `endResult`, or `RUNNING`. */
  readonly outcome: string;
  /** The text the citizen saw; null when there is none. */
  readonly docText: string | null;
  /** RFC 3339. */
  readonly timestamp: string;
}

/** This relying party's sessions with a citizen. */
export interface PersonActivity {
  /** `PNOMN-<civil id>`. */
  readonly personEtsi: string;
  /** Of all of them, whatever part was read. */
  readonly counts: ActivityCounts;
  /** The part read, newest first. */
  readonly sessions: readonly ActivitySession[];
  /** All of them, not only those returned. */
  readonly total: number;
}

/** Which part of the activity to read. */
export interface ActivityOptions extends CallOptions {
  /** Default 20. */
  readonly limit?: number;
  /** Default 0. */
  readonly offset?: number;
  /** Omitted: both. */
  readonly flow?: ActivityFlow;
}

/**
 * A citizen's certificates, phones and sessions (contract §9). `etsi` is `PNOMN-<civil id>`. All reject with
 * {@link ForbiddenError} without the permission `PKI_READ` and with an {@link ApiError} 404 for an unknown person.
 */
export interface PersonPki {
  /** Names, counts and activity. */
  summary(etsi: string, options?: CallOptions): Promise<PersonSummary>;
  /** Every certificate with its status. */
  certificates(etsi: string, options?: CallOptions): Promise<PersonCertificates>;
  /** Every phone. */
  devices(etsi: string, options?: CallOptions): Promise<PersonDevices>;
  /** This relying party's own sessions only, newest first. */
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
  };
}

function readActivity(answer: Json): PersonActivity {
  return {
    personEtsi: required(answer, 'personEtsi'),
    counts: readActivityCounts(answer, 'counts'),
    sessions: objectsIn(answer, 'sessions').map((session) => ({
      sessionId: required(session, 'sessionId'),
      flow: oneOf(session, 'flow', ['AUTHENTICATION', 'SIGNATURE']),
      outcome: required(session, 'outcome'),
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
