import { randomBytes, randomUUID } from 'node:crypto';
import { createRateLimit } from '../../../api/bounds/rateLimit.ts';
import type { Route } from '../../../api/http/route.ts';
import { relyingPartyRoutes } from '../../../api/rp/routes.ts';
import type { CommandContext } from '../../../application/handleCommand.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import type {
  CertificateData,
  DeviceData,
  RelyingPartyData,
} from '../../../application/ports/referenceData.ts';
import { createRelyingParties } from '../../../application/aggregates.ts';
import { createPollSession } from '../../../application/session/pollSession.ts';
import { createSessions } from '../../../application/session/sessions.ts';
import { createPushLimits, type PushLimits } from '../../../application/session/pushLimits.ts';
import { createStartSession } from '../../../application/session/startSession.ts';
import type { Identity } from '../../../domain/citizen/events.ts';
import type { Session } from '../../../domain/session/session.ts';
import { sha256Hex } from '../../../domain/shared/digest.ts';
import { pushSettings } from '../../../infrastructure/config/pushSettings.ts';
import { createSessionTokens } from '../../../infrastructure/codec/sessionTokens.ts';
import { createMemoryAttemptLimits } from '../../../infrastructure/replay/memoryAttemptLimits.ts';
import { memoryOrganizations } from '../doubles/memoryOrganizations.ts';
import { manualClock, memoryAggregateCache, memoryReferenceData } from '../doubles/memoryPorts.ts';
import { systemRandomness } from '../../../infrastructure/system.ts';
import { createNotificationHub } from '../../../infrastructure/postgres/notifications.ts';
import { createMemoryEventStore } from '../doubles/memoryEventStore.ts';

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
    name: 'DEMO',
    callbackHosts: ['rp.example.com'],
    ipAllowlist: [],
    clientCertificates: [],
    permissions: ['AUTH', 'SIGN'],
    firstParty: false,
    requestsPerMinute: null,
    smartIdStatuses: false,
    ...changes,
  };
}

export interface WorldOptions {
  readonly requestsPerMinute?: number;
  readonly soleProcess?: boolean;
  readonly maintenance?: boolean;
  /** True for the default limits of pushes; default: none. */
  readonly limitsPushes?: boolean;
}

