import { civilIdOf } from '../shared/etsi.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import {
  boolean,
  type Fields,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
  type ValueOf,
  variants,
} from '../shared/eventFields.ts';
import { certificateLevels } from '../shared/certificateLevel.ts';
import { hashAlgorithms, verificationCodeTypes } from '../shared/digest.ts';
import { signalNames, signalsAsked, signalValues } from './riskSignals.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** Generation of the wire protocol of a session (contract §1): flat or nested; its answers match. */
const generations = ['G1', 'G2'] as const;

export type Generation = (typeof generations)[number];

/** A certificate choice asks for the certificate a signature will be made with, and signs nothing. */
export const sessionKinds = ['AUTHENTICATION', 'SIGNATURE', 'CERTIFICATE_CHOICE'] as const;

export type SessionKind = (typeof sessionKinds)[number];

const sessionFlows = ['NOTIFICATION', 'DEVICE_LINK'] as const;

export type SessionFlow = (typeof sessionFlows)[number];

const interaction = variants('type', [
  { type: oneOf(['displayTextAndPIN']), displayText60: text },
  {
    type: oneOf(['confirmationMessage', 'confirmationMessageAndVerificationCodeChoice']),
    displayText200: text,
  },
]);

/** A text shown to the citizen before or together with the PIN prompt (specification, Interaction; contract §2). */
export type Interaction = ValueOf<typeof interaction>;

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

const nestedRequest = {
  signatureAlgorithm: oneOf(requestableAlgorithms),
  /** First field of the signed payload; kept, so that a payload can be built again under another setting. */
  scheme: text,
  /** Authentication: base64, freshly made for this session; part of the signed payload. */
  serverRandom: nullable(text),
  /** Exactly as sent, also when the address was dropped: this is what is signed. */
  initialCallbackUrl: nullable(text),
  /** Of a linked signature: the certificate choice it continues. */
  linkedSessionId: nullable(text),
};

/** Fields of a nested request only (contract §1 G2, §4). */
export type NestedRequest = Fields<typeof nestedRequest>;

/** Form of a device link: scanned from another screen, or opened on the same phone (contract §5). */
export const deviceLinkTypes = ['QR', 'Web2App', 'App2App'] as const;

export type DeviceLinkType = (typeof deviceLinkTypes)[number];

/** Channel by which a session reached the phone, as signed by the phone (contract §3). */
export const flowTypes = ['Notification', ...deviceLinkTypes] as const;

export type FlowType = (typeof flowTypes)[number];

const nestedAnswer = {
  flowType: oneOf(flowTypes),
  /** Authentication: 43 characters base64url, SHA-256 of a verifier only the phone knows. */
  userChallenge: nullable(text),
  /** Of an RSASSA-PSS signature; the mask is made with MGF1 over the same hash (RFC 8017 §8.1). */
  pss: nullable(object({ hashAlgorithm: oneOf(hashAlgorithms), saltLength: number })),
};

/** Fields of the answer to a nested request only (contract §3). */
export type NestedAnswer = Fields<typeof nestedAnswer>;

const onBehalfOf = {
  /** National registration number. */
  register: text,
  name: text,
  rightType: oneOf(['ADMIN', 'MANAGER']),
  role: nullable(text),
};

/** The organization the citizen acts for, and by what right, as they were when the session started. */
export type OnBehalfOf = Fields<typeof onBehalfOf>;

/** Refusals stored in `SessionRefused`. */
const plainRefusals = [
  'USER_REFUSED',
  'USER_REFUSED_INTERACTION',
  'USER_REFUSED_DISPLAYTEXTANDPIN',
  'USER_REFUSED_VC_CHOICE',
  'USER_REFUSED_CONFIRMATIONMESSAGE',
  'USER_REFUSED_CERT_CHOICE',
] as const;

/** End result of "It was not me". It begins as a refusal, so that every client takes it for one. */
export const notMe = 'USER_REFUSED_NOT_ME';

/** End results of a session that the citizen refused (contract §3). */
export const refusalResults = [...plainRefusals, notMe] as const;

export type RefusalResult = (typeof refusalResults)[number];

/** End results of a session without a signature that the citizen did not refuse (contract §3). */
const failureResults = [
  'WRONG_VC',
  'DOCUMENT_UNUSABLE',
  'PROTOCOL_FAILURE',
  'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP',
  // Beyond the contract: Smart-ID's answer to a request that is not the linked signature a phone waits for.
  'EXPECTED_LINKED_SESSION',
  'SERVER_ERROR',
] as const;

export type FailureResult = (typeof failureResults)[number];

/** End result of a session that its relying party took back before the citizen answered. Beyond the contract. */
export const cancelled = 'CANCELLED_BY_RP';

