import {
  deviceProof,
  enrolmentProofPayload,
  importPrivateKey,
  type KeyPair,
  type KeyType,
  newKeyPair,
  signPayload,
  verificationCode,
} from './crypto.ts';
import {
  type CitizenCard,
  type VerifiedIdentity,
  verifyByCitizenCard,
} from './identityVerification.ts';
import { type Call, disownLayout } from './layouts.ts';
import { unlock } from './pinKeys.ts';
import type { PhoneState, PhoneStore, StoredKey } from './phoneStore.ts';
import { sealKey } from './sealedKey.ts';
import {
  createService,
  ServiceError,
  type ServiceOptions,
  type ServiceRequest,
} from './service.ts';
import {
  confirmationOf,
  contentOf,
  type FlowType,
  type PhoneReason,
  type PhoneRequest,
  type PinName,
  requestOf,
  type SessionDetails,
} from './session.ts';
import { createSessionCalls, type Notice } from './sessionCalls.ts';
import { newUserChallengeVerifier, signSession, userChallengeOf } from './signing.ts';

export interface PhoneOptions extends ServiceOptions {
  readonly store: PhoneStore;
  /** Type of the PIN1 and PIN2 keys; default `P-256`. */
  readonly keyType?: KeyType;
  /** Makes the PIN1 and PIN2 keys; default {@link newKeyPair}. */
  readonly newKeys?: (keyType: KeyType) => Promise<KeyPair>;
  /** Supported types of interaction; default all. */
  readonly interactions?: readonly string[];
}

export interface EnrolOptions {
  /** Identity card for the verification, or the result of another verification. */
  readonly card: CitizenCard | VerifiedIdentity;
  readonly pin1: string;
  readonly pin2: string;
  /** Default `QUALIFIED`. */
  readonly certificateLevel?: 'ADVANCED' | 'QUALIFIED';
}

export interface PhoneIdentity {
  readonly documentNumber: string;
  readonly etsi: string;
  readonly keyType: KeyType;
}

/** A citizen's phone, as an HTTP client of the device API. All methods: @throws ServiceError */
export interface Phone {
  /** Owner of the phone; null before enrolment. Completes an interrupted enrolment. */
  identity(): Promise<PhoneIdentity | null>;
  /**
   * Verifies the identity by the card, generates the keys, enrols them. Does nothing when already
   * enrolled.
   */
  enrol(options: EnrolOptions): Promise<PhoneIdentity>;
  /** Waits for sessions not yet `seen`; empty at the deadline. */
  inbox(options?: {
    readonly timeoutMs?: number;
    readonly seen?: readonly string[];
    readonly signal?: AbortSignal;
  }): Promise<readonly string[]>;
  /**
   * Reads a session by its id or a link of any form. Claims a device link.
   *
   * @param flowType of an unsigned device link; default `Web2App` when it has a callback URL, else
   * `QR`
   * @throws LinkError when the text is not a link, or the session differs from the link
   */
  open(linkOrId: string, flowType?: FlowType): Promise<PhoneRequest>;
  /** Signs with the PIN's key. @returns the session's end result @throws PinError */
  confirm(request: PhoneRequest, pin: string): Promise<string>;
  /** Confirms like `confirm`, with a wrong verification code. */
  confirmWithWrongCode(request: PhoneRequest, pin: string): Promise<string>;
  /** Answers a certificate choice with this phone's signing certificate. @returns the session's end result */
  giveCertificate(request: PhoneRequest): Promise<string>;
  /** @param interaction type of the refused interaction; default the first offered */
  refuse(sessionId: string, reason: PhoneReason, interaction?: string): Promise<string>;
  /** Notices to the owner, the newest first. */
  notices(): Promise<readonly Notice[]>;
  /** "It was not me", with PIN1: stops the phone a notice tells of, and the enrolment of others for a time. @throws PinError */
  disown(notice: Notice, pin1: string): Promise<void>;
  /** Says that a PIN is locked for good, so that operators see it. */
  reportLocked(pin: PinName): Promise<void>;
  status(): Promise<unknown>;
  /** Deactivates the phone permanently. */
  deactivate(): Promise<void>;
}

/** Timeout of an enrolment, ms: it issues two certificates and waits for a projection. */
const ENROLMENT_TIMEOUT = 30_000;

