import { createCitizens } from '../../../application/aggregates.ts';
import { createIdentityVerifications } from '../../../application/identityVerification/identityVerifications.ts';
import type { VerificationHolder } from '../../../application/identityVerification/holder.ts';
import { readVerification } from '../../../application/identityVerification/readVerification.ts';
import { startVerification } from '../../../application/identityVerification/startVerification.ts';
import { type Step, submitStep } from '../../../application/identityVerification/submitStep.ts';
import type { CivilRegistry } from '../../../application/ports/civilRegistry.ts';
import type { IdentityProviders } from '../../../application/identityVerification/ports/identityProvider.ts';
import type { VerificationMethod } from '../../../domain/identityVerification/events.ts';
import type { CertificateLevel } from '../../../domain/shared/certificateLevel.ts';
import { createVerificationSecrets } from '../../../infrastructure/codec/verificationSecrets.ts';
import { createMemoryAttemptLimits } from '../../../infrastructure/replay/memoryAttemptLimits.ts';
import { context, personNamed } from './deviceWorld.ts';
import { createMemoryEventStore } from '../doubles/memoryEventStore.ts';
import { systemRandomness } from '../../../infrastructure/system.ts';
import { manualClock } from '../doubles/memoryPorts.ts';

/** Bold and Saran. */
export const twoPersons: CivilRegistry = {
  find: (wanted) => Promise.resolve(personNamed(wanted) ?? null),
};

/** Identity verification in memory: real aggregates and use cases over these providers. */
export function openVerificationWorld(providers: IdentityProviders, clock = manualClock(null)) {
  const eventStore = createMemoryEventStore();
  const stores = { eventStore, clock, randomness: systemRandomness };
  const counted: string[] = [];
  const dependencies = {
    ...stores,
    providers,
    verificationSecrets: createVerificationSecrets(Buffer.alloc(32, 7)),
    citizens: createCitizens(stores),
    civilRegistry: twoPersons,
    verifications: createIdentityVerifications({
      ...stores,
      count: (method, result) => counted.push(`${method} ${result}`),
    }),
    attemptLimits: createMemoryAttemptLimits({ attempts: 10, now: () => clock.now().getTime() }),
    unprovedLevel: 'ADVANCED' as CertificateLevel,
    verificationLimits: { lifetimeMs: 15 * 60_000, attempts: 3 },
  };
  return {
    dependencies,
    clock,
    counted,
    eventStore,
    start: (method: VerificationMethod) => {
      const { view, secret } = startVerification(dependencies, { method });
      return { view, holder: { verificationId: view.verificationId, secret } };
    },
    submit: (holder: VerificationHolder, step: Step, changed: Partial<typeof dependencies> = {}) =>
      submitStep({ ...dependencies, ...changed }, holder, step, context),
    read: (holder: VerificationHolder) => readVerification(dependencies, holder, context),
    types: () => eventStore.events.map(({ event }) => event.type),
  };
}

export type VerificationWorld = ReturnType<typeof openVerificationWorld>;
