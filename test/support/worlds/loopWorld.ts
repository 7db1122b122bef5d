import { createDeviceRoutes } from '../../../api/device/routes.ts';
import { createKycRoutes } from '../../../api/kyc/routes.ts';
import { relyingPartyRoutes } from '../../../api/rp/routes.ts';
import { createRememberedFacts } from '../../../application/log/rememberedFacts.ts';
import type { RelyingPartyReferenceData } from '../../../application/ports/referenceData.ts';
import { EidClient, type TrustSettings } from '../../../client/index.ts';
import { createMemory } from '../../../infrastructure/system.ts';
import { certificatePem } from '../../../infrastructure/pki/trustFiles.ts';
import { createSessionSteps } from '../../../application/session/sessionSteps.ts';
import type { ReferenceFacts } from '../../../projections/referenceData.ts';
import { startTestServer } from '../http/http.ts';
import { type DeviceWorld, openDeviceWorld } from './deviceWorld.ts';
import { addRelyingParty, relyingPartyApi } from './relyingPartyWorld.ts';
import { bold, saran } from '../given/persons.ts';

/** Everything between a relying party and a phone, over HTTP, on adapters in memory: real deciders, certificates, signatures. */
export async function openLoopWorld() {
  const world = await openDeviceWorld();
  const { relyingPartyId, secret } = addRelyingParty(world);
  const steps = createSessionSteps(world);
  const api = relyingPartyApi(world, { steps });
  const { server, origin } = await startTestServer([
    ...relyingPartyRoutes({
      ...api,
      referenceData: { ...world.referenceData, ...rememberedParties(world) },
      // In the whole service the projection of the session wakes the phones.
      startSession: async (request, cause) => {
        const started = await api.startSession(request, cause);
        world.notifications.notify([bold, saran].map(({ civilId }) => `inbox:${civilId}`));
        return started;
      },
    }),
    ...createDeviceRoutes({ ...world, steps }),
    ...createKycRoutes(world),
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
    client: (apiSecret = secret, rpUUID = relyingPartyId) =>
      new EidClient({
        baseUrl: origin,
        credentials: { rpUUID, rpName: 'DEMO', apiSecret },
        trust,
      }),
    close: async () => {
      await server.stop(1000);
      await world.stop();
    },
  };
}

/** Relying parties remembered as a process does, read from memory. */
function rememberedParties(world: DeviceWorld): RelyingPartyReferenceData {
  const { relyingParties } = world.referenceData;
  const read = (id: string) => Promise.resolve(relyingParties.get(id) ?? null);
  const facts = createRememberedFacts<Pick<ReferenceFacts, 'rp'>>({
    ...world,
    sources: {
      rp: { category: 'relyingParty', readModel: 'relyingParties', shown: read, logged: read },
    },
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
