import type { DomainEvent } from '../shared/decider.ts';
import type { CertificateLevel } from '../shared/certificateLevel.ts';
import type { HashAlgorithm, VerificationCodeType } from '../shared/digest.ts';
import type { PersonalData } from '../shared/personalData.ts';

// These names and shapes are the storage format of every session ever held. Never edit one in place: add a schema
// version and an upcaster (infrastructure/codec/upcasters.ts) and keep the golden fixture of the old one.

/** Which generation of the wire protocol a session speaks (contract §1): flat or nested; its answers match. */
export const generations = ['G1', 'G2'] as const;

export type Generation = (typeof generations)[number];

/** A certificate choice asks for the certificate a signature will be made with, and signs nothing. */
export const sessionKinds = ['AUTHENTICATION', 'SIGNATURE', 'CERTIFICATE_CHOICE'] as const;

export type SessionKind = (typeof sessionKinds)[number];

export type SessionFlow = 'NOTIFICATION' | 'DEVICE_LINK';

/** A text shown to the citizen before or together with the PIN prompt (specification, Interaction; contract §2). */
export type Interaction =
  | { readonly type: 'displayTextAndPIN'; readonly displayText60: string }
  | {
      readonly type: 'confirmationMessage' | 'confirmationMessageAndVerificationCodeChoice';
      readonly displayText200: string;
    };

export const interactionTypes = [
  'displayTextAndPIN',
  'confirmationMessage',
  'confirmationMessageAndVerificationCodeChoice',
] as const satisfies readonly Interaction['type'][];

/** Signature algorithms a nested request can ask of an RSA key (contract §1); a P-256 key signs ECDSA whatever is asked. */
export const requestableAlgorithms = [
  'rsassa-pss',
  'sha256WithRSAEncryption',
  'sha384WithRSAEncryption',
  'sha512WithRSAEncryption',
] as const;

export type RequestableAlgorithm = (typeof requestableAlgorithms)[number];

/** What only a nested request has (contract §1 G2, §4). */
export interface NestedRequest {
  readonly signatureAlgorithm: RequestableAlgorithm;
  /** First field of the signed payload; kept, so that a payload can be built again under another setting. */
  readonly scheme: string;
  /** Authentication: base64, freshly made for this session; part of the signed payload. */
  readonly serverRandom: string | null;
  /** Exactly as sent, also when the address was dropped: this is what is signed. */
  readonly initialCallbackUrl: string | null;
  /** Of a linked signature: the certificate choice it continues. */
  readonly linkedSessionId: string | null;
}

/** How a device link reaches the phone: scanned from another screen, or opened on the same phone (contract §5). */
export const deviceLinkTypes = ['QR', 'Web2App', 'App2App'] as const;

export type DeviceLinkType = (typeof deviceLinkTypes)[number];

/** How a session reached the phone, as the phone signed it (contract §3). */
export const flowTypes = ['Notification', ...deviceLinkTypes] as const;

export type FlowType = (typeof flowTypes)[number];

/** What only the answer to a nested request has (contract §3). */
export interface NestedAnswer {
  readonly flowType: FlowType;
  /** Authentication: 43 characters base64url, SHA-256 of a verifier only the phone knows. */
  readonly userChallenge: string | null;
  /** Of an RSASSA-PSS signature; the mask is made with MGF1 over the same hash (RFC 8017 §8.1). */
  readonly pss: { readonly hashAlgorithm: HashAlgorithm; readonly saltLength: number } | null;
}

/** The organization the citizen acts for, and by what right, as they were when the session started. */
export interface OnBehalfOf {
  /** National registration number. */
  readonly register: string;
  readonly name: string;
  readonly rightType: 'ADMIN' | 'MANAGER';
  readonly role: string | null;
}

/** Why a session ended without a signature because the citizen said no (contract §3). */
export const refusalResults = [
  'USER_REFUSED',
  'USER_REFUSED_INTERACTION',
  'USER_REFUSED_DISPLAYTEXTANDPIN',
  'USER_REFUSED_VC_CHOICE',
  'USER_REFUSED_CONFIRMATIONMESSAGE',
  'USER_REFUSED_CERT_CHOICE',
] as const;

export type RefusalResult = (typeof refusalResults)[number];

/** Why a session ended without a signature though the citizen did not refuse (contract §3). */
export const failureResults = [
  'WRONG_VC',
  'DOCUMENT_UNUSABLE',
  'PROTOCOL_FAILURE',
  'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP',
  // Beyond the contract: Smart-ID's answer to a request that is not the linked signature a phone waits for.
  'EXPECTED_LINKED_SESSION',
  'SERVER_ERROR',
] as const;

export type FailureResult = (typeof failureResults)[number];

