import { randomUUID } from 'node:crypto';
import { createRateLimit } from '../../../api/bounds/admission.ts';
import { relyingPartyRoutes } from '../../../api/rp/routes.ts';
import { initialRelyingPartySettings } from '../../../domain/relyingParty/settings.ts';
import type {
  CertificateData,
  DeviceData,
  RelyingPartyData,
} from '../../../application/ports/referenceData.ts';
import { createPollSession, createSessions } from '../../../application/session/sessions.ts';
import { createPushLimits, type PushLimits } from '../../../application/session/pushLimits.ts';
import type { SessionSteps } from '../../../application/session/sessionSteps.ts';
import { createStartSession } from '../../../application/session/startSession.ts';
import type { Identity } from '../../../domain/citizen/events.ts';
import type { Session } from '../../../domain/session/session.ts';
import { sha256Hex } from '../../../domain/shared/digest.ts';
import { pushSettings } from '../../../infrastructure/config/pushSettings.ts';
import { createMemoryAttemptLimits } from '../../../infrastructure/system.ts';
import { memoryAggregateCache } from '../doubles/memoryPorts.ts';
import { causedBy, givenInMemory, type InMemory } from '../given/inMemory.ts';

export const identity: Identity = {
  givenName: 'Бат',
  surname: 'Дорж',
  familyName: 'Боржигон',
  givenNameLatin: 'Bat',
  surnameLatin: 'Dorj',
  registrationNumber: 'уа90010112',
  birthDate: '1990-01-01',
  gender: 'M',
  geId: 42,
};

export const civilId = '110000000001';
export const documentNumber = '0b9d1c61-6f0f-4c5e-9a36-0d3c7a2f8b11';

export function certificate(
  type: CertificateData['type'],
  changes: Partial<CertificateData> = {},
): CertificateData {
  return {
    serial: type === 'AUTH' ? '0a' : '0b',
    type,
    level: 'QUALIFIED',
    keyType: 'P-256',
    civilId,
    documentNumber,
    status: 'VALID',
    notBefore: '2026-01-01T00:00:00.000Z',
    notAfter: '2028-01-01T00:00:00.000Z',
    publicKey: 'a2V5',
    certificate: Buffer.from(`${type} certificate`).toString('base64'),
    ...changes,
  };
}

export function device(changes: Partial<DeviceData> = {}): DeviceData {
  return {
    documentNumber,
    civilId,
    active: true,
    platform: 'SIM',
    pushToken: null,
    transportKey: 'a2V5',
    authentication: certificate('AUTH'),
    signing: certificate('SIGN'),
    ...changes,
  };
}

/** An active relying party that may authenticate and sign. */
export function relyingPartyData(
  relyingPartyId: string,
  changes: Partial<RelyingPartyData> = {},
): RelyingPartyData {
  return {
    relyingPartyId,
    active: true,
    subsystems: [],
    sealsFor: [],
    aliases: [],
    otherNames: false,
    ...initialRelyingPartySettings,
    name: 'DEMO',
    callbackHosts: ['rp.example.com'],
    permissions: ['AUTH', 'SIGN'],
    ...changes,
  };
}

export interface WorldOptions {
  readonly requestsPerMinute?: number;
  readonly soleProcess?: boolean;
  readonly maintenance?: boolean;
  /** True for the default limits of pushes; default: none. */
  readonly limitsPushes?: boolean;
  /** Between signs of life of streams, ms. */
  readonly heartbeatMs?: number;
  /** Default: only what events say. */
  readonly steps?: SessionSteps;
}

type ApiDependencies = Parameters<typeof relyingPartyRoutes>[0];

/** The use cases of the relying-party API over parts in memory. */
export function relyingPartyApi(
  parts: InMemory,
  {
    requestsPerMinute = 1e6,
    soleProcess = true,
    maintenance = false,
    limitsPushes = false,
    heartbeatMs,
    steps,
  }: WorldOptions = {},
): ApiDependencies {
  return {
    referenceData: parts.referenceData,
    startSession: createStartSession({
      ...parts,
      pushLimits: pushLimitsOf(parts, limitsPushes),
      answerWindowMs: 150_000,
      readableMs: 600_000,
      scheme: 'smart-id',
    }),
    pollSession: createPollSession({ ...parts, soleProcess, ...(steps && { steps }) }),
    sessions: parts.sessions,
    vault: parts.vault,
    rateLimit: createRateLimit({ name: 'rp', redis: null }),
    clock: parts.clock,
    requestsPerMinute,
    deviceLinkBase: 'https://eid.example/device-link',
    maintenance,
    ...(heartbeatMs !== undefined && { heartbeatMs }),
  };
}

/** Registers a relying party; the secret is for the Authorization header. */
export function addRelyingParty(
  { referenceData }: Pick<InMemory, 'referenceData'>,
  changes: Partial<RelyingPartyData> = {},
) {
  const relyingPartyId = randomUUID();
  const secret = `rp_sk_${randomUUID()}`;
  const fact = relyingPartyData(relyingPartyId, changes);
  referenceData.relyingParties.set(relyingPartyId, { ...fact, secretHash: sha256Hex(secret) });
  return { relyingPartyId, secret };
}

