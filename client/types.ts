import type { DeprecationNotice } from './deprecation.ts';
import type { EndResult } from './endResult.ts';
import type { HttpCall } from './httpCall.ts';
import type { RiskSignals } from './riskSignals.ts';
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

/** Generation of the wire protocol: flat (`G1`) or nested, Smart-ID v3 style (`G2`). */
export type Generation = 'G1' | 'G2';

/** Hash names of the second generation (contract §1). */
export type HashAlgorithm =
  'SHA-256' | 'SHA-384' | 'SHA-512' | 'SHA3-256' | 'SHA3-384' | 'SHA3-512';

/**
 * Signature algorithms a second-generation request may ask of an RSA key; a P-256 key answers
 * `ecdsa-with-SHA256` to all of them.
 */
export type RequestedAlgorithm =
  'rsassa-pss' | 'sha256WithRSAEncryption' | 'sha384WithRSAEncryption' | 'sha512WithRSAEncryption';

/** Channel by which a second-generation session reached the phone. */
export type FlowType = 'Notification' | 'QR' | 'App2App' | 'Web2App';

/**
 * A second-generation request as it was sent, byte for byte. The signed payload (contract §4),
 * device links (§5) and the callback are computed from it, so store it with the browser session.
 * Contains no secret.
 */
export interface SentRequest {
  /** First field of signed texts; default `smart-id`. */
  readonly schemeName: string;
  /** Empty for a choice of certificate. */
  readonly signatureProtocol: 'ACSP_V2' | 'RAW_DIGEST_SIGNATURE' | '';
  /**
   * Channel of the request: a `notification` may only be answered as flow type `Notification`, a
   * link never.
   */
  readonly flow: 'notification' | 'device-link';
  /** The challenge (authentication) or digest (signature), base64; empty for a choice of certificate. */
  readonly challengeOrDigest: string;
  /** Name as sent. */
  readonly relyingPartyName: string;
  /** Relying party for which a broker asks; empty without a broker. */
  readonly brokeredRpName: string;
  /** Base64 of the UTF-8 JSON array. */
  readonly interactions: string;
  /** Callback URL; empty when none was sent. */
  readonly initialCallbackUrl: string;
  /** Requested algorithm. */
  readonly signatureAlgorithm: RequestedAlgorithm;
  /** Requested hash. */
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
 * Interaction shown to the citizen: `displayText60` at most 60 code points, `displayText200` at
 * most 200. The forms with `displayText200` are of the second generation. Exactly one is shown: the
 * first the phone supports.
 */
export type Interaction =
  | { readonly type: 'displayTextAndPIN'; readonly displayText60: string }
  | {
      readonly type: 'confirmationMessage' | 'confirmationMessageAndVerificationCodeChoice';
      readonly displayText200: string;
    };

/**
 * Content of a request, for the phone: a text of at most 200 code points, for which the library picks the interactions,
 * or the interactions themselves. A text is asked in the second generation unless another is named: with a push the
 * citizen chooses the code that your page shows ({@link chooseCode}), by a link there is nothing to choose.
 */
export type Shown = string | readonly Interaction[];

/** Identity of the relying party, as registered. */
export interface Credentials {
  /** The relying party's UUID. */
  readonly rpUUID: string;
  /** The name the citizen sees. */
  readonly rpName: string;
  /** The Bearer secret, `rp_sk_…`. */
  readonly apiSecret: string;
}

/** Trust settings of the validator. */
export interface TrustSettings {
  /** Root certificates, PEM; each text may hold several. Required in production. */
  readonly trustAnchorsPem?: string | readonly string[];
  /** Issuing CA certificates, PEM; each text may hold several. */
  readonly intermediatesPem?: string | readonly string[];
  /** Lowest level a certificate must prove; default `QUALIFIED`. */
  readonly requiredLevel?: CertificateLevel;
  /** Arc of the service's own certificate policies, which name the level; default: Tamga's. */
  readonly policyArc?: string;
  /** Tolerated clock skew, ms; default 0. */
  readonly clockSkewMs?: number;
  /** Development only: without trust anchors accept any issuer. Everything else is still checked. */
  readonly allowUntrusted?: boolean;
  /** Source of revocation status for `checkRevocation`; absent: revocation is not checked. */
  readonly revocation?: RevocationChecker;
  /**
   * Revocation policy: `hard-fail` (default): an unknown status counts as revoked; `soft-fail`:
   * only a clear "revoked" does.
   */
  readonly revocationMode?: RevocationMode;
}

/** Address, credentials and trust settings of the client. */
export interface ClientConfig {
  /** Root of the relying-party API, without `/v3`. */
  readonly baseUrl: string;
  /** Credentials of the relying party. */
  readonly credentials: Credentials;
  /** Trust settings. Required in production. */
  readonly trust?: TrustSettings;
  /** Default generation of requests; default `G2`, and `G1` for `displayTextAndPIN` picked by yourself. */
  readonly generation?: Generation;
  /**
   * Second generation: first field of signed texts, as configured at the service; default
   * `smart-id`.
   */
  readonly schemeName?: string;
  /** Second generation: relying party on whose behalf a broker asks; default none. */
  readonly brokeredRpName?: string;
  /** Default certificate level of requests; default `QUALIFIED`. */
  readonly defaultCertificateLevel?: RequestedLevel;
  /** Timeout of one HTTP call other than a poll, ms; default 15000. */
  readonly timeoutMs?: number;
  /** `dispatcher` of `fetch`: an undici agent with the client certificate. */
  readonly dispatcher?: unknown;
  /** Replacement of the global `fetch`. */
  readonly fetchImpl?: typeof fetch;
  /**
   * Called after each HTTP call, secrets left out: for logs, metrics or debugging. Runs in the
   * caller's asynchronous context (`AsyncLocalStorage`); its errors are ignored.
   */
  readonly onCall?: (call: HttpCall) => void;
  /**
   * Called once per endpoint that the service says is deprecated: it works until the next major
   * version. Its errors are ignored.
   */
  readonly onDeprecated?: (notice: DeprecationNotice) => void;
}

/** Verification code to show to the citizen, who compares it with the phone's. */
export interface VerificationCode {
  /** `alphaNumeric4`, in the second generation `alphaNumeric5`. */
  readonly type: string;
  /** Four digits, five in the second generation; a leading zero counts. */
  readonly value: string;
}

/**
 * Person, phone and organization asked, as sent: the validator refuses the answer of anybody else. Store it with the session; contains
 * no secret. Empty of a link for everybody.
 */
export interface Addressee {
  /** `PNOMN-<civil id>`, a civil id or a registration number. */
  readonly id?: string;
  /** Phone. */
  readonly documentNumber?: string;
  /** Organization the citizen acts for, `NTRMN-<register>`; absent: none. */
  readonly onBehalfOf?: string;
}

/** A session started by push to the citizen's phone. */
export interface NotificationSession {
  /** Lower-case UUID. */
  readonly sessionId: string;
  /** The code to show to the citizen. */
  readonly vc: VerificationCode;
  /**
   * Challenge, base64; store it with the browser session, `validateAuth` needs it. Empty for a
   * signature.
   */
  readonly rpChallenge: string;
  /**
   * Second generation only: store it, too: `validateAuth` takes the whole session in the place of
   * the challenge.
   */
  readonly request?: SentRequest;
  /** Person, phone and organization asked: store them, too. */
  readonly addressee?: Addressee;
}

/** A session opened by a link or a QR code. Printing it shows neither its secret nor its token. */
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
  /** Person, phone and organization asked: store them, too. */
  readonly addressee?: Addressee;
  /**
   * Second generation only: receipt of the session's response, ms since 1970; QR links count from
   * it.
   */
  readonly receivedAt?: number;
}

