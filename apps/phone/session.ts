import { type Bytes, fromBase64, lengthPrefixed } from './bytes.ts';
import { returnAddress, type SessionKind } from './deviceLink.ts';
import {
  type Interaction,
  pickInteraction,
  printable,
  type ShownInteraction,
  supportedInteractions,
} from './interactions.ts';
import type { RiskSignals, SignalsAsked } from './riskSignals.ts';

// Session as seen by any phone, terminal or browser.

export type PinName = 'PIN1' | 'PIN2';

/** Channel by which the session reached this phone; signed in a nested authentication. */
export type FlowType = 'Notification' | 'QR' | 'App2App' | 'Web2App';

/**
 * Details of a nested (second-generation) session; texts exactly as the relying party sent them.
 */
export interface NestedDetails {
  readonly signatureAlgorithm: string;
  readonly scheme: string;
  /** Base64. */
  readonly serverRandom: string | null;
  /** Base64. */
  readonly interactionsAsSent: string | null;
  readonly initialCallbackUrl: string | null;
}

/** A request that has ended, as the service remembers it. */
export interface PastRequest {
  readonly sessionId: string;
  readonly kind: SessionKind;
  readonly relyingPartyName: string;
  /** Empty: none. */
  readonly text: string;
  readonly fileName: string | null;
  /** Organization represented; null: none. */
  readonly onBehalfOf: string | null;
  readonly endResult: string;
  /** Empty: none. */
  readonly verificationCode: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A document of a batch: shown with the others, signed by itself. */
export interface BatchDocument {
  /** Base64. */
  readonly digest: string;
  readonly hashType: string;
  readonly displayText60: string;
  readonly fileName: string | null;
  /** Active content, see {@link PhoneRequest}. */
  readonly documentWarnings: readonly string[];
}

/** A session as shown by this phone. */
export interface PhoneRequest {
  readonly sessionId: string;
  readonly kind: SessionKind;
  readonly relyingPartyName: string;
  /** Registered name, shown first when the relying party sent another; null: the name sent is its own. */
  readonly registeredName: string | null;
  readonly subsystem: string | null;
  readonly fileName: string | null;
  /** Active content of the document, by the service's names; the citizen is told of each. */
  readonly documentWarnings: readonly string[];
  /** Organization the citizen acts for; null: none. */
  readonly onBehalfOf: {
    readonly orgEtsi: string;
    readonly orgName: string;
    readonly role: string | null;
    readonly rightType: 'ADMIN' | 'MANAGER';
  } | null;
  readonly interactions: readonly Interaction[];
  /** Interaction shown; null when none is supported. */
  readonly interaction: ShownInteraction | null;
  readonly rpChallenge: string | null;
  readonly digest: string | null;
  readonly hashType: string | null;
  /** Of a batch, whose `digest` and `hashType` are null: all are shown before the PIN. Absent otherwise. */
  readonly documents?: readonly BatchDocument[];
  /** Null: the session is flat (first-generation). */
  readonly nested: NestedDetails | null;
  readonly flowType: FlowType;
  /**
   * Generated here; appended to the callback URL of a same-device flow after a nested
   * authentication.
   */
  readonly userChallengeVerifier: string;
  /** Callback URL of a same-device flow; see {@link returnTo}. */
  readonly callbackUrl: string | null;
  /** Base64url; null for a push. */
  readonly sessionSecretDigest: string | null;
  /** The phone that was asked, this one; null: any phone of the citizen may answer. Absent: an older service. */
  readonly documentNumber?: string | null;
  /** Signals that are told with the citizen's consent; null: none. Absent: an older service. */
  readonly riskSignals?: SignalsAsked | null;
  readonly answerBefore: string;
  /** Computed here from the data to be signed; empty for a certificate choice. */
  readonly verificationCode: string;
  /** PIN to confirm with; null for a certificate choice. */
  readonly pin: PinName | null;
}

/** Reasons for which a phone can end a session. */
export type PhoneReason =
  | 'USER_REFUSED'
  | 'USER_REFUSED_INTERACTION'
  | 'USER_REFUSED_DISPLAYTEXTANDPIN'
  | 'USER_REFUSED_VC_CHOICE'
  | 'USER_REFUSED_CONFIRMATIONMESSAGE'
  | 'USER_REFUSED_CERT_CHOICE'
  | 'USER_REFUSED_NOT_ME'
  | 'WRONG_VC'
  | 'DOCUMENT_UNUSABLE'
  | 'PROTOCOL_FAILURE'
  | 'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP'
  | 'EXPECTED_LINKED_SESSION';

/** Session details as sent by the service. */
export type SessionDetails = Omit<
  PhoneRequest,
  'interaction' | 'flowType' | 'userChallengeVerifier' | 'verificationCode' | 'pin'
> & {
  readonly flow: 'NOTIFICATION' | 'DEVICE_LINK';
  /** Type of the signed link it was opened with. */
  readonly deviceLinkType: FlowType | null;
  /** Format of the verification code. */
  readonly vcType: string;
};

/** File name in the history; of a batch those of its documents, or their texts. Null: none. */
export function fileNameOf({
  documents,
  fileName,
}: Pick<PhoneRequest, 'documents' | 'fileName'>): string | null {
  return documents?.map((each) => each.fileName ?? each.displayText60).join(', ') ?? fileName;
}

/** PIN that confirms a session, by its kind. */
const pins: Readonly<Record<SessionKind, PinName | null>> = {
  AUTHENTICATION: 'PIN1',
  SIGNATURE: 'PIN2',
  CERTIFICATE_CHOICE: null,
};

/** Contribution of the phone to a session it opens. */
export interface OpenedWith {
  readonly verificationCode: string;
  readonly userChallengeVerifier: string;
  /** Supported types of interaction; default all. */
  readonly canShow?: readonly string[] | undefined;
  /**
   * Flow type of an unsigned device link; default `Web2App` when it has a callback URL, else `QR`.
   */
  readonly flowType?: FlowType | undefined;
}

/** Displayed name of the relying party: the registered one, followed by the sent one when it differs. */
export function askedBy({
  relyingPartyName,
  registeredName,
}: Pick<PhoneRequest, 'relyingPartyName' | 'registeredName'>): string {
  const sent = printable(relyingPartyName);
  return registeredName === null ? sent : `${printable(registeredName)} («${sent}»)`;
}

/** Combines session details and the phone's contribution. */
export function requestOf(details: SessionDetails, opened: OpenedWith): PhoneRequest {
  const { verificationCode, userChallengeVerifier } = opened;
  const { flow, deviceLinkType, ...sent } = details;
  const unsigned = opened.flowType ?? (sent.callbackUrl === null ? 'QR' : 'Web2App');
  return {
    ...sent,
    interaction: pickInteraction(details.interactions, opened.canShow ?? supportedInteractions),
    flowType: flow === 'NOTIFICATION' ? 'Notification' : (deviceLinkType ?? unsigned),
    userChallengeVerifier,
    verificationCode,
    pin: pins[details.kind],
  };
}

/** Data to be signed, each part by itself: a challenge, a digest, or the digests of a batch. */
export function contentsOf({
  rpChallenge,
  digest,
  documents,
}: Pick<PhoneRequest, 'rpChallenge' | 'digest' | 'documents'>): readonly Bytes[] {
  if (documents !== undefined) return documents.map((document) => fromBase64(document.digest));
  return [fromBase64(rpChallenge ?? digest ?? '')];
}

/** Source of the verification code: the one content, or those of a batch, each behind its length. */
export function codeContentOf(request: Parameters<typeof contentsOf>[0]): Bytes {
  const contents = contentsOf(request);
  const [only = fromBase64('')] = contents;
  return request.documents === undefined ? only : lengthPrefixed(...contents);
}

/** Callback URL after the answer, with the proof that this phone gave it; null: none. */
export function returnTo(request: PhoneRequest): string | null {
  const { callbackUrl, sessionSecretDigest, flowType, kind } = request;
  if (callbackUrl === null || flowType === 'QR') return null;
  const isNested = kind === 'AUTHENTICATION' && request.nested !== null;
  const userChallengeVerifier = isNested ? request.userChallengeVerifier : null;
  return returnAddress(callbackUrl, { sessionSecretDigest, userChallengeVerifier });
}

/** Body that confirms a session. @param answer all base64 or base64url */
export function confirmationOf(
  { interaction, nested, flowType, kind, documents }: PhoneRequest,
  answer: {
    /** Verification code compared by the citizen. */
    readonly verificationCode: string;
    /** One for each content, see {@link contentsOf}. */
    readonly signatures: readonly string[];
    readonly userChallenge: string;
    /** Null: none are told. */
    readonly riskSignals: Partial<RiskSignals> | null;
  },
): object {
  const { verificationCode, signatures, userChallenge, riskSignals } = answer;
  const [signature] = signatures;
  return {
    verificationCode,
    ...(documents === undefined ? { signature } : { signatures }),
    interactionTypeUsed: interaction?.type ?? '',
    ...(riskSignals === null ? {} : { riskSignals }),
    ...(nested === null ? {} : { flowType }),
    ...(nested === null || kind === 'SIGNATURE' ? {} : { userChallenge }),
  };
}