/** The relying-party API over in-memory ports, with one citizen and one relying party. */
export function relyingPartyWorld(options: WorldOptions = {}) {
  const processes = ({ stores, notifications }: Pick<InMemory, 'stores' | 'notifications'>) =>
    createSessions({ ...stores, notifications, cache: memoryAggregateCache<Session>() });
  const forgetting = new Set<(civilId: string) => void>();
  const parts = givenInMemory({ sessions: processes });
  const { referenceData, sessions, clock } = parts;
  referenceData.citizens.push({ civilId, identity });
  referenceData.devices.push(device());
  referenceData.certificates.push(certificate('AUTH'), certificate('SIGN'));
  const onForgotten = (listener: (civilId: string) => void) => {
    forgetting.add(listener);
    return () => forgetting.delete(listener);
  };

  const owner = { documentNumber, civilId };
  const context = causedBy('device', documentNumber);
  const now = () => clock.now().toISOString();

  /** The citizen confirms, in this process or another. */
  async function confirm(sessionId: string, where = sessions): Promise<void> {
    const { state } = await where.load(sessionId);
    if (state.status === 'NONE') throw new Error('There is no such session.');
    const { kind, verificationCode, flow } = state.started;
    if (flow === 'DEVICE_LINK') {
      const claim = { type: 'ClaimSession', by: owner, deviceLinkType: null, now: now() } as const;
      await where.handle(sessionId, claim, context);
    }
    await where.handle(
      sessionId,
      {
        type: 'ConfirmSession',
        by: owner,
        verificationCode,
        signature: 'c2lnbmF0dXJl',
        signatureAlgorithm: 'ecdsa-with-SHA256',
        documents: [],
        certificateSerial: kind === 'AUTHENTICATION' ? '0a' : '0b',
        certificateLevel: 'QUALIFIED',
        interactionTypeUsed: 'displayTextAndPIN',
        nested: null,
        now: now(),
      },
      context,
    );
  }

  return Object.assign(parts, {
    /** The person's data is gone from the facts; whoever keeps copies is told. */
    forget: (forgotten: string) => {
      referenceData.citizens.splice(0, referenceData.citizens.length);
      for (const listener of forgetting) listener(forgotten);
    },
    /** The same store seen from another process: its own cache. */
    elsewhere: processes(parts),
    routes: relyingPartyRoutes({ ...relyingPartyApi(parts, options), vault: { onForgotten } }),
    context,
    owner,
    addRelyingParty: (changes?: Partial<RelyingPartyData>) => addRelyingParty(parts, changes),
    confirm,
  });
}

/** The rule itself, with the default limits or such that nobody meets. */
function pushLimitsOf({ clock }: Pick<InMemory, 'clock'>, areDefault: boolean): PushLimits {
  const defaults = Object.fromEntries(
    Object.entries(pushSettings).map(([name, { schema }]) => [
      name,
      Number(schema.parse(undefined)),
    ]),
  ) as Record<keyof typeof pushSettings, number>;
  const aMinute = (attempts: number) =>
    createMemoryAttemptLimits({
      attempts: areDefault ? attempts : 1e6,
      windowMs: 60_000,
      now: () => clock.now().getTime(),
    });
  return createPushLimits({
    citizen: aMinute(defaults.SVC_PUSHES_PER_MINUTE),
    relyingParty: aMinute(defaults.SVC_PUSHES_PER_RELYING_PARTY),
    rules: areDefault
      ? {
          running: defaults.SVC_PUSHES_RUNNING,
          backOffMs: defaults.SVC_PUSH_BACK_OFF * 1000,
          blockMs: defaults.SVC_PUSH_BLOCK_HOURS * 3_600_000,
        }
      : { running: 0, backOffMs: 0, blockMs: 0 },
    unlimited: new Set(),
    records: { pushesTo: () => Promise.resolve({ running: [], endings: [] }) },
    allowedSince: () => Promise.resolve(null),
    logged: {
      endResultOf: () => Promise.resolve(null),
      offeredChoice: () => Promise.resolve(true),
      disturbance: () => null,
    },
    clock,
    onRefused: () => undefined,
  });
}

/** A valid authentication body. */
export function authenticationBody(relyingPartyUUID: string, changes: object = {}) {
  return {
    relyingPartyUUID,
    relyingPartyName: 'DEMO',
    certificateLevel: 'QUALIFIED',
    signatureProtocol: 'ACSP_V2',
    rpChallenge: Buffer.from(randomUUID() + randomUUID())
      .subarray(0, 64)
      .toString('base64'),
    interactions: [{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' }],
    ...changes,
  };
}

/** A valid signature body. */
export function signatureBody(relyingPartyUUID: string, changes: object = {}) {
  return {
    relyingPartyUUID,
    relyingPartyName: 'DEMO',
    signatureProtocol: 'ACSP_V2',
    digest: Buffer.from(randomUUID()).subarray(0, 32).toString('base64'),
    hashType: 'SHA256',
    interactions: [{ type: 'displayTextAndPIN', displayText60: 'Гэрээ' }],
    ...changes,
  };
}
