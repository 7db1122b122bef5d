import { randomUUID } from 'node:crypto';
import { createJournal } from '../../../application/handleCommand.ts';
import type { CertificateAuthority } from '../../../application/ports/certificateAuthority.ts';
import {
  type IssueSealCertificateDependencies,
  issueSealCertificate,
} from '../../../application/seal/issueSealCertificate.ts';
import { createSeal, createSealDigest } from '../../../application/seal/seal.ts';
import { createSealPreconditionCache } from '../../../application/seal/sealPreconditions.ts';
import type { DocumentSealed, SealEvent } from '../../../domain/seal/events.ts';
import { manualClock } from '../doubles/memoryPorts.ts';
import { causedBy, givenInMemory } from '../given/inMemory.ts';
import type { TestAuthority } from '../doubles/memoryPki.ts';

export const register = '5123456';

export const sealContext = causedBy('relyingParty', 'b8f0e0f4-0000-4000-8000-000000000001');

/** One organization, ACTIVE, over an event store in memory; nothing is sealed yet. */
export async function createSealWorld(test: TestAuthority) {
  const world = givenInMemory({ clock: () => manualClock(null) });
  const { certificates, clock, eventStore, organizations, sealCertificates, stores } = world;
  const preconditionCache = createSealPreconditionCache({ eventStore, onFailure: () => undefined });
  const vaults = { QUALIFIED: test.vault, QSCD: null };
  const seal = createSeal({
    ...stores,
    preconditionCache,
    journal: createJournal<SealEvent>('seal', stores),
  });
  const issuing: IssueSealCertificateDependencies = {
    ...stores,
    certificates,
    sealCertificates,
    preconditionCache,
    vaults,
    authority: test.authority,
    level: 'QUALIFIED',
    keyPrefix: `eseal-${randomUUID()}-`,
  };
  const now = () => clock.now().toISOString();
  await organizations.handle(
    register,
    {
      type: 'RegisterOrganization',
      registration: { register, name: 'Тамга ХХК', nameLatin: 'TAMGA LLC', activate: true },
      now: now(),
    },
    sealContext,
  );
  await preconditionCache.start();

  return Object.assign(world, {
    preconditionCache,
    seal,
    issuing,
    vaults,
    sealDigest: createSealDigest(seal, vaults),
    issue: (authority: CertificateAuthority = test.authority) =>
      issueSealCertificate({ ...issuing, authority }, register, sealContext),
    changeOrganization: (
      type: 'SuspendOrganization' | 'RestoreOrganization' | 'RevokeOrganization',
    ) => organizations.handle(register, { type, now: now() }, sealContext),
    revokeCertificate: (serial: string, reason = 1) =>
      certificates.handle(serial, { type: 'RevokeCertificate', reason, now: now() }, sealContext),
    /** Lets this happen between the signature and the next DocumentSealed. */
    race: (happening: () => Promise<unknown>) => {
      const { beforeAppend } = eventStore;
      eventStore.beforeAppend = (stream, [added]) => {
        if (added?.event.type !== 'DocumentSealed') return beforeAppend(stream, []);
        eventStore.beforeAppend = beforeAppend;
        return happening();
      };
    },
    /** Events of the seal's own stream. */
    sealEvents: () =>
      eventStore.eventsOf(`seal-${register}`).map(({ event }) => event as SealEvent),
    sealed: () =>
      eventStore.events
        .map(({ event }) => event)
        .filter((event): event is DocumentSealed => event.type === 'DocumentSealed'),
    stop: () => preconditionCache.stop(),
  });
}

export type SealWorld = Awaited<ReturnType<typeof createSealWorld>>;
