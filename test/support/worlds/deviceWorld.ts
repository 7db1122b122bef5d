import { randomBytes, randomUUID } from 'node:crypto';
import { createDeviceRoutes } from '../../../api/device/routes.ts';
import { type ApiServer, createApiServer } from '../../../api/server.ts';
import {
  createCertificates,
  createCitizens,
  createDevices,
  createNotices,
} from '../../../application/aggregates.ts';
import { issueCertificate } from '../../../application/certificate/issueCertificate.ts';
import type { CommandContext } from '../../../application/handleCommand.ts';
import type { CivilRecord, CivilRegistry } from '../../../application/ports/civilRegistry.ts';
import type {
  CertificateData,
  CertificateReferenceData,
  CitizenReferenceData,
  DeviceData,
  DeviceReferenceData,
  OrganizationReferenceData,
} from '../../../application/ports/referenceData.ts';
import { inboxTopic } from '../../../application/ports/notifications.ts';
import { createSessions } from '../../../application/session/sessions.ts';
import { certificateDecider } from '../../../domain/certificate/certificate.ts';
import type { CertificateEvent } from '../../../domain/certificate/events.ts';
import { deviceDecider } from '../../../domain/device/device.ts';
import type { DeviceEvent } from '../../../domain/device/events.ts';
import type { SessionEvent, SessionStarted } from '../../../domain/session/events.ts';
import { sessionDecider } from '../../../domain/session/session.ts';
import { type DomainEvent, fold } from '../../../domain/shared/decider.ts';
import type { CertificateLevel } from '../../../domain/shared/certificateLevel.ts';
import { verificationCode } from '../../../domain/shared/digest.ts';
import type { PersonIdentifier } from '../../../domain/shared/etsi.ts';
import { createVerificationSecrets } from '../../../infrastructure/codec/verificationSecrets.ts';
import { createSessionTokens } from '../../../infrastructure/codec/sessionTokens.ts';
import { createSignatureVerifier } from '../../../infrastructure/pki/signatureVerifier.ts';
import { createNotificationHub } from '../../../infrastructure/postgres/notifications.ts';
import { createAddressLimit } from '../../../api/bounds/rateLimit.ts';
import { createKycRoutes } from '../../../api/kyc/routes.ts';
import { createCitizenCardProvider } from '../../../application/identityVerification/citizenCardProvider.ts';
import { createIdentityVerifications } from '../../../application/identityVerification/identityVerifications.ts';
import { createMemoryAttemptLimits } from '../../../infrastructure/replay/memoryAttemptLimits.ts';
import { createMemoryReplayStore } from '../../../infrastructure/replay/memoryReplayStore.ts';
import { eventually } from '../assertions/eventually.ts';
import { memoryLog, memoryMetrics, startTestServer } from '../http/http.ts';
import { createMemoryEventStore } from '../doubles/memoryEventStore.ts';
import { startTestAuthority } from '../doubles/memoryPki.ts';
import { systemRandomness } from '../../../infrastructure/system.ts';
import { manualClock } from '../doubles/memoryPorts.ts';

export const bold: CivilRecord = {
  civilId: '110000000001',
  cardNumber: 'E00000001',
  identity: {
    givenName: 'Болд',
    surname: 'Дорж',
    familyName: 'Боржигон',
    givenNameLatin: 'Bold',
    surnameLatin: 'Dorj',
    registrationNumber: 'уб85031512',
    birthDate: '1985-03-15',
    gender: 'M',
    geId: 200001,
  },
};

export const saran: CivilRecord = {
  civilId: '110000000002',
  cardNumber: 'E00000002',
  identity: {
    ...bold.identity,
    givenName: 'Саран',
    givenNameLatin: 'Saran',
    registrationNumber: 'аа90110724',
    birthDate: '1990-11-07',
    gender: 'F',
    geId: 200002,
  },
};

export function cardOf({ civilId, cardNumber, identity }: CivilRecord) {
  return { identifier: civilId, cardNumber: cardNumber ?? '', birthDate: identity.birthDate };
}

/** Bold or Saran. */
export function personNamed(wanted: PersonIdentifier): CivilRecord | undefined {
  return [bold, saran].find(({ civilId, identity }) =>
    wanted.type === 'civilId'
      ? civilId === wanted.civilId
      : identity.registrationNumber === wanted.registrationNumber,
  );
}

