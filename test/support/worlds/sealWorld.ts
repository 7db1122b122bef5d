import { randomUUID } from 'node:crypto';
import { createCertificates, createSealCertificates } from '../../../application/aggregates.ts';
import {
  type CommandContext,
  createAggregate,
  createJournal,
} from '../../../application/handleCommand.ts';
import type { EventStore } from '../../../application/ports/eventStore.ts';
import type { CertificateAuthority } from '../../../application/ports/certificateAuthority.ts';
import {
  type IssueSealCertificateDependencies,
  issueSealCertificate,
} from '../../../application/seal/issueSealCertificate.ts';
import { createSeal, createSealDigest } from '../../../application/seal/seal.ts';
import { createSealPreconditionCache } from '../../../application/seal/sealPreconditions.ts';
import { organizationDecider } from '../../../domain/organization/organization.ts';
import type { DocumentSealed, SealEvent } from '../../../domain/seal/events.ts';
import { createMemoryEventStore } from '../doubles/memoryEventStore.ts';
import { type TestAuthority } from '../doubles/memoryPki.ts';
import { systemRandomness, systemClock } from '../../../infrastructure/system.ts';

export const register = '5123456';

export const sealContext: CommandContext = {
  actor: { kind: 'relyingParty', id: 'b8f0e0f4-0000-4000-8000-000000000001' },
  correlationId: 'test',
  causationId: 'test',
  requestId: null,
  ip: null,
};

/** One organization, ACTIVE, over an event store in memory; nothing is sealed yet. */
export async function createSealWorld(test: TestAuthority) {
  const store = createMemoryEventStore();
  /** Runs before the next DocumentSealed is appended: what happens between signing and the log. */
  let beforeSealed: (() => Promise<unknown>) | null = null;
  const eventStore: EventStore = {
    ...store,
    append: async (stream, events, expected) => {
      const race = beforeSealed;
      if (race !== null && events[0]?.event.type === 'DocumentSealed') {
        beforeSealed = null;
        await race();
      }
      return store.append(stream, events, expected);
    },
  };
  const clock = systemClock;
  const stores = { eventStore, clock, randomness: systemRandomness };
  const organizations = createAggregate('organization', organizationDecider, stores);
  const certificates = createCertificates(stores);
  const sealCertificates = createSealCertificates(stores);
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

  return {
    store,
    eventStore,
    organizations,
    certificates,
    sealCertificates,
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
    race: (happening: () => Promise<unknown>) => {
      beforeSealed = happening;
    },
    /** Events of the seal's own stream. */
    sealEvents: () =>
      store.events
        .filter(({ stream }) => stream === `seal-${register}`)
        .map(({ event }) => event as SealEvent),
    sealed: () =>
      store.events
        .map(({ event }) => event)
        .filter((event): event is DocumentSealed => event.type === 'DocumentSealed'),
    stop: () => preconditionCache.stop(),
  };
}

export type SealWorld = Awaited<ReturnType<typeof createSealWorld>>;
