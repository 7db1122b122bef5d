import { randomBytes, randomUUID } from 'node:crypto';
import { createDeviceRoutes } from '../../../api/device/routes.ts';
import { createKycRoutes } from '../../../api/kyc/routes.ts';
import { type ApiServer, createApiServer } from '../../../api/server.ts';
import { issueCertificate } from '../../../application/certificate/issueCertificate.ts';
import type { CommandContext } from '../../../application/handleCommand.ts';
import { createCitizenCardProvider } from '../../../application/identityVerification/citizenCardProvider.ts';
import { Refusal } from '../../../domain/shared/refusal.ts';
import { inboxTopic } from '../../../domain/shared/streams.ts';
import type { SessionEvent, SessionStarted } from '../../../domain/session/events.ts';
import { sessionDecider } from '../../../domain/session/session.ts';
import type { CertificateLevel } from '../../../domain/shared/certificateLevel.ts';
import { type DomainEvent, fold } from '../../../domain/shared/decider.ts';
import { verificationCode } from '../../../domain/shared/digest.ts';
import { createSignatureVerifier } from '../../../infrastructure/pki/signatureVerifier.ts';
import { eventually } from '../assertions/eventually.ts';
import { manualClock } from '../doubles/memoryPorts.ts';
import { causedBy, givenInMemory } from '../given/inMemory.ts';
import { bold, saran, twoPersons } from '../given/persons.ts';
import { memoryLog, memoryMetrics, startTestServer } from '../http/http.ts';
import { createAddressLimit } from '../../../api/bounds/admission.ts';

export const context = causedBy('system', 'test');

/** The device side of the platform in memory: real deciders, certificates and signatures. */
export async function openDeviceWorld() {
  let registryIsAway: Error | null = null;
  const parts = givenInMemory({
    clock: () => manualClock(null),
    civilRegistry: () => ({
      find: (wanted) =>
        registryIsAway === null ? twoPersons.find(wanted) : Promise.reject(registryIsAway),
    }),
  });
  const { eventStore, clock, sessions, notifications } = parts;
  const { authority, ecdsaDigests } = await parts.startPki();
  parts.referenceData.citizens.push(bold, saran);

  const eventsOf = <Event extends DomainEvent>(stream: string) =>
    eventStore.eventsOf(stream).map(({ event }) => event as Event);
  const runningOf = (stream: string) => {
    const state = fold(sessionDecider, eventsOf<SessionEvent>(stream));
    return state.status === 'RUNNING' ? state : null;
  };

  const settings: { unprovedLevel: CertificateLevel } = { unprovedLevel: 'QUALIFIED' };
  const world = Object.assign(parts, settings, {
    countsSince: (): Date | null => null,
    preparedDocuments: { warningsOf: () => Promise.resolve(new Map()) },
    sessionViews: {
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
    },
    signatureVerifier: createSignatureVerifier({ ecdsaDigests }),
    signingCoolingMs: 0,
    enrolmentBlockMs: 72 * 3_600_000,
    noticeViews: { noticesFor: () => Promise.resolve([]) },
    // Lists are of read models, which this world has none of.
    ownHistory: {
      history: () => Promise.resolve({ sessions: [], offset: 0, hasOlder: false }),
      session: () => Promise.reject(new Refusal('SESSION_NOT_FOUND')),
    },
    providers: { citizenCard: createCitizenCardProvider(parts) },
    verificationLimits: { lifetimeMs: 15 * 60_000, attempts: 5 },
    addressLimit: createAddressLimit({ name: 'address', redis: null }, 1000),
    base: 'http://127.0.0.1',
    danReturnUrl: 'tamga://kyc/dan',
    issueCertificate: (
      application: Parameters<typeof issueCertificate>[1],
      cause: CommandContext,
    ) =>
      issueCertificate(
        { ...parts.stores, certificates: parts.certificates, authority },
        application,
        cause,
      ),
  });
  const routes = [...createDeviceRoutes(world), ...createKycRoutes(world)];

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
      openIdLogin: false,
      documents: null,
      documentTexts: null,
      riskSignals: null,
      ...changes,
    };
    await sessions.handleNew(sessionId, { type: 'StartSession', started }, context);
    if (started.civilId !== null) notifications.notify([inboxTopic(started.civilId)]);
    return sessionId;
  }

  /** The relying party takes a session back, and the projection of that wakes the phones. */
  async function cancel(sessionId: string): Promise<void> {
    const { state } = await sessions.load(sessionId);
    if (state.status === 'NONE') throw new Error('There is no such session.');
    const { relyingPartyId, civilId } = state.started;
    const now = clock.now().toISOString();
    await sessions.handle(sessionId, { type: 'CancelSession', relyingPartyId, now }, context);
    if (civilId !== null) notifications.notify([inboxTopic(civilId)]);
  }

  /** Result of the session; null while RUNNING. */
  async function outcomeOf(sessionId: string) {
    const { state } = await sessions.load(sessionId, { trusts: () => false });
    return state.status === 'COMPLETE' ? state.outcome : null;
  }

  return Object.assign(world, {
    authority,
    start,
    cancel,
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
  });
}

export type DeviceWorld = Awaited<ReturnType<typeof openDeviceWorld>>;
