import { randomBytes, randomUUID } from 'node:crypto';
import { createDeviceGuard } from '../../../api/device/deviceProof.ts';
import { confirmRoute, type ConfirmRouteDependencies } from '../../../api/device/routes.ts';
import { createRateLimit } from '../../../api/bounds/admission.ts';
import { discoveryRoute } from '../../../api/platform/discovery.ts';
import { relyingPartyRoutes } from '../../../api/rp/routes.ts';
import { type SealApi, sealRoutes } from '../../../api/seal/routes.ts';
import { createApiServer } from '../../../api/server.ts';
import { initialRelyingPartySettings } from '../../../domain/relyingParty/settings.ts';
import type { Loaded } from '../../../application/handleCommand.ts';
import type { EventStore, RecordedEvent } from '../../../application/ports/eventStore.ts';
import type {
  CertificateData,
  CitizenData,
  DeviceData,
  ReferenceData,
  RelyingPartyData,
} from '../../../application/ports/referenceData.ts';
import { apiSecretPrefix } from '../../../application/relyingParty/administration.ts';
import { createRelyingParties } from '../../../application/aggregates.ts';
import { createAccessLog } from '../../../application/organization/accessLog.ts';
import { createPollSession, createSessions } from '../../../application/session/sessions.ts';
import { createStartSession } from '../../../application/session/startSession.ts';
import type { Session } from '../../../domain/session/session.ts';
import { sha256, sha256Hex } from '../../../domain/shared/digest.ts';
import { Refusal } from '../../../domain/shared/refusal.ts';
import { streamOf } from '../../../domain/shared/streams.ts';
import { createSessionTokens } from '../../../infrastructure/codec/sessionTokens.ts';
import {
  createAggregateCache,
  systemClock,
  systemRandomness,
} from '../../../infrastructure/system.ts';
import { createMetrics } from '../../../infrastructure/telemetry/metrics.ts';
import { serveChild } from './childServer.ts';
import { sampleData } from './sampleEvent.ts';

// Frequent routes with the production pipeline in front of the event store and stubs behind it:
// appends succeed at once, reference data is constant, signatures are accepted. The rest is the
// cost of HTTP.

/** Ids and secrets the bench needs for its requests. */
export interface PipelineAnswer {
  readonly relyingPartyId: string;
  readonly apiSecret: string;
  readonly civilId: string;
  /** A COMPLETE session. */
  readonly sessionId: string;
}

