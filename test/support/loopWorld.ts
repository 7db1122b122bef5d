import { randomUUID } from 'node:crypto';
import { createDeviceRoutes } from '../../api/device/routes.ts';
import { createRateLimit } from '../../api/http/rateLimit.ts';
import { createKycRoutes } from '../../api/kyc/routes.ts';
import { relyingPartyRoutes } from '../../api/rp/routes.ts';
import { createRelyingParties } from '../../application/relyingParty/relyingParties.ts';
import { createPollSession } from '../../application/session/pollSession.ts';
import { createStartSession } from '../../application/session/startSession.ts';
import { EidClient, type TrustSettings } from '../../client/index.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { certificatePem } from '../../infrastructure/pki/trustFiles.ts';
import { bold, openDeviceWorld, saran } from './deviceWorld.ts';
import { startTestServer } from './http.ts';
import { memoryOrganizations } from './memoryOrganizations.ts';
import { memoryFacts } from './memoryPorts.ts';
import { relyingPartyFact } from './relyingPartyWorld.ts';

/** Everything between a relying party and a phone, over HTTP, on adapters in memory: real deciders, certificates, signatures. */
export async function openLoopWorld() {
  const world = await openDeviceWorld();
  const relyingPartyId = randomUUID();
  const secret = 'rp_sk_of_the_loop';
  const parties = memoryFacts();
  parties.relyingParties.set(relyingPartyId, {
    ...relyingPartyFact(relyingPartyId),
    secretHash: sha256Hex(secret),
  });
  const { relyingParty, relyingPartyBySecretHash } = parties;
  const facts = { ...world.facts, relyingParty, relyingPartyBySecretHash };
  const { sessions, clock, randomness, sessionTokens, wake } = world;
  const { standingOf, accessLog } = memoryOrganizations(world);
  const startSession = createStartSession({
    sessions,
    standingOf,
    accessLog,
    relyingParties: createRelyingParties(world),
    facts,
    clock,
    randomness,
    sessionTokens,
    answerWindowMs: 150_000,
    readableMs: 600_000,
    scheme: 'smart-id',
  });
  const { server, origin } = await startTestServer([
    ...relyingPartyRoutes({
      facts,
      // In the whole service the projection of the session wakes the phones.
      startSession: async (request, cause) => {
        const started = await startSession(request, cause);
        wake.wake([bold, saran].map(({ civilId }) => `inbox:${civilId}`));
        return started;
      },
      pollSession: createPollSession({
        sessions,
        wake,
        facts,
        clock,
        standingOf,
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

export type LoopWorld = Awaited<ReturnType<typeof openLoopWorld>>;
