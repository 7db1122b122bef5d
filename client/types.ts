import type { RevocationChecker, RevocationMode } from './validator/revocation.ts';

/** Certificate levels from lowest to highest; one asked for is a minimum. */
export const certificateLevels = ['ADVANCED', 'QUALIFIED', 'QSCD'] as const;

export type CertificateLevel = (typeof certificateLevels)[number];

/** Levels a request may ask for (specification, Common request rules). */
export type RequestedLevel = 'ADVANCED' | 'QUALIFIED';

export type HashType = 'SHA256' | 'SHA384' | 'SHA512';

/** A text the citizen sees with the PIN prompt: at most 60 code points. */
export interface Interaction {
  readonly type: 'displayTextAndPIN';
  readonly displayText60: string;
}

export interface Credentials {
  /** The relying party's UUID. */
  readonly rpUUID: string;
  /** The name the citizen sees. */
  readonly rpName: string;
  /** The Bearer secret, `rp_sk_…`. */
  readonly apiSecret: string;
}

/** What the validator believes. */
export interface TrustSettings {
  /** Root certificates, PEM; each text may hold several. Required in production. */
  readonly trustAnchorsPem?: string | readonly string[];
  /** Issuing CA certificates, PEM; each text may hold several. */
  readonly intermediatesPem?: string | readonly string[];
  /** The least level a certificate must prove; default `QUALIFIED`. */
  readonly requiredLevel?: CertificateLevel;
  /** Arc below which the service's own policies name the level of its certificates; default: Tamga's. */
  readonly policyArc?: string;
  /** How far clocks may differ, ms; default 0. */
  readonly clockSkewMs?: number;
  /** Development only: without trust anchors accept any issuer. Everything else is still checked. */
  readonly allowUntrusted?: boolean;
  /** Asked by `checkRevocation`; when absent revocation is not checked. */
  readonly revocation?: RevocationChecker;
  /** `hard-fail` (default): no clear answer counts as revoked; `soft-fail`: only a clear "revoked" does. */
  readonly revocationMode?: RevocationMode;
}

export interface ClientConfig {
  /** Root of the relying-party API, without `/v3`. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** Required in production. */
  readonly trust?: TrustSettings;
  /** Default `QUALIFIED`. */
  readonly defaultCertificateLevel?: RequestedLevel;
  /** Of one HTTP call other than a poll, ms; default 15000. */
  readonly timeoutMs?: number;
  /** Handed to `fetch` as its `dispatcher`: an undici agent with the client certificate. */
  readonly dispatcher?: unknown;
  /** Used instead of the global `fetch`. */
  readonly fetchImpl?: typeof fetch;
}

/** The code to show to the citizen, who compares it with the phone's. */
export interface VerificationCode {
  readonly type: string;
  readonly value: string;
}

export interface NotificationSession {
  readonly sessionId: string;
  readonly vc: VerificationCode;
  /** Base64; keep it with the browser session, `validateAuth` needs it. Empty for a signature. */
  readonly rpChallenge: string;
}

export interface DeviceLinkSession {
  readonly sessionId: string;
  readonly sessionToken: string;
  /** Confidential: never leaves the server. */
  readonly sessionSecret: string;
  readonly deviceLinkBase: string;
  readonly vc: string;
  /** Base64; as in {@link NotificationSession}. */
  readonly rpChallenge: string;
}

/** The citizen as the service describes them; nothing here is covered by the signature. */
export interface Person {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly familyName: string | null;
  readonly birthDate: string | null;
  readonly gender: string | null;
  readonly geID: number | null;
}

export interface OnBehalfOf {
  readonly orgEtsi: string;
  readonly orgName: string;
}

/** A polled session, flattened. Not to be believed before {@link ResponseValidator} has checked it. */
export interface SessionResult {
  readonly state: 'RUNNING' | 'COMPLETE';
  readonly endResult: string | null;
  readonly documentNumber: string | null;
  readonly certificateDerB64: string | null;
  readonly certificateLevel: string | null;
  readonly signatureValueB64: string | null;
  readonly signatureAlgorithm: string | null;
  readonly interactionTypeUsed: string | null;
  readonly person: Person | null;
  readonly onBehalfOf: OnBehalfOf | null;
}