export const context: CommandContext = {
  actor: { kind: 'system', id: 'test' },
  correlationId: 'c',
  causationId: 'c',
  requestId: null,
  ip: null,
};

/** The device side of the platform in memory: real deciders, certificates and signatures; read models are folds. */
export async function openDeviceWorld() {
  const eventStore = createMemoryEventStore();
  const notifications = createNotificationHub();
  const clock = manualClock(null);
  const randomness = systemRandomness;
  const sessionTokens = createSessionTokens({ masterKey: randomBytes(32), randomness });
  const pki = await startTestAuthority();
  const log = { eventStore, clock, randomness };
  const sessions = createSessions({ ...log, notifications });
  const citizens = createCitizens(log);
  const devices = createDevices(log);
  const certificates = createCertificates(log);
  const signatureVerifier = createSignatureVerifier({ ecdsaDigests: pki.ecdsaDigests });

  const eventsOf = <Event extends DomainEvent>(stream: string) =>
    eventStore.events.filter((each) => each.stream === stream).map(({ event }) => event as Event);

  function certificateData(serial: string): CertificateData | null {
    const state = fold(certificateDecider, eventsOf<CertificateEvent>(`certificate-${serial}`));
    if (state.status === 'NONE' || state.status === 'REQUESTED') return null;
    const { requested, issued, status } = state;
    if (requested.holder.kind !== 'citizen' || issued === null) return null;
    const { civilId, documentNumber } = requested.holder;
    return {
      ...requested,
      civilId,
      documentNumber,
      type: requested.type as CertificateData['type'],
      level: requested.level ?? 'ADVANCED',
      status: status === 'ISSUED' ? 'VALID' : status,
      certificate: issued.certificate,
    };
  }

  function deviceData(documentNumber: string): DeviceData | null {
    const state = fold(deviceDecider, eventsOf<DeviceEvent>(`device-${documentNumber}`));
    if (state.status === 'NONE') return null;
    const authentication = certificateData(state.enrolled.authenticationSerial);
    const signing = certificateData(state.enrolled.signingSerial);
    if (authentication === null || signing === null) return null;
    return { ...state.enrolled, active: state.status === 'ACTIVE', authentication, signing };
  }

  const referenceData: DeviceReferenceData &
    CitizenReferenceData &
    CertificateReferenceData &
    OrganizationReferenceData = {
    device: (documentNumber) => Promise.resolve(deviceData(documentNumber)),
    activeDevicesOf: (civilId) =>
      Promise.resolve(
        eventStore.events
          .flatMap(({ event }) => (event as DeviceEvent).data)
          .flatMap((data) =>
            'transportKey' in data ? (deviceData(data.documentNumber) ?? []) : [],
          )
          .filter((device) => device.active && device.civilId === civilId)
          .reverse(),
      ),
    certificate: (serial) => Promise.resolve(certificateData(serial)),
    organization: () => Promise.resolve(null),
    rightsOf: () => Promise.resolve([]),
    citizen: (wanted) => Promise.resolve(personNamed(wanted) ?? null),
  };
  const sessionViews = {
    runningSessionsOf: (civilId: string) =>
      Promise.resolve(
        eventStore.events.flatMap(({ event, stream }) => {
          if (event.type !== 'SessionStarted') return [];
          const { started } = runningOf(stream) ?? {};
          return started?.civilId === civilId && started.flow === 'NOTIFICATION'
            ? [started.sessionId]
            : [];
        }),
      ),
  };
  const runningOf = (stream: string) => {
    const state = fold(sessionDecider, eventsOf<SessionEvent>(stream));
    return state.status === 'RUNNING' ? state : null;
  };

  let registryIsAway: Error | null = null;
  const civilRegistry: CivilRegistry = {
    find: (wanted) =>
      registryIsAway === null
        ? Promise.resolve(personNamed(wanted) ?? null)
        : Promise.reject(registryIsAway),
  };

  const dependencies = {
    ...log,
    civilRegistry,
    citizens,
    devices,
    certificates,
    sessions,
    preparedDocuments: { find: () => Promise.resolve(null) },
    sessionViews,
    sessionTokens,
    signatureVerifier,
    notifications,
    referenceData,
    signingCoolingMs: 0,
    enrolmentBlockMs: 72 * 3_600_000,
    notices: createNotices(log),
    noticeViews: { noticesFor: () => Promise.resolve([]) },
    unprovedLevel: 'QUALIFIED' as CertificateLevel,
    attemptLimits: createMemoryAttemptLimits({ now: () => clock.now().getTime() }),
    replayStore: createMemoryReplayStore({ now: () => clock.now().getTime() }),
    verifications: createIdentityVerifications(log),
    verificationSecrets: createVerificationSecrets(Buffer.alloc(32, 7)),
    providers: { citizenCard: createCitizenCardProvider({ civilRegistry }) },
    verificationLimits: { lifetimeMs: 15 * 60_000, attempts: 5 },
    addressLimit: createAddressLimit({ name: 'address', redis: null }, 1000),
    base: 'http://127.0.0.1',
    danReturnUrl: 'tamga://kyc/dan',
    progress: { untilProjected: () => Promise.resolve() },
    issueCertificate: (
      application: Parameters<typeof issueCertificate>[1],
      cause: CommandContext,
    ) => issueCertificate({ ...log, certificates, authority: pki.authority }, application, cause),
  };

  const routes = [...createDeviceRoutes(dependencies), ...createKycRoutes(dependencies)];

  /** Serves again where a server was before. */
  async function serveAt(port: number): Promise<ApiServer> {
    const server = createApiServer({
      routes,
      log: memoryLog(),
      metrics: memoryMetrics(),
      limits: { maxInFlight: 1000, maxEventLoopDelayMs: 10_000 },
      caller: { trustProxy: [], clientCertificateHeader: null },
    });
    await server.start({ port, host: '127.0.0.1' });
    return server;
  }

  /** Starts a session for `civilId` (null: an anonymous link). */
  async function start(changes: Partial<SessionStarted['data']> = {}): Promise<string> {
    const sessionId = randomUUID();
    const challenge = changes.kind === 'SIGNATURE' ? null : randomBytes(64);
    const digest = changes.kind === 'SIGNATURE' ? randomBytes(32) : null;
    const now = clock.now().getTime();
    const at = (ms: number) => new Date(now + ms).toISOString();
    const started: SessionStarted['data'] = {
      sessionId,
      kind: 'AUTHENTICATION',
      flow: 'NOTIFICATION',
      generation: 'G1',
      relyingPartyId: randomUUID(),
      relyingPartyName: 'DEMO',
      registeredName: null,
      subsystem: null,
      civilId: bold.civilId,
      documentNumber: null,
      certificateLevel: 'QUALIFIED',
      interactions: [{ type: 'displayTextAndPIN', displayText60: 'Log in to DEMO' }],
      interactionsAsSent: null,
      rpChallenge: challenge?.toString('base64') ?? null,
      digest: digest?.toString('base64') ?? null,
      hashType: digest === null ? null : 'SHA256',
      vcType: 'alphaNumeric4',
      verificationCode: verificationCode(challenge ?? digest ?? Buffer.alloc(0)),
      callbackUrl: null,
      fileName: null,
      onBehalfOf: null,
      deviceLink: null,
      nested: null,
      startedAt: at(0),
      answerBefore: at(150_000),
      readableUntil: at(600_000),
      ...changes,
    };
    await sessions.handleNew(sessionId, { type: 'StartSession', started }, context);
    if (started.civilId !== null) notifications.notify([inboxTopic(started.civilId)]);
    return sessionId;
  }

  /** Result of the session; null while RUNNING. */
  async function outcomeOf(sessionId: string) {
    const { state } = await sessions.load(sessionId, { trusts: () => false });
    return state.status === 'COMPLETE' ? state.outcome : null;
  }

  return {
    ...dependencies,
    dependencies,
    authority: pki.authority,
    start,
    outcomeOf,
    eventsOf,
    /** Resolves when a phone waits for this citizen's inbox. */
    untilListening: (civilId: string) =>
      eventually(() => {
        if (!notifications.isAwaited(inboxTopic(civilId))) throw new Error('Nobody listens.');
      }),
    loseRegistry: (error: Error) => {
      registryIsAway = error;
    },
    serve: () => startTestServer(routes),
    serveAt,
    close: () => pki.stop(),
  };
}

export type DeviceWorld = Awaited<ReturnType<typeof openDeviceWorld>>;
