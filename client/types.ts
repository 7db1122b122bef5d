import type { DeprecationNotice } from './deprecation.ts';
import type { HttpCall } from './httpCall.ts';
import type { RevocationChecker, RevocationMode } from './validator/revocation.ts';

export type { CallOptions } from './callOptions.ts';

/** Certificate levels, each a minimum: ADVANCED below QUALIFIED below QSCD. */
export type CertificateLevel = 'ADVANCED' | 'QUALIFIED' | 'QSCD';

/** Certificate levels from lowest to highest. */
export const certificateLevels: readonly CertificateLevel[] = ['ADVANCED', 'QUALIFIED', 'QSCD'];

/** Levels a request may ask for (specification, Common request rules). */
export type RequestedLevel = 'ADVANCED' | 'QUALIFIED';

/** Hash names of the first generation. */
export type HashType = 'SHA256' | 'SHA384' | 'SHA512';

/** Which generation of the wire protocol a request speaks: flat (`G1`) or nested, Smart-ID v3 style (`G2`). */
export type Generation = 'G1' | 'G2';

/** Hash names of the second generation (contract §1). */
export type HashAlgorithm =
  'SHA-256' | 'SHA-384' | 'SHA-512' | 'SHA3-256' | 'SHA3-384' | 'SHA3-512';

/** What a second-generation request may ask an RSA key for; a P-256 key answers `ecdsa-with-SHA256` to all of them. */
export type RequestedAlgorithm =
  'rsassa-pss' | 'sha256WithRSAEncryption' | 'sha384WithRSAEncryption' | 'sha512WithRSAEncryption';

/** How a second-generation session came to the phone. */
export type FlowType = 'Notification' | 'QR' | 'App2App' | 'Web2App';

/**
 * A second-generation request as it was sent, byte for byte. The signed payload (contract §4), device links (§5) and
 * the callback are computed from it, so keep it with the browser session. Nothing in it is secret.
 */
export interface SentRequest {
  /** Leads the signed texts; default `smart-id`. */
  readonly schemeName: string;
  /** Empty for a choice of certificate. */
  readonly signatureProtocol: 'ACSP_V2' | 'RAW_DIGEST_SIGNATURE' | '';
  /** How it reaches the phone: a `notification` may only be answered as flow type `Notification`, a link never. */
  readonly flow: 'notification' | 'device-link';
  /** The challenge (authentication) or digest (signature), base64; empty for a choice of certificate. */
  readonly challengeOrDigest: string;
  /** As sent. */
  readonly relyingPartyName: string;
  /** On whose behalf a broker asks; empty without a broker. */
  readonly brokeredRpName: string;
  /** Base64 of the UTF-8 JSON array. */
  readonly interactions: string;
  /** Empty when none was sent. */
  readonly initialCallbackUrl: string;
  /** As asked for. */
  readonly signatureAlgorithm: RequestedAlgorithm;
  /** As asked for. */
  readonly hashAlgorithm: HashAlgorithm;
}

/** Parameters of an RSA-PSS signature as the service names them (contract §3). */
export interface SignatureAlgorithmParameters {
  /** A {@link HashAlgorithm}, as received. */
  readonly hashAlgorithm: string;
  /** `id-mgf1`; null when the answer names none. */
  readonly maskGenAlgorithm: { readonly algorithm: string; readonly hashAlgorithm: string } | null;
  /** Bytes. */
  readonly saltLength: number | null;
  /** `0xbc`. */
  readonly trailerField: string | null;
}

/**
 * What the citizen sees: `displayText60` at most 60 code points, `displayText200` at most 200. The forms with
 * `displayText200` are of the second generation. Exactly one is shown: the first the phone supports.
 */
export type Interaction =
  | { readonly type: 'displayTextAndPIN'; readonly displayText60: string }
  | {
      readonly type: 'confirmationMessage' | 'confirmationMessageAndVerificationCodeChoice';
      readonly displayText200: string;
    };

/** Who the relying party is: what it was given at registration. */
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

/** How to reach the service, as whom, and what to believe. */
export interface ClientConfig {
  /** Root of the relying-party API, without `/v3`. */
  readonly baseUrl: string;
  /** The relying party's own. */
  readonly credentials: Credentials;
  /** Required in production. */
  readonly trust?: TrustSettings;
  /** Which generation requests speak unless their options say otherwise; default `G1`. */
  readonly generation?: Generation;
  /** Second generation: the first field of signed texts, as the service is configured; default `smart-id`. */
  readonly schemeName?: string;
  /** Second generation: the relying party a broker asks for; default none. */
  readonly brokeredRpName?: string;
  /** Default `QUALIFIED`. */
  readonly defaultCertificateLevel?: RequestedLevel;
  /** Of one HTTP call other than a poll, ms; default 15000. */
  readonly timeoutMs?: number;
  /** Handed to `fetch` as its `dispatcher`: an undici agent with the client certificate. */
  readonly dispatcher?: unknown;
  /** Used instead of the global `fetch`. */
  readonly fetchImpl?: typeof fetch;
  /**
   * Told of each HTTP call when it is over, secrets left out: for your log, your metrics, or to look over the library's shoulder. It runs in
   * the caller's asynchronous context (`AsyncLocalStorage`); what it throws is ignored.
   */
  readonly onCall?: (call: HttpCall) => void;
  /**
   * Told once of each endpoint that the service says is deprecated: it works as before until the next major version. What it throws is
   * ignored.
   */
  readonly onDeprecated?: (notice: DeprecationNotice) => void;
}