/** The relying-party API over in-memory ports, with one citizen and one relying party. */
export function relyingPartyWorld({
  requestsPerMinute = 1e6,
  soleProcess = true,
  maintenance = false,
  limitsPushes = false,
}: WorldOptions = {}) {
  const clock = manualClock();
  const randomness = systemRandomness;
  const sessionTokens = createSessionTokens({ masterKey: randomBytes(32), randomness });
  const eventStore = createMemoryEventStore();
  const notifications = createNotificationHub();
  const referenceData = memoryReferenceData();
  const cache = memoryAggregateCache<Session>();
  const forgetting = new Set<(civilId: string) => void>();
  const sessions = createSessions({ eventStore, clock, randomness, cache, notifications });
  /** The same store seen from another process: its own cache. */
  const elsewhere = createSessions({
    eventStore,
    clock,
    randomness,
    cache: memoryAggregateCache<Session>(),
    notifications,
  });
  const known = memoryOrganizations({ eventStore, clock, randomness });
  const { expectRepresentation, accessLog } = known;
  const relyingParties = createRelyingParties({ eventStore, clock, randomness });
  referenceData.citizens.push({ civilId, identity });
  referenceData.devices.push(device());
  referenceData.certificates.push(certificate('AUTH'), certificate('SIGN'));

  const routes: readonly Route[] = relyingPartyRoutes({
    referenceData,
    startSession: createStartSession({
      pushLimits: limitsPushes ? defaultPushLimits(clock) : { admit: () => Promise.resolve() },
      sessions,
      relyingParties,
      expectRepresentation,
      accessLog,
      referenceData,
      clock,
      randomness,
      sessionTokens,
      answerWindowMs: 150_000,
      readableMs: 600_000,
      scheme: 'smart-id',
    }),
    pollSession: createPollSession({
      sessions,
      notifications,
      referenceData,
      clock,
      expectRepresentation,
      soleProcess,
    }),
    sessions,
    vault: {
      onForgotten: (listener) => {
        forgetting.add(listener);
        return () => forgetting.delete(listener);
      },
    },
    rateLimit: createRateLimit({ name: 'rp', redis: null }),
    clock,
    requestsPerMinute,
    deviceLinkBase: 'https://eid.example/device-link',
    maintenance,
  });

  /** Registers one more relying party; the secret is for the Authorization header. */
  function addRelyingParty(changes: Partial<RelyingPartyData> = {}) {
    const relyingPartyId = randomUUID();
    const secret = `rp_sk_${randomUUID()}`;
    const fact = relyingPartyData(relyingPartyId, changes);
    referenceData.relyingParties.set(relyingPartyId, { ...fact, secretHash: sha256Hex(secret) });
    return { relyingPartyId, secret };
  }

  const owner = { documentNumber, civilId };
  const context: CommandContext = {
    actor: { kind: 'device', id: documentNumber },
    correlationId: 'test',
    causationId: 'test',
    requestId: null,
    ip: null,
  };

  /** The citizen confirms, in this process or another. */
  async function confirm(sessionId: string, where = sessions): Promise<void> {
    const { state } = await where.load(sessionId);
    if (state.status === 'NONE') throw new Error('There is no such session.');
    const { kind, verificationCode } = state.started;
    if (state.started.flow === 'DEVICE_LINK') {
      await where.handle(
        sessionId,
        {
          type: 'ClaimSession',
          by: owner,
          deviceLinkType: null,
          now: clock.now().toISOString(),
        },
        context,
      );
    }
    await where.handle(
      sessionId,
      {
        type: 'ConfirmSession',
        by: owner,
        verificationCode,
        signature: 'c2lnbmF0dXJl',
        signatureAlgorithm: 'ecdsa-with-SHA256',
        certificateSerial: kind === 'AUTHENTICATION' ? '0a' : '0b',
        certificateLevel: 'QUALIFIED',
        interactionTypeUsed: 'displayTextAndPIN',
        nested: null,
        now: clock.now().toISOString(),
      },
      context,
    );
  }

  return {
    clock,
    eventStore,
    /** The person's data is gone from the facts; whoever keeps copies is told. */
    forget: (forgotten: string) => {
      referenceData.citizens.splice(0, referenceData.citizens.length);
      for (const listener of forgetting) listener(forgotten);
    },
    notifications,
    referenceData,
    sessions,
    elsewhere,
    relyingParties,
    /** Organizations and who may act for them. */
    known,
    routes,
    context,
    owner,
    addRelyingParty,
    confirm,
  };
}

function defaultPushLimits(clock: Clock): PushLimits {
  const { SVC_PUSHES_PER_MINUTE, SVC_PUSHES_PER_RELYING_PARTY, ...rules } = Object.fromEntries(
    Object.entries(pushSettings).map(([name, { schema }]) => [
      name,
      Number(schema.parse(undefined)),
    ]),
  ) as Record<keyof typeof pushSettings, number>;
  const aMinute = (attempts: number) =>
    createMemoryAttemptLimits({ attempts, windowMs: 60_000, now: () => clock.now().getTime() });
  return createPushLimits({
    citizen: aMinute(SVC_PUSHES_PER_MINUTE),
    relyingParty: aMinute(SVC_PUSHES_PER_RELYING_PARTY),
    rules: {
      running: rules.SVC_PUSHES_RUNNING,
      backOffMs: rules.SVC_PUSH_BACK_OFF * 1000,
      blockMs: rules.SVC_PUSH_BLOCK_HOURS * 3_600_000,
    },
    unlimited: new Set(),
    records: {
      pushesTo: () => Promise.resolve({ running: [], endings: [] }),
    },
    logged: { endResultOf: () => Promise.resolve(null), disturbance: () => null },
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