export function createPhone(options: PhoneOptions): Phone {
  const { store, keyType = 'P-256', newKeys = newKeyPair } = options;
  const service = createService(options);

  async function enrolledState(): Promise<PhoneState & { readonly documentNumber: string }> {
    const state = await store.load();
    const documentNumber = state?.documentNumber ?? null;
    if (state === null || documentNumber === null) throw new Error('The phone is not enrolled.');
    return { ...state, documentNumber };
  }

  async function call<Answer>(request: ServiceRequest): Promise<Answer> {
    const { documentNumber, transport } = await enrolledState();
    const key = importPrivateKey(Buffer.from(transport.privateKey, 'base64'));
    const prove = (made: Call) => deviceProof(key, documentNumber, made);
    return service.call({ ...request, prove });
  }

  const sessions = createSessionCalls({ call, codeOf });

  async function newStoredKey(pin: string): Promise<StoredKey & { readonly privateKey: Buffer }> {
    const { publicKey, privateKey } = await newKeys(keyType);
    return {
      publicKey: publicKey.toString('base64'),
      sealed: await sealKey(privateKey, pin, store.pinCost),
      wrongPins: 0,
      privateKey,
    };
  }

  async function verifiedBy(proof: EnrolOptions['card']): Promise<VerifiedIdentity> {
    if ('enrolmentToken' in proof) return proof;
    return verifyByCitizenCard(service, proof);
  }

  async function startEnrolment(wanted: EnrolOptions): Promise<PhoneIdentity> {
    const verified = await verifiedBy(wanted.card);
    const pin1 = await newStoredKey(wanted.pin1);
    const pin2 = await newStoredKey(wanted.pin2);
    const transport = await newKeyPair('P-256');
    const token = verified.enrolmentToken;
    const proven = (name: string, publicKey: Buffer, privateKey: Buffer) => ({
      publicKey: publicKey.toString('base64'),
      proof: signPayload(
        importPrivateKey(privateKey),
        enrolmentProofPayload(token, name, publicKey),
      ).toString('base64'),
    });
    const spki = ({ publicKey }: StoredKey) => Buffer.from(publicKey, 'base64');
    const enrolment = {
      enrolmentToken: token,
      platform: 'SIM',
      certificateLevel: wanted.certificateLevel ?? 'QUALIFIED',
      keys: {
        authentication: proven('authentication', spki(pin1), pin1.privateKey),
        signing: proven('signing', spki(pin2), pin2.privateKey),
        transport: proven('transport', transport.publicKey, transport.privateKey),
      },
    };
    // Written before it is sent: after a crash the identical enrolment is repeated, and finds the
    // same device.
    return finishEnrolment({
      etsi: verified.etsi,
      keyType,
      authentication: { publicKey: pin1.publicKey, sealed: pin1.sealed, wrongPins: 0 },
      signing: { publicKey: pin2.publicKey, sealed: pin2.sealed, wrongPins: 0 },
      transport: {
        publicKey: transport.publicKey.toString('base64'),
        privateKey: transport.privateKey.toString('base64'),
      },
      enrolment,
      documentNumber: null,
    });
  }

  async function finishEnrolment(state: PhoneState): Promise<PhoneIdentity> {
    await store.save(state);
    const { documentNumber } = await service.call<{ documentNumber: string }>({
      method: 'POST',
      path: '/v3/device/enrolments',
      body: state.enrolment ?? {},
      timeoutMs: ENROLMENT_TIMEOUT,
    });
    await store.save({ ...state, enrolment: null, documentNumber });
    return { documentNumber, etsi: state.etsi, keyType: state.keyType };
  }

  async function identity(): Promise<PhoneIdentity | null> {
    const state = await store.load();
    if (state === null) return null;
    const { documentNumber, etsi, keyType: type } = state;
    if (documentNumber !== null) return { documentNumber, etsi, keyType: type };
    try {
      return await finishEnrolment(state);
    } catch (error) {
      // The token expired unused: the enrolment starts again.
      if (error instanceof ServiceError && error.code === 'ENROLMENT_TOKEN_INVALID') return null;
      throw error;
    }
  }

  async function answer(request: PhoneRequest, pin: string, code: string): Promise<string> {
    const { interaction, kind, pin: name } = request;
    if (kind === 'CERTIFICATE_CHOICE' || name === null) {
      throw new Error('A certificate choice must be answered with giveCertificate().');
    }
    if (interaction === null)
      throw new Error('None of the interactions is supported by this phone.');
    const state = await enrolledState();
    const key = await unlock(store, state, { name, pin });
    const spki = Buffer.from(state.authentication.publicKey, 'base64');
    const interactionTypeUsed = interaction.type;
    const userChallenge = userChallengeOf(request.userChallengeVerifier);
    const signature = signSession(key, spki, {
      ...request,
      kind,
      interactionTypeUsed,
      userChallenge,
    });
    const body = confirmationOf(request, {
      verificationCode: code,
      signature: signature.toString('base64'),
      userChallenge,
    });
    return sessions.end(request.sessionId, 'confirm', body);
  }

  return {
    identity,
    enrol: async (wanted) => (await identity()) ?? startEnrolment(wanted),
    inbox: ({ timeoutMs = 30_000, seen = [], signal } = {}) =>
      sessions.inbox({ timeoutMs, seen, signal }),
    notices: sessions.notices,
    reportLocked: sessions.reportLocked,
    disown: async ({ noticeId, device }, pin1) => {
      const state = await enrolledState();
      const key = await unlock(store, state, { name: 'PIN1', pin: pin1 });
      const payload = disownLayout(noticeId, state.documentNumber, device?.documentNumber ?? '');
      await sessions.disown(noticeId, signPayload(key, payload).toString('base64'));
    },
    open: async (linkOrId, flowType) => {
      const { details, code } = await sessions.open(linkOrId);
      const userChallengeVerifier = newUserChallengeVerifier();
      return requestOf(details, {
        verificationCode: code,
        userChallengeVerifier,
        flowType,
        canShow: options.interactions,
      });
    },
    confirm: (request, pin) => answer(request, pin, request.verificationCode),
    confirmWithWrongCode: (request, pin) => answer(request, pin, another(request.verificationCode)),
    giveCertificate: ({ sessionId }) => sessions.end(sessionId, 'certificate', {}),
    refuse: (sessionId, reason, interaction) =>
      sessions.end(sessionId, 'refuse', { reason, interaction }),
    status: () => call({ method: 'GET', path: '/v3/device' }),
    deactivate: async () => {
      await call({ method: 'POST', path: '/v3/device/deactivate' });
    },
  };
}

/** Verification code, computed from the data to be signed. */
function codeOf(details: SessionDetails): string {
  if (details.kind === 'CERTIFICATE_CHOICE') return '';
  return verificationCode(Buffer.from(contentOf(details), 'base64'), details.vcType);
}

function another(code: string): string {
  return String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');
}
