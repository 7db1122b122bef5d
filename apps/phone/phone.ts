import { base64 } from './bytes.ts';
import {
  deviceProof,
  type KeyPair,
  type KeyType,
  newKeyPair,
  publicKeyOf,
  sha256,
  signPayload,
  verificationCode,
} from './crypto.ts';
import {
  type CitizenCard,
  type VerifiedIdentity,
  verifyByCitizenCard,
} from './identityVerification.ts';
import { type Call, disownLayout, enrolmentProofLayout } from './layouts.ts';
import type { PhoneState, PhoneStore } from './phoneState.ts';
import {
  changePin,
  lockedPinsOf,
  type RestingPin,
  restingPinsOf,
  type TypedPin,
  unlock,
  wrapUnder,
} from './pinKeys.ts';
import { type RiskSignals, signalsToSend, simulatedSignals } from './riskSignals.ts';
import {
  createService,
  ServiceError,
  type ServiceOptions,
  type ServiceRequest,
} from './service.ts';
import {
  confirmationOf,
  codeContentOf,
  type FlowType,
  type PastRequest,
  type PhoneReason,
  type PhoneRequest,
  type PinName,
  requestOf,
  type SessionDetails,
} from './session.ts';
import { createSessionCalls, type Notice } from './sessionCalls.ts';
import {
  newUserChallengeVerifier,
  sign,
  signSession,
  type Unlocked,
  userChallengeOf,
} from './signing.ts';
import { nameInCertificate } from './subject.ts';

export interface PhoneOptions extends ServiceOptions {
  readonly store: PhoneStore;
  /** Type of the PIN1 and PIN2 keys; default `P-256`. */
  readonly keyType?: KeyType;
  /** Makes the PIN1 and PIN2 keys, extractable; default {@link newKeyPair}. */
  readonly newKeys?: (keyType: KeyType) => Promise<KeyPair>;
  /** Supported types of interaction; default all. */
  readonly interactions?: readonly string[];
  /** Signals that this phone tells of itself when they are asked for; default {@link simulatedSignals}. */
  readonly riskSignals?: RiskSignals;
}

export interface EnrolOptions {
  /** Identity card for the verification, or the result of another verification. */
  readonly card: CitizenCard | VerifiedIdentity;
  readonly pin1: string;
  readonly pin2: string;
  /** Default `QUALIFIED`. */
  readonly certificateLevel?: 'ADVANCED' | 'QUALIFIED';
}

/** Owner of the phone. */
export interface PhoneIdentity {
  readonly documentNumber: string;
  readonly etsi: string;
  /** Name in the certificate. */
  readonly name: string;
  /** `YYYY-MM-DD`; absent: not known. */
  readonly birthDate?: string;
}

/** State of the device at the service. */
export interface DeviceStatus {
  readonly documentNumber: string;
  readonly etsi: string;
  readonly active: boolean;
  readonly certificates: readonly {
    readonly type: string;
    readonly serialNumber: string;
    readonly certificateLevel: string;
    readonly status: string;
    readonly notBefore: string;
    readonly notAfter: string;
    readonly value: string | null;
  }[];
}

/** A phone of the owner. */
export interface OwnPhone {
  readonly documentNumber: string;
  readonly platform: string;
  /** ISO 8601; null: not known. */
  readonly enrolledAt: string | null;
  readonly isThis: boolean;
}

/**
 * A citizen's phone, as an HTTP client of the device API; its keys are in its store. All methods:
 * @throws ServiceError
 */
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
    readonly onEnded?: (sessionIds: readonly string[]) => void;
  }): Promise<readonly string[]>;
  /**
   * Reads a session by its id or a link of any form. Claims a device link.
   *
   * @param flowType of an unsigned device link; default `Web2App` when it has a callback URL, else
   * `QR`
   * @throws LinkError when the text is not a link, or the session differs from the link
   */
  open(linkOrId: string, flowType?: FlowType): Promise<PhoneRequest>;
  /** Says that the PIN field of a session is shown, once; a failure changes nothing and is not told. */
  showsPin(sessionId: string): void;
  /**
   * Signs with the PIN's key, and tells the signals that the relying party requires.
   *
   * @param tells true when the citizen agreed to tell those it only asks for; default false
   * @returns the session's end result
   * @throws PinError
   */
  confirm(request: PhoneRequest, pin: string, tells?: boolean): Promise<string>;
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
  /** PINs that are locked for good, as this phone counted. */
  lockedPins(): Promise<readonly PinName[]>;
  /** PINs that are locked for a time. */
  restingPins(): Promise<readonly RestingPin[]>;
  /** Tries a PIN, which counts as any other attempt. @throws PinError */
  checkPin(typed: TypedPin): Promise<void>;
  /** Replaces a PIN. @throws PinError when the former one is wrong */
  changePin(former: TypedPin, pin: string): Promise<void>;
  /** Says that a PIN is locked for good, so that operators see it. */
  reportLocked(pin: PinName): Promise<void>;
  status(): Promise<DeviceStatus>;
  /** Phones of the owner that can be used, the newest first. */
  phones(): Promise<readonly OwnPhone[]>;
  /** Requests that have ended, on all phones of the owner, the latest first. */
  history(): Promise<readonly PastRequest[]>;
  /** Deactivates the phone permanently at the service. */
  deactivate(): Promise<void>;
}