/** Person as described by the service; not covered by the signature. */
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
  /** Name as registered. */
  readonly orgName: string;
  /** Title, free text. */
  readonly role: string | null;
  /** `ADMIN` or `MANAGER`. */
  readonly rightType: string | null;
}

/** Document of a batch: 2 to 20 are signed with one PIN, each with a signature of its own. */
export interface BatchDocument {
  /** Raw digest, base64, its length that of `hashType`; each at most once in a batch. */
  readonly digest: string;
  /** Hash of the digest; default `SHA256`. */
  readonly hashType?: HashType;
  /** Text shown for this document: at most 60 characters. */
  readonly displayText60: string;
  /** File name shown: at most 120 characters, no path. */
  readonly fileName?: string;
}

/** Signature of one document of a batch, as received. */
export interface BatchSignature {
  /** Digest that was sent. */
  readonly digest: string;
  /** Base64, for ECDSA of a DER sequence. */
  readonly signatureValueB64: string;
  /** Algorithm, for example `ecdsa-with-SHA384`. */
  readonly signatureAlgorithm: string;
}

/** Step of a running session on its way to the citizen. */
export type SessionProgress = 'DELIVERED' | 'OPENED' | 'PIN_ENTRY';

/** A polled session, flattened. Untrusted until {@link ResponseValidator} has checked it. */
export interface SessionResult {
  /** RUNNING: the citizen has not answered yet. */
  readonly state: 'RUNNING' | 'COMPLETE';
  /** `OK`, or the reason of failure; null while RUNNING. */
  readonly endResult: EndResult | null;
  /**
   * While RUNNING how far the request came, at least: a phone got its number (`DELIVERED`), opened it (`OPENED`), shows
   * its PIN field (`PIN_ENTRY`); null when nothing is known. A hint for the page that waits.
   */
  readonly progress: SessionProgress | null;
  /** Device that answered; null unless OK. */
  readonly documentNumber: string | null;
  /** The citizen's certificate, DER, base64; null unless OK. */
  readonly certificateDerB64: string | null;
  /** Level claimed by the service; null unless OK. */
  readonly certificateLevel: string | null;
  /** Base64, for ECDSA of a DER sequence; null unless OK. */
  readonly signatureValueB64: string | null;
  /** Algorithm as received, for example `ecdsa-with-SHA256`; null unless OK. */
  readonly signatureAlgorithm: string | null;
  /** Signatures of a batch that ended with OK, in the order of its documents; otherwise empty. */
  readonly signatures: readonly BatchSignature[];
  /** The interaction the citizen saw; null unless OK. */
  readonly interactionTypeUsed: string | null;
  /** Second generation only, else null: `ACSP_V2` or `RAW_DIGEST_SIGNATURE`. */
  readonly signatureProtocol: string | null;
  /** Parameters of RSA-PSS, else null. */
  readonly signatureAlgorithmParameters: SignatureAlgorithmParameters | null;
  /** Second-generation authentication, else null: base64, 18 bytes or more. */
  readonly serverRandom: string | null;
  /** Second-generation authentication, else null: 43 characters base64url. */
  readonly userChallenge: string | null;
  /** Second-generation authentication, else null: a {@link FlowType}, as received. */
  readonly flowType: string | null;
  /** Person of an authentication, else null. */
  readonly person: Person | null;
  /** Organization represented; null when the citizen acts alone. */
  readonly onBehalfOf: OnBehalfOf | null;
  /** Signals of the phone that were asked for; null: none were, or the citizen told none. */
  readonly riskSignals: Partial<RiskSignals> | null;
}
