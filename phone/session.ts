import { returnAddress, type SessionKind } from './deviceLink.ts';
import {
  type Interaction,
  pickInteraction,
  type ShownInteraction,
  supportedInteractions,
} from './interactions.ts';

// A session as a phone knows it, whatever the phone is made of.

export type PinName = 'PIN1' | 'PIN2';

/** How the session reached this phone; signed in a nested authentication. */
export type FlowType = 'Notification' | 'QR' | 'App2App' | 'Web2App';

/** What the service says about a nested (second-generation) session; texts exactly as the relying party sent them. */
export interface NestedDetails {
  readonly signatureAlgorithm: string;
  readonly scheme: string;
  /** Base64. */
  readonly serverRandom: string | null;
  /** Base64. */
  readonly interactionsAsSent: string | null;
  readonly initialCallbackUrl: string | null;
}

/** A session as this phone shows it. */
export interface PhoneRequest {
  readonly sessionId: string;
  readonly kind: SessionKind;
  readonly relyingPartyName: string;
  readonly subsystem: string | null;
  readonly fileName: string | null;
  /** The organization the citizen acts for; null: nobody else. */
  readonly onBehalfOf: {
    readonly orgEtsi: string;
    readonly orgName: string;
    readonly role: string | null;
    readonly rightType: 'ADMIN' | 'MANAGER';
  } | null;
  readonly interactions: readonly Interaction[];
  /** Of those, the one shown; null when this phone can show none. */
  readonly interaction: ShownInteraction | null;
  readonly rpChallenge: string | null;
  readonly digest: string | null;
  readonly hashType: string | null;
  /** Null: the session is flat (first-generation). */
  readonly nested: NestedDetails | null;
  readonly flowType: FlowType;
  /** Made here; handed to the return address of a same-device flow after a nested authentication. */
  readonly userChallengeVerifier: string;
  /** Where to return to in a same-device flow; see {@link returnTo}. */
  readonly callbackUrl: string | null;
  /** Base64url; null for a push. */
  readonly sessionSecretDigest: string | null;
  readonly answerBefore: string;
  /** Computed here, from what is about to be signed; empty for a certificate choice. */
  readonly verificationCode: string;
  /** Null: a certificate choice is answered without. */
  readonly pin: PinName | null;
}

/** Reasons a phone can end a session for. */
export type PhoneReason =
  | 'USER_REFUSED'
  | 'USER_REFUSED_INTERACTION'
  | 'USER_REFUSED_DISPLAYTEXTANDPIN'
  | 'USER_REFUSED_VC_CHOICE'
  | 'USER_REFUSED_CONFIRMATIONMESSAGE'
  | 'USER_REFUSED_CERT_CHOICE'
  | 'WRONG_VC'
  | 'DOCUMENT_UNUSABLE'
  | 'PROTOCOL_FAILURE'
  | 'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP'
  | 'EXPECTED_LINKED_SESSION';

/** A session as the service tells of it. */
export type SessionDetails = Omit<
  PhoneRequest,
  'interaction' | 'flowType' | 'userChallengeVerifier' | 'verificationCode' | 'pin'
> & {
  readonly flow: 'NOTIFICATION' | 'DEVICE_LINK';
  /** Of the signed link it was opened with. */
  readonly deviceLinkType: FlowType | null;
  /** How many digits the code has. */
  readonly vcType: string;
};

/** The PIN that confirms a session, by its kind. */
const pins: Readonly<Record<SessionKind, PinName | null>> = {
  AUTHENTICATION: 'PIN1',
  SIGNATURE: 'PIN2',
  CERTIFICATE_CHOICE: null,
};

/** What the phone itself brings to a session it opens. */
export interface OpenedWith {
  readonly verificationCode: string;
  readonly userChallengeVerifier: string;
  /** Types of interaction it can show; default all. */
  readonly canShow?: readonly string[] | undefined;
  /** Of an unsigned device link; default `Web2App` when it says where to return to, else `QR`. */
  readonly flowType?: FlowType | undefined;
}

/** What is shown of a session, and answered. */
export function requestOf(details: SessionDetails, opened: OpenedWith): PhoneRequest {
  const { verificationCode, userChallengeVerifier } = opened;
  const { flow, deviceLinkType, ...told } = details;
  const unsigned = opened.flowType ?? (told.callbackUrl === null ? 'QR' : 'Web2App');
  return {
    ...told,
    interaction: pickInteraction(details.interactions, opened.canShow ?? supportedInteractions),
    flowType: flow === 'NOTIFICATION' ? 'Notification' : (deviceLinkType ?? unsigned),
    userChallengeVerifier,
    verificationCode,
    pin: pins[details.kind],
  };
}

/** What the citizen authenticates with or signs, base64; the verification code is made from it. */
export function contentOf({
  rpChallenge,
  digest,
}: Pick<PhoneRequest, 'rpChallenge' | 'digest'>): string {
  return rpChallenge ?? digest ?? '';
}

/** Where the citizen returns to after the answer, with what proves that this phone gave it; null: nowhere. */
export function returnTo(request: PhoneRequest): string | null {
  const { callbackUrl, sessionSecretDigest, flowType, kind } = request;
  if (callbackUrl === null || flowType === 'QR') return null;
  const isNested = kind === 'AUTHENTICATION' && request.nested !== null;
  const userChallengeVerifier = isNested ? request.userChallengeVerifier : null;
  return returnAddress(callbackUrl, { sessionSecretDigest, userChallengeVerifier });
}

/** The body that confirms a session. @param answer all base64 or base64url */
export function confirmationOf(
  { interaction, nested, flowType, kind }: PhoneRequest,
  answer: {
    /** The code the citizen compared. */
    readonly verificationCode: string;
    readonly signature: string;
    readonly userChallenge: string;
  },
): object {
  const { verificationCode, signature, userChallenge } = answer;
  return {
    verificationCode,
    signature,
    interactionTypeUsed: interaction?.type ?? '',
    ...(nested === null ? {} : { flowType }),
    ...(nested === null || kind === 'SIGNATURE' ? {} : { userChallenge }),
  };
}