/** The code to show to the citizen, who compares it with the phone's. */
export interface VerificationCode {
  /** `alphaNumeric4`, in the second generation `alphaNumeric5`. */
  readonly type: string;
  /** Four digits, five in the second generation; a leading zero counts. */
  readonly value: string;
}

/** A session whose request went to the citizen's phone by push. */
export interface NotificationSession {
  /** Lower-case UUID. */
  readonly sessionId: string;
  /** The code to show to the citizen. */
  readonly vc: VerificationCode;
  /** Base64; keep it with the browser session, `validateAuth` needs it. Empty for a signature. */
  readonly rpChallenge: string;
  /** Second generation only: keep it too: `validateAuth` takes the whole session in the place of the challenge. */
  readonly request?: SentRequest;
}

/** A session the citizen opens by a link or a QR code. Printing it shows neither its secret nor its token. */
export interface DeviceLinkSession {
  /** Lower-case UUID. */
  readonly sessionId: string;
  /** 24 characters; part of every signed link. */
  readonly sessionToken: string;
  /** Base64. Signs device links: never leaves the server. It is in the session's JSON, for your session store. */
  readonly sessionSecret: string;
  /** Address without query. */
  readonly deviceLinkBase: string;
  /** The code to show to the citizen: four digits, five in the second generation; empty for a choice of certificate. */
  readonly vc: string;
  /** Base64; as in {@link NotificationSession}. */
  readonly rpChallenge: string;
  /** Second generation only; as in {@link NotificationSession}. */
  readonly request?: SentRequest;
  /** Second generation only: when the session was answered, ms since 1970; QR links count from it. */
  readonly receivedAt?: number;
}

/** The citizen as the service describes them; nothing here is covered by the signature. */
export interface Person {
  /** Given name; the older `givenName` is read too. */
  readonly firstName: string | null;
  /** Father's name; the older `surname` is read too. */
  readonly lastName: string | null;
  /** Clan name; not in the certificate. */
  readonly familyName: string | null;
  /** Latin form of `firstName`. */
  readonly firstNameEn: string | null;
  /** Latin form of `lastName`. */
  readonly lastNameEn: string | null;
  /** Twelve digits. */
  readonly civilId: string | null;
  /** Registration number: two Cyrillic letters, eight digits. */
  readonly regNo: string | null;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string | null;
  /** `M`, `F` or `X`. */
  readonly gender: string | null;
  /** The citizen's number in the core registry. */
  readonly geID: number | null;
}

/** The organization a citizen acted for. `role` and `rightType` are null when the right was withdrawn since. */
export interface OnBehalfOf {
  /** `NTRMN-<register>`. */
  readonly orgEtsi: string;
  /** As registered. */
  readonly orgName: string;
  /** Title, free text. */
  readonly role: string | null;
  /** `ADMIN` or `MANAGER`. */
  readonly rightType: string | null;
}

/** A polled session, flattened. Not to be believed before {@link ResponseValidator} has checked it. */
export interface SessionResult {
  /** RUNNING: the citizen has not answered yet. */
  readonly state: 'RUNNING' | 'COMPLETE';
  /**
   * `OK`, or why not: `USER_REFUSED` and its variants, `TIMEOUT`, `WRONG_VC`, `DOCUMENT_UNUSABLE` and others of contract §3;
   * null while RUNNING.
   */
  readonly endResult: string | null;
  /** The device that answered; null unless OK. */
  readonly documentNumber: string | null;
  /** The citizen's certificate, DER, base64; null unless OK. */
  readonly certificateDerB64: string | null;
  /** What the service says the certificate's level is; null unless OK. */
  readonly certificateLevel: string | null;
  /** Base64, for ECDSA of a DER sequence; null unless OK. */
  readonly signatureValueB64: string | null;
  /** As received, for example `ecdsa-with-SHA256`; null unless OK. */
  readonly signatureAlgorithm: string | null;
  /** The interaction the citizen saw; null unless OK. */
  readonly interactionTypeUsed: string | null;
  /** Second generation only, else null: `ACSP_V2` or `RAW_DIGEST_SIGNATURE`. */
  readonly signatureProtocol: string | null;
  /** Of RSA-PSS, else null. */
  readonly signatureAlgorithmParameters: SignatureAlgorithmParameters | null;
  /** Second-generation authentication, else null: base64, 18 bytes or more. */
  readonly serverRandom: string | null;
  /** Second-generation authentication, else null: 43 characters base64url. */
  readonly userChallenge: string | null;
  /** Second-generation authentication, else null: a {@link FlowType}, as received. */
  readonly flowType: string | null;
  /** Of an authentication, else null. */
  readonly person: Person | null;
  /** Null when the citizen acts for nobody else. */
  readonly onBehalfOf: OnBehalfOf | null;
}
