import { randomUUID } from 'node:crypto';
import { createDeviceRoutes } from '../../../api/device/routes.ts';
import { createRateLimit } from '../../../api/bounds/rateLimit.ts';
import { createKycRoutes } from '../../../api/kyc/routes.ts';
import { relyingPartyRoutes } from '../../../api/rp/routes.ts';
import { createRelyingParties } from '../../../application/aggregates.ts';
import { createRememberedFacts } from '../../../application/log/rememberedFacts.ts';
import type { RelyingPartyReferenceData } from '../../../application/ports/referenceData.ts';
import { createPollSession } from '../../../application/session/pollSession.ts';
import { createPushLimits } from '../../../application/session/pushLimits.ts';
import { createStartSession } from '../../../application/session/startSession.ts';
import { EidClient, type TrustSettings } from '../../../client/index.ts';
import { sha256Hex } from '../../../domain/shared/digest.ts';
import { createMemory } from '../../../infrastructure/system.ts';
import { createNotificationHub } from '../../../infrastructure/postgres/notifications.ts';
import { certificatePem } from '../../../infrastructure/pki/trustFiles.ts';
import { createMemoryAttemptLimits } from '../../../infrastructure/replay/memoryAttemptLimits.ts';
import type { ReferenceFacts } from '../../../projections/referenceData.ts';
import { bold, openDeviceWorld, saran } from './deviceWorld.ts';
import { startTestServer } from '../http/http.ts';
import { memoryOrganizations } from '../doubles/memoryOrganizations.ts';
import { memoryReferenceData, neverStale } from '../doubles/memoryPorts.ts';
import { relyingPartyData } from './relyingPartyWorld.ts';

/** Everything between a relying party and a phone, over HTTP, on adapters in memory: real deciders, certificates, signatures. */
export async function openLoopWorld() {
  const world = await openDeviceWorld();
  const relyingPartyId = randomUUID();
  const secret = 'rp_sk_of_the_loop';
  const parties = memoryReferenceData();
  parties.relyingParties.set(relyingPartyId, {
    ...relyingPartyData(relyingPartyId),
    secretHash: sha256Hex(secret),
  });
  const referenceData = { ...world.referenceData, ...rememberedParties(world, parties) };
  const { sessions, clock, randomness, sessionTokens, notifications } = world;
  const { expectRepresentation, accessLog } = memoryOrganizations(world);
  const manyPushes = createMemoryAttemptLimits({ attempts: 1e6 });
  const startSession = createStartSession({
    // The rule itself, since the walk of docs/flows.md is taken here.
    pushLimits: createPushLimits({
      citizen: manyPushes,
      relyingParty: manyPushes,
      rules: { running: 0, backOffMs: 0, blockMs: 0 },
      unlimited: new Set(),
      records: {
        pushesTo: () => Promise.resolve({ running: [], endings: [] }),
      },
      logged: { endResultOf: () => Promise.resolve(null), disturbance: () => null },
      clock,
      onRefused: () => undefined,
    }),
    sessions,
    expectRepresentation,
    accessLog,
    relyingParties: createRelyingParties(world),
    referenceData,
    clock,
    randomness,
    sessionTokens,
    answerWindowMs: 150_000,
    readableMs: 600_000,
    scheme: 'smart-id',
  });
  const { server, origin } = await startTestServer([
    ...relyingPartyRoutes({
      referenceData,
      // In the whole service the projection of the session wakes the phones.
      startSession: async (request, cause) => {
        const started = await startSession(request, cause);
        notifications.notify([bold, saran].map(({ civilId }) => `inbox:${civilId}`));
        return started;
      },
      pollSession: createPollSession({
        sessions,
        notifications,
        referenceData,
        clock,
        expectRepresentation,
        soleProcess: true,
      }),
      sessions,
      vault: { onForgotten: () => () => undefined },
      rateLimit: createRateLimit({ name: 'rp', redis: null }),
      clock,
      requestsPerMinute: 1e6,
      deviceLinkBase: 'https://eid.example/device-link',
      maintenance: false,
    }),
    ...createDeviceRoutes(world.dependencies),
    ...createKycRoutes(world.dependencies),
  ]);
  const { root, issuing } = world.authority.certificates;
  const trust: TrustSettings = {
    trustAnchorsPem: certificatePem(root),
    intermediatesPem: issuing.map(certificatePem),
  };

  return {
    world,
    origin,
    relyingPartyId,
    secret,
    trust,
    client: (apiSecret = secret) =>
      new EidClient({
        baseUrl: origin,
        credentials: { rpUUID: relyingPartyId, rpName: 'DEMO', apiSecret },
        trust,
      }),
    close: async () => {
      await server.stop(1000);
      await world.close();
    },
  };
}

/** Relying parties remembered as a process does, read from memory. */
function rememberedParties(
  { eventStore }: Pick<Awaited<ReturnType<typeof openDeviceWorld>>, 'eventStore'>,
  { relyingParties }: Pick<ReturnType<typeof memoryReferenceData>, 'relyingParties'>,
): RelyingPartyReferenceData {
  const read = (id: string) => Promise.resolve(relyingParties.get(id) ?? null);
  const facts = createRememberedFacts<Pick<ReferenceFacts, 'rp'>>({
    sources: {
      rp: { category: 'relyingParty', readModel: 'relyingParties', shown: read, logged: read },
    },
    eventStore,
    staleness: neverStale,
    notifications: createNotificationHub(),
    vault: { onForgotten: () => () => undefined },
    newMemory: createMemory,
    onFailure: (cause) => {
      throw cause;
    },
  });
  return {
    relyingParty: (id) => facts.get('rp', id),
    relyingPartyBySecretHash: (hash) =>
      facts.find(
        'rp',
        hash,
        () => Promise.resolve([...relyingParties.keys()]),
        ({ secretHash }) => secretHash === hash,
      ),
  };
}

export type LoopWorld = Awaited<ReturnType<typeof openLoopWorld>>;