/** A confirmation that may be repeated for a minute. */
export interface ConfirmAnswer {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const SIGNATURE = randomBytes(70).toString('base64');

const CIVIL_ID = '900000000001';
/** Rate limit above any load. */
const REQUESTS_PER_MINUTE = 1_000_000_000;
const DOCUMENT = randomUUID();
/** The COMPLETE session that is polled and confirmed again. */
const SESSION = randomUUID();
const SESSION_STREAM = streamOf('session', SESSION);

/** Accepts every append and keeps the events of {@link SESSION} alone: memory must not grow with the load. */
function stubEventStore(): EventStore {
  let position = 0n;
  const kept: RecordedEvent[] = [];
  return {
    append: (stream, events, expected) => {
      position += BigInt(events.length);
      const before = typeof expected === 'bigint' ? expected : -1n;
      if (stream === SESSION_STREAM) {
        for (const event of events) {
          kept.push({ ...event, stream, revision: BigInt(kept.length), position });
        }
      }
      return Promise.resolve({ revision: before + BigInt(events.length), position });
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- nothing to wait for in memory
    read: async function* (stream) {
      if (stream === SESSION_STREAM) yield* kept;
    },
    subscribe: () => ({ stop: () => Promise.resolve() }),
    head: () => Promise.resolve(null),
  };
}

function stubReferenceData(relyingParty: RelyingPartyData, secretHash: string): ReferenceData {
  const certificate = (type: CertificateData['type']): CertificateData => ({
    serial: `serial-${type}`,
    type,
    level: 'QUALIFIED',
    keyType: 'P-256',
    civilId: CIVIL_ID,
    documentNumber: DOCUMENT,
    status: 'VALID',
    notBefore: '2020-01-01T00:00:00.000Z',
    notAfter: '2090-01-01T00:00:00.000Z',
    publicKey: randomBytes(91).toString('base64'),
    certificate: randomBytes(900).toString('base64'),
  });
  const device: DeviceData = {
    documentNumber: DOCUMENT,
    civilId: CIVIL_ID,
    active: true,
    platform: 'SIM',
    pushToken: null,
    transportKey: randomBytes(91).toString('base64'),
    authentication: certificate('AUTH'),
    signing: certificate('SIGN'),
  };
  const citizen: CitizenData = {
    civilId: CIVIL_ID,
    identity: {
      registrationNumber: 'уб80000001',
      givenName: 'Бат',
      surname: 'Дорж',
      familyName: 'Боржигон',
      givenNameLatin: 'Bat',
      surnameLatin: 'Dorj',
      birthDate: '1980-01-01',
      gender: 'M',
      geId: null,
    },
  };
  return {
    relyingPartyBySecretHash: (hash) =>
      Promise.resolve(hash === secretHash ? { ...relyingParty, secretHash } : null),
    relyingParty: () => Promise.resolve(relyingParty),
    citizen: () => Promise.resolve(citizen),
    certificate: () => Promise.resolve(device.authentication),
    device: () => Promise.resolve(device),
    activeDevicesOf: () => Promise.resolve([device]),
    organization: () => Promise.resolve(null),
    rightsOf: () => Promise.resolve([]),
  };
}

/** Stands for what the scenarios do not ask for. */
const unused = (): never => {
  throw new Error('No scenario asks for this.');
};

/** Seals digests at once with a constant signature. */
function stubSealing(referenceData: ReferenceData, rateLimit: SealApi['rateLimit']): SealApi {
  const certificate = randomBytes(900).toString('base64');
  return {
    referenceData,
    rateLimit,
    certificateOf: unused,
    requestCertificate: unused,
    subjectOf: unused,
    requestsPerMinute: REQUESTS_PER_MINUTE,
    expectSealsFor: () => Promise.resolve(),
    sealDigest: () =>
      Promise.resolve({
        signature: SIGNATURE,
        certificate,
        level: 'QUALIFIED',
        sealedAt: new Date(),
      }),
  };
}

await serveChild(async () => {
  const apiSecret = `${apiSecretPrefix}${randomBytes(32).toString('base64url')}`;
  const relyingPartyId = randomUUID();
  const relyingParty: RelyingPartyData = {
    relyingPartyId,
    ...initialRelyingPartySettings,
    name: 'Bench',
    permissions: ['AUTH', 'SIGN', 'SEAL'],
    active: true,
    subsystems: [],
    sealsFor: [],
    aliases: [],
    otherNames: false,
  };
  const referenceData = stubReferenceData(relyingParty, sha256Hex(apiSecret));
  const shared = { eventStore: stubEventStore(), clock: systemClock, randomness: systemRandomness };
  const notifications = {
    listen: () => ({ changed: new Promise<void>(() => undefined), cancel: () => undefined }),
    notify: () => undefined,
  };
  const sessions = createSessions({
    ...shared,
    notifications,
    cache: createAggregateCache<Loaded<Session>>(50_000),
  });
  const representation = {
    expectRepresentation: () => Promise.reject(new Refusal('REPRESENTATION_DENIED')),
    accessLog: createAccessLog(shared),
  };
  const rateLimit = createRateLimit({ name: 'bench', redis: null });
  const relyingPartyApi = relyingPartyRoutes({
    referenceData,
    sessions,
    clock: systemClock,
    startSession: createStartSession({
      pushLimits: { admit: () => Promise.resolve() },
      ...shared,
      sessions,
      referenceData,
      ...representation,
      sessionTokens: createSessionTokens({
        masterKey: randomBytes(32),
        randomness: systemRandomness,
      }),
      relyingParties: createRelyingParties(shared),
      answerWindowMs: 150_000,
      scheme: 'smart-id',
      readableMs: 600_000,
    }),
    pollSession: createPollSession({
      ...representation,
      sessions,
      notifications,
      referenceData,
      clock: systemClock,
      soleProcess: true,
    }),
    vault: { onForgotten: () => () => undefined },
    rateLimit,
    requestsPerMinute: REQUESTS_PER_MINUTE,
    deviceLinkBase: 'http://127.0.0.1/device-link',
    maintenance: false,
  });
  const confirming: ConfirmRouteDependencies = {
    referenceData,
    sessions,
    clock: systemClock,
    replayStore: { firstUse: () => true },
    signatureVerifier: { verify: () => Promise.resolve(true) },
    signingCoolingMs: 0,
  };
  const routes = [
    ...relyingPartyApi,
    ...sealRoutes(stubSealing(referenceData, rateLimit)).filter(({ name }) => name === 'seal'),
    confirmRoute(confirming, createDeviceGuard(confirming)),
    discoveryRoute({
      version: '1.0.0',
      rpApiBase: 'http://127.0.0.1',
      deviceLinkBase: 'http://127.0.0.1/device-link',
      appScheme: 'bench',
      schemeName: 'smart-id',
      maxPdfBytes: 30_000_000,
      issuingCertificates: [randomBytes(700), randomBytes(700)],
      listed: relyingPartyApi,
    }),
  ];
  const server = createApiServer({
    routes,
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (fields, message) => {
        process.stderr.write(`${message} ${JSON.stringify(fields)} ${String(fields['err'])}\n`);
      },
    },
    metrics: createMetrics({ defaults: false }),
    limits: { maxInFlight: 100_000, maxEventLoopDelayMs: 60_000 },
    caller: { trustProxy: [], clientCertificateHeader: null },
    logRequests: false,
  });
  await server.start({ port: 0, host: '127.0.0.1' });
  await completeSession(sessions, relyingPartyId);
  return {
    port: server.address().port,
    answers: {
      details: () =>
        ({
          relyingPartyId,
          apiSecret,
          civilId: CIVIL_ID,
          sessionId: SESSION,
        }) satisfies PipelineAnswer,
      confirm: confirmRequest,
    },
    stop: () => server.stop(100),
  };
});

/** Confirms the complete session again: decided once from the cache and once from its two events, nothing is appended. */
function confirmRequest(): ConfirmAnswer {
  const target = `/v3/device/sessions/${SESSION}/confirm`;
  const body = JSON.stringify({
    verificationCode: '7180',
    signature: SIGNATURE,
    interactionTypeUsed: 'displayTextAndPIN',
  });
  const segment = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = segment({ typ: 'dpop+jwt', alg: 'ES256', kid: DOCUMENT });
  const claims = segment({
    htm: 'POST',
    path: target,
    iat: Math.floor(Date.now() / 1000),
    jti: randomUUID(),
    bh: sha256(Buffer.from(body)).toString('base64url'),
  });
  const proof = `${head}.${claims}.${randomBytes(64).toString('base64url')}`;
  return { target, headers: { DPoP: proof }, body };
}

async function completeSession(
  sessions: ReturnType<typeof createSessions>,
  relyingPartyId: string,
): Promise<void> {
  const context = {
    actor: { kind: 'system', id: 'bench' },
    correlationId: SESSION,
    causationId: SESSION,
    requestId: null,
    ip: null,
  } as const;
  const now = new Date();
  const later = new Date(now.getTime() + 600_000).toISOString();
  await sessions.handleNew(
    SESSION,
    {
      type: 'StartSession',
      started: {
        sessionId: SESSION,
        kind: 'AUTHENTICATION',
        flow: 'NOTIFICATION',
        generation: 'G1',
        relyingPartyId,
        relyingPartyName: 'Bench',
        registeredName: null,
        subsystem: null,
        civilId: CIVIL_ID,
        documentNumber: null,
        certificateLevel: 'QUALIFIED',
        interactions: [{ type: 'displayTextAndPIN', displayText60: 'Log in to the bench' }],
        interactionsAsSent: null,
        rpChallenge: sampleData.rpChallenge,
        digest: null,
        hashType: null,
        vcType: 'alphaNumeric4',
        verificationCode: '7180',
        callbackUrl: null,
        fileName: null,
        onBehalfOf: null,
        deviceLink: null,
        nested: null,
        startedAt: now.toISOString(),
        answerBefore: later,
        readableUntil: later,
        openIdLogin: false,
        documents: null,
        documentTexts: null,
        riskSignals: null,
      },
    },
    context,
  );
  await sessions.handle(
    SESSION,
    {
      type: 'ConfirmSession',
      by: { documentNumber: DOCUMENT, civilId: CIVIL_ID },
      verificationCode: '7180',
      signature: SIGNATURE,
      signatureAlgorithm: 'ecdsa-with-SHA256',
      documents: [],
      certificateSerial: 'serial-AUTH',
      certificateLevel: 'QUALIFIED',
      interactionTypeUsed: 'displayTextAndPIN',
      nested: null,
      now: now.toISOString(),
    },
    context,
  );
}