export type EndResult = 'OK' | 'TIMEOUT' | RefusalResult | FailureResult;

export interface DeviceLink {
  /** 24 characters `[A-Za-z0-9]`. */
  readonly sessionToken: string;
  /** Standard base64 of 18 random bytes; confidential. */
  readonly sessionSecret: string;
}

export type SessionStarted = DomainEvent<
  'SessionStarted',
  {
    readonly sessionId: string;
    readonly kind: SessionKind;
    readonly flow: SessionFlow;
    readonly generation: Generation;
    readonly relyingPartyId: string;
    /** Exactly as the relying party sent it. */
    readonly relyingPartyName: string;
    /** The relying party's subsystem (`rp_app`), when it named one. */
    readonly subsystem: string | null;
    /** Null for an anonymous device link: whoever opens it. */
    readonly civilId: string | null;
    /** Set when the request named one device; null lets any active device of the citizen answer. */
    readonly documentNumber: string | null;
    /** The least level acceptable. */
    readonly certificateLevel: CertificateLevel;
    /** In the relying party's order of preference. */
    readonly interactions: readonly Interaction[];
    /** Nested: the base64 text exactly as sent, which is what gets hashed and signed. */
    readonly interactionsAsSent: string | null;
    /** Authentication: base64 exactly as sent. */
    readonly rpChallenge: string | null;
    /** Signature: base64 exactly as sent. */
    readonly digest: string | null;
    /** Of the digest; nested authentication: of the payload an RSA key signs; null in a flat authentication. */
    readonly hashType: HashAlgorithm | null;
    readonly vcType: VerificationCodeType;
    /** Empty for a certificate choice: there is nothing to compute it from. */
    readonly verificationCode: string;
    /** Where the phone returns to; null when none was sent or it was dropped. */
    readonly callbackUrl: string | null;
    readonly fileName: string | null;
    /** Null: the citizen acts for nobody else. */
    readonly onBehalfOf: OnBehalfOf | null;
    readonly deviceLink: DeviceLink | null;
    /** Null for a flat request. */
    readonly nested: NestedRequest | null;
    /** ISO 8601, as all times here. */
    readonly startedAt: string;
    /** The citizen may answer before this. */
    readonly answerBefore: string;
    /** The relying party may read before this. */
    readonly readableUntil: string;
  }
>;

/** A phone took a device link: from here on only that device may answer. */
export type SessionClaimed = DomainEvent<
  'SessionClaimed',
  {
    readonly documentNumber: string;
    readonly civilId: string;
    /** Of the signed link it was opened with, checked; null for a link without a signature. */
    readonly deviceLinkType: DeviceLinkType | null;
    readonly claimedAt: string;
  }
>;

export type SessionConfirmed = DomainEvent<
  'SessionConfirmed',
  {
    readonly documentNumber: string;
    readonly civilId: string;
    /** Base64; an ECDSA value is a DER sequence. Verified before this was written. */
    readonly signature: string;
    /** For example `ecdsa-with-SHA256`. */
    readonly signatureAlgorithm: string;
    readonly certificateSerial: string;
    readonly certificateLevel: CertificateLevel;
    readonly interactionTypeUsed: string;
    /** Null when the request was flat. */
    readonly nested: NestedAnswer | null;
    readonly completedAt: string;
  }
>;

/** The citizen agreed to sign with this certificate; the outcome of a certificate choice. */
export type CertificateChosen = DomainEvent<
  'CertificateChosen',
  {
    readonly documentNumber: string;
    readonly civilId: string;
    readonly certificateSerial: string;
    readonly certificateLevel: CertificateLevel;
    readonly completedAt: string;
  }
>;

export type SessionRefused = DomainEvent<
  'SessionRefused',
  {
    readonly documentNumber: string;
    readonly endResult: RefusalResult;
    readonly interaction: string | null;
    readonly completedAt: string;
  }
>;

export type SessionFailed = DomainEvent<
  'SessionFailed',
  {
    readonly documentNumber: string | null;
    readonly endResult: FailureResult;
    readonly completedAt: string;
  }
>;

export type SessionExpired = DomainEvent<'SessionExpired', { readonly completedAt: string }>;

export type SessionEvent =
  | SessionStarted
  | SessionClaimed
  | SessionConfirmed
  | CertificateChosen
  | SessionRefused
  | SessionFailed
  | SessionExpired;

/** The relying party writes texts and file names; they may name the citizen. The link's secret is confidential. */
export const sessionPersonalData: PersonalData<SessionEvent> = {
  SessionStarted: {
    subject: (data) => data.civilId,
    placeholders: { interactions: [], interactionsAsSent: null, fileName: null, deviceLink: null },
  },
};
