import type { VerificationHolder } from '../../../application/identityVerification/holder.ts';
import { createIdentityVerifications } from '../../../application/identityVerification/identityVerifications.ts';
import type { IdentityProviders } from '../../../application/identityVerification/ports/identityProvider.ts';
import { readVerification } from '../../../application/identityVerification/readVerification.ts';
import { startVerification } from '../../../application/identityVerification/startVerification.ts';
import { type Step, submitStep } from '../../../application/identityVerification/submitStep.ts';
import type { VerificationMethod } from '../../../domain/identityVerification/events.ts';
import type { CertificateLevel } from '../../../domain/shared/certificateLevel.ts';
import { createMemoryAttemptLimits } from '../../../infrastructure/system.ts';
import { manualClock } from '../doubles/memoryPorts.ts';
import { causedBy, givenInMemory } from '../given/inMemory.ts';

const context = causedBy('system', 'test');

/** Identity verification in memory: real aggregates and use cases over these providers. */
export function openVerificationWorld(providers: IdentityProviders, clock = manualClock(null)) {
  const counted: string[] = [];
  const parts = givenInMemory({
    clock: () => clock,
    verifications: ({ stores }) =>
      createIdentityVerifications({
        ...stores,
        count: (method, result) => counted.push(`${method} ${result}`),
      }),
    attemptLimits: () =>
      createMemoryAttemptLimits({ attempts: 10, now: () => clock.now().getTime() }),
  });
  const settings: { unprovedLevel: CertificateLevel } = { unprovedLevel: 'ADVANCED' };
  const world = Object.assign(parts, settings, {
    providers,
    verificationLimits: { lifetimeMs: 15 * 60_000, attempts: 3 },
  });
  return Object.assign(world, {
    counted,
    start: (method: VerificationMethod) => {
      const { view, secret } = startVerification(world, { method });
      return { view, holder: { verificationId: view.verificationId, secret } };
    },
    submit: (holder: VerificationHolder, step: Step, changed: Partial<typeof world> = {}) =>
      submitStep({ ...world, ...changed }, holder, step, context),
    read: (holder: VerificationHolder) => readVerification(world, holder, context),
    types: () => parts.eventStore.events.map(({ event }) => event.type),
  });
}

export type VerificationWorld = ReturnType<typeof openVerificationWorld>;
