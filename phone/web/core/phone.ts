import { base64, base64url, fromBase64 } from '../../bytes.ts';
import { codeOfHash, disownLayout, enrolmentProofLayout } from '../../layouts.ts';
import { type CitizenCard, verifyByCitizenCard } from '../../identityVerification.ts';
import { createService, ServiceError, type ServiceRequest } from '../../service.ts';
import {
  confirmationOf,
  contentOf,
  type PhoneReason,
  type PhoneRequest,
  type PinName,
  requestOf,
  type SessionDetails,
} from '../../session.ts';
import { createSessionCalls, type Notice } from '../../sessionCalls.ts';
import { lockedPinsOf, newKeyPair, newPepper, publicKeyOf, unlock, wrapUnder } from './pinKeys.ts';
import { deviceProof, sha256, signPayload, signSession } from './signing.ts';
import { withStateLock, type PhoneState, type Store } from './store.ts';
import { nameInCertificate } from './subject.ts';

export interface EnrolOptions {
  readonly card: CitizenCard;
  readonly pin1: string;
  readonly pin2: string;
}

/** Owner of the phone. */
export interface PhoneIdentity {
  readonly documentNumber: string;
  readonly etsi: string;
  readonly name: string;
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

/**
 * A citizen's phone: keys in this browser, everything else by the device API. All methods: @throws
 * ServiceError
 */
export interface Phone {
  /** Null before enrolment. Completes an interrupted enrolment. */
  identity(): Promise<PhoneIdentity | null>;
  enrol(options: EnrolOptions): Promise<PhoneIdentity>;
  notices(): Promise<readonly Notice[]>;
  /** Stops the phone a notice tells of, with PIN1. @throws PinError */
  disown(notice: Notice, pin1: string): Promise<void>;
  /** Waits for sessions not yet `seen`; empty at the deadline. */
  inbox(options: {
    readonly timeoutMs: number;
    readonly seen: readonly string[];
    readonly signal: AbortSignal;
  }): Promise<readonly string[]>;
  /** Reads a session by its id or a link of any form. Claims a device link. @throws LinkError */
  open(linkOrId: string): Promise<PhoneRequest>;
  /** Signs with the PIN's key. @returns the session's end result @throws PinError */
  confirm(request: PhoneRequest, pin: string): Promise<string>;
  /** Answers a certificate choice with this phone's signing certificate. @returns the session's end result */
  giveCertificate(request: PhoneRequest): Promise<string>;
  /** @returns the session's end result */
  refuse(request: PhoneRequest, reason: PhoneReason): Promise<string>;
  status(): Promise<DeviceStatus>;
  /** PINs that were entered wrongly too often, as this phone counted. */
  lockedPins(): Promise<readonly PinName[]>;
  /** Says that a PIN is locked for good, so that operators see it. */
  reportLocked(pin: PinName): Promise<void>;
  /** Deactivates the phone permanently, here and at the service. */
  remove(): Promise<void>;
}

/** Timeout of an enrolment, ms: it issues two certificates and waits for a projection. */
const ENROLMENT_TIMEOUT = 30_000;

export function createPhone(store: Store, baseUrl = location.origin): Phone {
  const service = createService({ baseUrl });

  async function call<Answer>(request: ServiceRequest): Promise<Answer> {
    const { transport, documentNumber } = await enrolledState(store);
    return service.call({
      ...request,
      prove: (made) => deviceProof(transport, documentNumber, made),
    });
  }

  const sessions = createSessionCalls({ call, codeOf });

  async function startEnrolment({ card, pin1, pin2 }: EnrolOptions): Promise<PhoneIdentity> {
    const verified = await verifyByCitizenCard(service, card);
    const tokenHash = await sha256(verified.enrolmentToken);
    const proven = async (name: string, pair: CryptoKeyPair) => {
      const publicKey = await publicKeyOf(pair);
      const payload = enrolmentProofLayout(tokenHash, name, publicKey);
      const proof = base64(await signPayload(pair.privateKey, payload));
      return { publicKey: base64(publicKey), proof };
    };
    const pepper = await newPepper();
    const authentication = await newKeyPair(true);
    const signing = await newKeyPair(true);
    const transport = await newKeyPair(false);
    const enrolment = {
      enrolmentToken: verified.enrolmentToken,
      platform: 'SIM',
      keys: {
        authentication: await proven('authentication', authentication),
        signing: await proven('signing', signing),
        transport: await proven('transport', transport),
      },
    };
    // Written before it is sent: after a crash the identical enrolment is repeated, and finds the
    // same device.
    return finishEnrolment({
      etsi: verified.etsi,
      name: '',
      keys: {
        PIN1: await wrapUnder(pin1, authentication, pepper),
        PIN2: await wrapUnder(pin2, signing, pepper),
      },
      transport: transport.privateKey,
      pepper,
      enrolment,
      documentNumber: null,
    });
  }

  async function finishEnrolment(state: PhoneState): Promise<PhoneIdentity> {
    await store.save(state);
    const { documentNumber, certificates } = await service.call<DeviceStatus>({
      method: 'POST',
      path: '/v3/device/enrolments',
      body: state.enrolment ?? {},
      timeoutMs: ENROLMENT_TIMEOUT,
    });
    const name = nameInCertificate(certificates[0]?.value ?? '');
    await withStateLock(async () => {
      // Another tab may have completed it and counted wrong PINs since.
      const current = await store.load();
      if (current?.documentNumber !== null) return;
      await store.save({ ...current, name, enrolment: null, documentNumber });
    });
    return { documentNumber, etsi: state.etsi, name };
  }

  async function identity(): Promise<PhoneIdentity | null> {
    const state = await store.load();
    if (state === null) return null;
    const { documentNumber, etsi, name } = state;
    if (documentNumber !== null) return { documentNumber, etsi, name };
    try {
      return await finishEnrolment(state);
    } catch (error) {
      // The token expired unused: the enrolment starts again.
      if (!(error instanceof ServiceError) || error.code !== 'ENROLMENT_TOKEN_INVALID') throw error;
      await store.clear();
      return null;
    }
  }

  return {
    identity,
    enrol: async (wanted) => (await identity()) ?? startEnrolment(wanted),
    inbox: sessions.inbox,
    notices: sessions.notices,
    reportLocked: sessions.reportLocked,
    lockedPins: async () => {
      const state = await store.load();
      return state === null ? [] : lockedPinsOf(state);
    },
    disown: async ({ noticeId, device }, pin1) => {
      const { documentNumber } = await enrolledState(store);
      const payload = disownLayout(noticeId, documentNumber, device?.documentNumber ?? '');
      const signature = await unlock(store, { name: 'PIN1', pin: pin1 }, async (unlocked) =>
        signPayload(await unlocked.key(), payload),
      );
      await sessions.disown(noticeId, base64(signature));
    },
    open: async (linkOrId) => {
      const { details, code } = await sessions.open(linkOrId);
      const userChallengeVerifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
      return requestOf(details, { verificationCode: code, userChallengeVerifier });
    },
    confirm: async (request, pin) => {
      const { keys } = await enrolledState(store);
      const name = request.pin ?? 'PIN2';
      const { verificationCode } = request;
      const userChallenge = base64url(await sha256(request.userChallengeVerifier));
      const signed = await unlock(store, { name, pin }, (unlocked) =>
        signSession(unlocked, keys.PIN1.publicKey, { ...request, userChallenge }),
      );
      const answer = { verificationCode, userChallenge, signature: base64(signed) };
      return sessions.end(request.sessionId, 'confirm', confirmationOf(request, answer));
    },
    giveCertificate: ({ sessionId }) => sessions.end(sessionId, 'certificate', {}),
    refuse: ({ sessionId, interaction }, reason) =>
      sessions.end(sessionId, 'refuse', { reason, interaction: interaction?.type ?? null }),
    status: () => call<DeviceStatus>({ method: 'GET', path: '/v3/device' }),
    remove: async () => {
      await call({ method: 'POST', path: '/v3/device/deactivate' });
      await store.clear();
    },
  };
}

async function enrolledState(store: Store) {
  const state = await store.load();
  const documentNumber = state?.documentNumber ?? null;
  if (state === null || documentNumber === null) throw new Error('The phone is not enrolled.');
  return { ...state, documentNumber };
}

/** Verification code, computed from the data to be signed. */
async function codeOf(details: SessionDetails): Promise<string> {
  if (details.kind === 'CERTIFICATE_CHOICE') return '';
  return codeOfHash(await sha256(fromBase64(contentOf(details))), details.vcType);
}