/** Timeout of an enrolment, ms: it issues two certificates and waits for a projection. */
const ENROLMENT_TIMEOUT = 30_000;

export function createPhone(options: PhoneOptions): Phone {
  const { store, keyType = 'P-256', riskSignals = simulatedSignals } = options;
  const { newKeys = (type: KeyType) => newKeyPair(type, true) } = options;
  const service = createService(options);
  /** Milliseconds since 1970, by which locked PINs rest. */
  const now = () => (options.now?.() ?? new Date()).getTime();

  async function enrolledState(): Promise<PhoneState & { readonly documentNumber: string }> {
    const state = await store.load();
    const documentNumber = state?.documentNumber ?? null;
    if (state === null || documentNumber === null) throw new Error('The phone is not enrolled.');
    return { ...state, documentNumber };
  }

  async function call<Answer>(request: ServiceRequest): Promise<Answer> {
    const { documentNumber, transport } = await enrolledState();
    const prove = (made: Call) => deviceProof(transport, documentNumber, made);
    return service.call({ ...request, prove });
  }

  const sessions = createSessionCalls({ call, codeOf });

  async function startEnrolment(wanted: EnrolOptions): Promise<PhoneIdentity> {
    const { card, pin1, pin2, certificateLevel = 'QUALIFIED' } = wanted;
    const verified = 'enrolmentToken' in card ? card : await verifyByCitizenCard(service, card);
    const { enrolmentToken, etsi } = verified;
    const tokenHash = await sha256(enrolmentToken);
    const proven = async (name: string, pair: KeyPair) => {
      const publicKey = await publicKeyOf(pair);
      const payload = enrolmentProofLayout(tokenHash, name, publicKey);
      const proof = base64(await signPayload(pair.privateKey, payload));
      return { publicKey: base64(publicKey), proof };
    };
    const authentication = await newKeys(keyType);
    const signing = await newKeys(keyType);
    const transport = await newKeyPair('P-256', store.isText);
    const enrolment = {
      enrolmentToken,
      platform: 'SIM',
      certificateLevel,
      keys: {
        authentication: await proven('authentication', authentication),
        signing: await proven('signing', signing),
        transport: await proven('transport', transport),
      },
    };
    const { pinHash } = store;
    const pepper = await pinHash.newPepper();
    // Written before it is sent: after a crash the identical enrolment is repeated, and finds the
    // same device.
    const state: PhoneState = {
      etsi,
      name: '',
      ...('birthDate' in card ? { birthDate: card.birthDate } : {}),
      keyType,
      keys: {
        PIN1: await wrapUnder(pin1, authentication, { pinHash, pepper }),
        PIN2: await wrapUnder(pin2, signing, { pinHash, pepper }),
      },
      transport: transport.privateKey,
      pepper,
      enrolment,
      documentNumber: null,
    };
    await store.save(state);
    return finishEnrolment(state);
  }

  async function finishEnrolment(state: PhoneState): Promise<PhoneIdentity> {
    const { documentNumber, certificates } = await service.call<DeviceStatus>({
      method: 'POST',
      path: '/v3/device/enrolments',
      body: state.enrolment ?? {},
      timeoutMs: ENROLMENT_TIMEOUT,
    });
    const name = nameInCertificate(certificates[0]?.value ?? '');
    await store.alone(async () => {
      // Another page of this phone may have completed it and counted wrong PINs since.
      const current = await store.load();
      if (current?.documentNumber !== null) return;
      await store.save({ ...current, name, enrolment: null, documentNumber });
    });
    return identityOf({ ...state, name }, documentNumber);
  }

  async function identity(): Promise<PhoneIdentity | null> {
    const state = await store.load();
    if (state === null) return null;
    if (state.documentNumber !== null) return identityOf(state, state.documentNumber);
    try {
      return await finishEnrolment(state);
    } catch (error) {
      // The token expired unused: the enrolment starts again.
      if (!(error instanceof ServiceError) || error.code !== 'ENROLMENT_TOKEN_INVALID') throw error;
      const current = await store.load();
      // Completed by another page meanwhile.
      if (current !== null && current.documentNumber !== null) return identity();
      await store.clear();
      return null;
    }
  }

  async function answer(
    request: PhoneRequest,
    pin: string,
    { code = request.verificationCode, tells = false }: { code?: string; tells?: boolean },
  ): Promise<string> {
    const { interaction, pin: name } = request;
    if (name === null) {
      throw new Error('A certificate choice must be answered with giveCertificate().');
    }
    if (interaction === null)
      throw new Error('None of the interactions is supported by this phone.');
    const { keys } = await enrolledState();
    const userChallenge = await userChallengeOf(request.userChallengeVerifier);
    const use = (unlocked: Unlocked) =>
      signSession(unlocked, keys.PIN1.publicKey, { ...request, userChallenge });
    const signatures = await unlock(store, { name, pin }, use, now);
    const body = confirmationOf(request, {
      verificationCode: code,
      signatures: signatures.map(base64),
      userChallenge,
      riskSignals: signalsToSend(request.riskSignals ?? null, riskSignals, tells),
    });
    return sessions.end(request.sessionId, 'confirm', body);
  }

  return {
    identity,
    enrol: async (wanted) => (await identity()) ?? startEnrolment(wanted),
    inbox: ({ timeoutMs = 30_000, seen = [], signal, onEnded } = {}) =>
      sessions.inbox({ timeoutMs, seen, signal, onEnded }),
    notices: sessions.notices,
    reportLocked: sessions.reportLocked,
    lockedPins: async () => {
      const state = await store.load();
      return state === null ? [] : lockedPinsOf(state);
    },
    restingPins: async () => {
      const state = await store.load();
      return state === null ? [] : restingPinsOf(state, now());
    },
    checkPin: (typed) => unlock(store, typed, () => Promise.resolve(), now),
    changePin: (former, pin) => changePin(store, former, pin, now),
    disown: async ({ noticeId, device }, pin1) => {
      const { documentNumber } = await enrolledState();
      const payload = disownLayout(noticeId, documentNumber, device?.documentNumber ?? '');
      const use = (unlocked: Unlocked) => sign(unlocked, { payload });
      const signature = await unlock(store, { name: 'PIN1', pin: pin1 }, use, now);
      await sessions.disown(noticeId, base64(signature));
    },
    open: async (linkOrId, flowType) => {
      const { details, code } = await sessions.open(linkOrId);
      return requestOf(details, {
        verificationCode: code,
        userChallengeVerifier: newUserChallengeVerifier(),
        flowType,
        canShow: options.interactions,
      });
    },
    showsPin: (sessionId) => void sessions.showsPin(sessionId).catch(() => undefined),
    confirm: (request, pin, tells = false) => answer(request, pin, { tells }),
    confirmWithWrongCode: (request, pin) =>
      answer(request, pin, { code: another(request.verificationCode) }),
    giveCertificate: ({ sessionId }) => sessions.end(sessionId, 'certificate', {}),
    refuse: (sessionId, reason, interaction) =>
      sessions.end(sessionId, 'refuse', { reason, interaction }),
    status: () => call({ method: 'GET', path: '/v3/device' }),
    phones: async () => {
      const path = '/v3/device/phones';
      const { phones } = await call<{ readonly phones: readonly OwnPhone[] }>({
        method: 'GET',
        path,
      });
      return phones;
    },
    history: async () => {
      const path = '/v3/device/history';
      const { sessions: past } = await call<{ readonly sessions: readonly PastRequest[] }>({
        method: 'GET',
        path,
      });
      return past;
    },
    deactivate: async () => {
      await call({ method: 'POST', path: '/v3/device/deactivate' });
    },
  };
}

function identityOf({ etsi, name, birthDate }: PhoneState, documentNumber: string): PhoneIdentity {
  return { documentNumber, etsi, name, ...(birthDate === undefined ? {} : { birthDate }) };
}

/** Verification code, computed from the data to be signed. */
async function codeOf(details: SessionDetails): Promise<string> {
  if (details.kind === 'CERTIFICATE_CHOICE') return '';
  return verificationCode(codeContentOf(details), details.vcType);
}

function another(code: string): string {
  return String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');
}