/** All end results of sessions. */
export const endResults = [
  'OK',
  'TIMEOUT',
  cancelled,
  ...refusalResults,
  ...failureResults,
] as const;

export type EndResult = (typeof endResults)[number];

const deviceLink = {
  /** 24 characters `[A-Za-z0-9]`. */
  sessionToken: text,
  /** Standard base64 of 18 random bytes; confidential. */
  sessionSecret: text,
};

export type DeviceLink = Fields<typeof deviceLink>;

export const sessionEvents = defineEvents('session', {
  SessionStarted: event({
    version: 5,
    sameBefore: { openIdLogin: false, documents: null, documentTexts: null, riskSignals: null },
    data: {
      sessionId: text,
      kind: oneOf(sessionKinds),
      flow: oneOf(sessionFlows),
      generation: oneOf(generations),
      relyingPartyId: text,
      /** Exactly as the relying party sent it. */
      relyingPartyName: text,
      /** Its registered name, shown first, when the name sent is neither that nor an alias; null: the name sent is shown. */
      registeredName: nullable(text),
      /** The relying party's subsystem (`rp_app`), when it named one. */
      subsystem: nullable(text),
      /** Null for an anonymous device link: whoever opens it. */
      civilId: nullable(text),
      /** Set when the request named one device; null lets any active device of the citizen answer. */
      documentNumber: nullable(text),
      /** The least level acceptable. */
      certificateLevel: oneOf(certificateLevels),
      /** In the relying party's order of preference. */
      interactions: list(interaction),
      /** Nested: the base64 text exactly as sent, which is what gets hashed and signed. */
      interactionsAsSent: nullable(text),
      /** Authentication: base64 exactly as sent. */
      rpChallenge: nullable(text),
      /** Signature: base64 exactly as sent. */
      digest: nullable(text),
      /** Of the digest; nested authentication: of the payload an RSA key signs; null in a flat authentication. */
      hashType: nullable(oneOf(hashAlgorithms)),
      vcType: oneOf(verificationCodeTypes),
      /** Empty for a certificate choice: there is nothing to compute it from. */
      verificationCode: text,
      /** Return address of the phone; null when none was sent or it was dropped. */
      callbackUrl: nullable(text),
      fileName: nullable(text),
      /** Null: the citizen acts for nobody else. */
      onBehalfOf: nullable(object(onBehalfOf)),
      deviceLink: nullable(object(deviceLink)),
      /** Null for a flat request. */
      nested: nullable(object(nestedRequest)),
      /** ISO 8601, as all times here. */
      startedAt: text,
      /** The citizen may answer before this. */
      answerBefore: text,
      /** The relying party may read before this. */
      readableUntil: text,
      /** True when the OpenID provider asked, for a client: the relying party reads nothing of it, see `isOf`. */
      openIdLogin: boolean,
      /** Of a batch, in the order sent, each digest base64 as sent; null: not a batch, see `documentsOf`. */
      documents: nullable(list(object({ digest: text, hashType: oneOf(hashAlgorithms) }))),
      /** Texts of the documents, in the same order. */
      documentTexts: nullable(list(object({ displayText60: text, fileName: nullable(text) }))),
      /** Signals of the phone that the relying party asks for; null: none. */
      riskSignals: nullable(signalsAsked),
    },
    // The relying party writes texts and file names; they may name the citizen. The link's secret is confidential.
    personal: {
      subject: civilIdOf,
      placeholders: {
        interactions: [],
        interactionsAsSent: null,
        fileName: null,
        deviceLink: null,
        documentTexts: null,
      },
    },
    audit: {
      type: 'SESSION_START',
      civilId: civilIdOf,
      details: ({ kind, flow, registeredName, relyingPartyName }) =>
        registeredName === null ? { kind, flow } : { kind, flow, registeredName, relyingPartyName },
    },
  }),

  /** A phone took a device link: from here on only that device may answer. */
  SessionClaimed: event({
    version: 2,
    data: {
      documentNumber: text,
      civilId: text,
      /** Of the signed link it was opened with, checked; null for a link without a signature. */
      deviceLinkType: nullable(oneOf(deviceLinkTypes)),
      claimedAt: text,
    },
    audit: { type: 'SESSION_CLAIM', civilId: civilIdOf },
  }),

  /** One document of a batch was signed; appended together with the others and the session's `SessionConfirmed`. */
  BatchDocumentSigned: event({
    data: {
      documentNumber: text,
      civilId: text,
      /** From 1, in the order of the request. */
      position: number,
      /** Base64, as sent. */
      digest: text,
      hashType: oneOf(hashAlgorithms),
      displayText60: text,
      fileName: nullable(text),
      /** Base64; an ECDSA value is a DER sequence. Verified before this was written. */
      signature: text,
      signatureAlgorithm: text,
      certificateSerial: text,
      signedAt: text,
    },
    personal: { subject: civilIdOf, placeholders: { displayText60: '', fileName: null } },
    audit: {
      type: 'SESSION_DOCUMENT_SIGN',
      civilId: civilIdOf,
      details: ({ position, digest, certificateSerial }) => ({
        position,
        digest,
        certificateSerial,
      }),
    },
  }),

  /** The citizen agreed that the relying party is told these signals of the phone; the confirmation follows. */
  RiskSignalsTold: event({
    data: {
      documentNumber: text,
      civilId: text,
      relyingPartyId: text,
      names: signalNames,
      /** Null for a forgotten person. */
      signals: nullable(signalValues),
      toldAt: text,
    },
    personal: { subject: civilIdOf, placeholders: { signals: null } },
    audit: {
      type: 'SESSION_RISK_SIGNALS',
      civilId: civilIdOf,
      details: ({ names, relyingPartyId }) => ({ signals: names, relyingPartyId }),
    },
  }),

  SessionConfirmed: event({
    version: 2,
    data: {
      documentNumber: text,
      civilId: text,
      /** Base64; an ECDSA value is a DER sequence. Verified before this was written. Of a batch: that of the first document. */
      signature: text,
      /** For example `ecdsa-with-SHA256`. */
      signatureAlgorithm: text,
      certificateSerial: text,
      certificateLevel: oneOf(certificateLevels),
      interactionTypeUsed: text,
      /** Null when the request was flat. */
      nested: nullable(object(nestedAnswer)),
      completedAt: text,
    },
    audit: {
      type: 'SESSION_CONFIRM',
      civilId: civilIdOf,
      details: ({ certificateSerial }) => ({ certificateSerial }),
    },
  }),

  /** The citizen agreed to sign with this certificate; the outcome of a certificate choice. */
  CertificateChosen: event({
    data: {
      documentNumber: text,
      civilId: text,
      certificateSerial: text,
      certificateLevel: oneOf(certificateLevels),
      completedAt: text,
    },
    audit: {
      type: 'SESSION_CERT_CHOICE',
      civilId: civilIdOf,
      details: ({ certificateSerial }) => ({ certificateSerial }),
    },
  }),

  SessionRefused: event({
    data: {
      documentNumber: text,
      endResult: oneOf(plainRefusals),
      interaction: nullable(text),
      completedAt: text,
    },
    audit: { type: 'SESSION_REFUSE', details: ({ endResult }) => ({ endResult }) },
  }),

  /** Records "It was not me": this relying party asked without the citizen's doing. */
  SessionDisowned: event({
    data: {
      documentNumber: text,
      civilId: text,
      relyingPartyId: text,
      completedAt: text,
    },
    audit: {
      type: 'SESSION_NOT_ME',
      civilId: civilIdOf,
      isDenied: true,
      details: ({ relyingPartyId }) => ({ relyingPartyId }),
    },
  }),

  SessionFailed: event({
    data: {
      documentNumber: nullable(text),
      endResult: oneOf(failureResults),
      completedAt: text,
    },
    audit: { type: 'SESSION_FAIL', details: ({ endResult }) => ({ endResult }) },
  }),

  SessionExpired: event({
    data: {
      completedAt: text,
    },
    audit: { type: 'SESSION_EXPIRE' },
  }),

  /** The relying party took its request back: the citizen can answer no more. */
  SessionCancelled: event({
    data: {
      relyingPartyId: text,
      completedAt: text,
    },
    audit: { type: 'SESSION_CANCEL' },
  }),
});

export type SessionEvent = EventOf<typeof sessionEvents>;

const goingOn = [
  'SessionStarted',
  'SessionClaimed',
  'BatchDocumentSigned',
  'RiskSignalsTold',
] as const satisfies readonly SessionEvent['type'][];

/** Types of events that end a session. */
export type SessionEnd = Exclude<SessionEvent['type'], (typeof goingOn)[number]>;

/** True for the types of events that end a session: no other follows. */
export const isEnding = (type: string): boolean => !goingOn.some((each) => each === type);

export type SessionStarted = EventOf<typeof sessionEvents, 'SessionStarted'>;
export type BatchDocumentSigned = EventOf<typeof sessionEvents, 'BatchDocumentSigned'>;
export type RiskSignalsTold = EventOf<typeof sessionEvents, 'RiskSignalsTold'>;
export type SessionConfirmed = EventOf<typeof sessionEvents, 'SessionConfirmed'>;
export type CertificateChosen = EventOf<typeof sessionEvents, 'CertificateChosen'>;
export type SessionExpired = EventOf<typeof sessionEvents, 'SessionExpired'>;
