import {
  createApprovals,
  createCertificates,
  createCitizens,
  createDevices,
  createNotices,
  createRelyingParties,
  createSealCertificates,
} from '../../../application/aggregates.ts';
import {
  createServiceIdentities,
  type ServiceIdentitiesDependencies,
  type StartableServiceIdentities,
} from '../../../application/certificate/serviceIdentities.ts';
import type { CommandContext } from '../../../application/handleCommand.ts';
import { createIdentityVerifications } from '../../../application/identityVerification/identityVerifications.ts';
import { createOperatorDirectory } from '../../../application/operator/operators.ts';
import { createAccessLog } from '../../../application/organization/accessLog.ts';
import { createExpectRepresentation } from '../../../application/organization/expectRepresentation.ts';
import {
  createOrganizations,
  createRepresentations,
} from '../../../application/organization/organizations.ts';
import type { CivilRegistry } from '../../../application/ports/civilRegistry.ts';
import type { PersonalDataVault } from '../../../application/ports/personalDataVault.ts';
import { createSessions } from '../../../application/session/sessions.ts';
import { createSessionTokens } from '../../../infrastructure/codec/sessionTokens.ts';
import { createVerificationSecrets } from '../../../infrastructure/codec/verificationSecrets.ts';
import type { CertificateAuthorityOptions } from '../../../infrastructure/pki/certificateAuthority.ts';
import {
  createOcspResponder,
  type OcspResponderOptions,
} from '../../../infrastructure/pki/ocsp/responder.ts';
import { createNotificationHub } from '../../../infrastructure/postgres/notifications.ts';
import {
  createMemoryAttemptLimits,
  createMemoryReplayStore,
  systemRandomness,
} from '../../../infrastructure/system.ts';
import { createMemoryEventStore } from '../doubles/memoryEventStore.ts';
import { createMemoryPointers, startTestAuthority } from '../doubles/memoryPki.ts';
import {
  everybodyActive,
  manualClock,
  memoryAggregateCache,
  neverStale,
} from '../doubles/memoryPorts.ts';
import { memoryReferenceData } from '../doubles/memoryReferenceData.ts';
import { testMasterKey, testVault } from '../doubles/vault.ts';
import { twoPersons } from './persons.ts';

/** Parts that recipes make. */
type Made<Recipes> = {
  readonly [Part in keyof Recipes]: Recipes[Part] extends (...needed: never) => infer Value
    ? Value
    : never;
};

/** Each port, by its one double. */
const ports = {
  clock: () => manualClock(),
  randomness: () => systemRandomness,
  eventStore: () => createMemoryEventStore(),
  notifications: () => createNotificationHub(),
  vault: (): PersonalDataVault & Pick<ReturnType<typeof testVault>, 'onForgotten'> => testVault(),
  staleness: () => neverStale,
  leaderLock: () => everybodyActive,
  civilRegistry: (): CivilRegistry => twoPersons,
  /** Read models are folds, so that they never lag. */
  progress: () => ({ untilProjected: () => Promise.resolve() }),
};

type Ports = Made<typeof ports>;

const storesOf = ({ eventStore, clock, randomness }: Ports) => ({ eventStore, clock, randomness });

const nowOf =
  ({ clock }: Ports) =>
  () =>
    clock.now().getTime();

/** Aggregates and use cases that need nothing beside ports. */
const overPorts = {
  stores: storesOf,
  approvals: (parts: Ports) => createApprovals(storesOf(parts)),
  certificates: (parts: Ports) => createCertificates(storesOf(parts)),
  citizens: (parts: Ports) => createCitizens(storesOf(parts)),
  devices: (parts: Ports) => createDevices(storesOf(parts)),
  notices: (parts: Ports) => createNotices(storesOf(parts)),
  organizations: (parts: Ports) => createOrganizations(storesOf(parts)),
  relyingParties: (parts: Ports) => createRelyingParties(storesOf(parts)),
  representations: (parts: Ports) => createRepresentations(storesOf(parts)),
  sealCertificates: (parts: Ports) => createSealCertificates(storesOf(parts)),
  verifications: (parts: Ports) => createIdentityVerifications(storesOf(parts)),
  accessLog: (parts: Ports) => createAccessLog(storesOf(parts)),
  sessions: (parts: Ports) =>
    createSessions({ ...storesOf(parts), notifications: parts.notifications }),
  directory: (parts: Ports) =>
    createOperatorDirectory({
      ...storesOf(parts),
      cache: memoryAggregateCache(),
      staleness: parts.staleness,
      onFailure: thrown,
    }),
  referenceData: ({ eventStore, vault }: Ports) => memoryReferenceData({ eventStore, vault }),
  sessionTokens: ({ randomness }: Ports) =>
    createSessionTokens({ masterKey: testMasterKey, randomness }),
  verificationSecrets: () => createVerificationSecrets(testMasterKey),
  attemptLimits: (parts: Ports) => createMemoryAttemptLimits({ now: nowOf(parts) }),
  replayStore: (parts: Ports) => createMemoryReplayStore({ now: nowOf(parts) }),
};

type OverPorts = Ports & Made<typeof overPorts>;

const composed = {
  expectRepresentation: ({ organizations, representations }: OverPorts) =>
    createExpectRepresentation({ organizations, representations }),
};

const recipes = { ...ports, ...overPorts, ...composed };

/** Parts of the platform in this process: real use cases over one double of each port. Each is made when it is asked for. */
export type Parts = Made<typeof recipes>;

/** Recipes of parts in place of the usual ones. */
export type PartWishes = {
  readonly [Part in keyof Parts]?: (parts: Parts) => Parts[Part];
};

/** Parts that worlds share, with those that take time to start. */
export type InMemory = Parts & ReturnType<typeof startable>;

/**
 * The platform in memory with what was wished for; every part that is asked for is made once and shared.
 *
 * ```ts
 * const { sessions, clock, eventStore } = givenInMemory();
 * const world = givenInMemory({ clock: () => manualClock(null) });
 * await approve(world, request); // the world is the dependencies of a use case
 * ```
 */
export function givenInMemory(wishes: PartWishes = {}): InMemory {
  const parts = {} as InMemory;
  for (const [name, recipe] of Object.entries({ ...recipes, ...wishes })) {
    const make = recipe as (parts: Parts) => unknown;
    let made: { readonly part: unknown } | undefined;
    const get = () => (made ??= { part: make(parts) }).part;
    Object.defineProperty(parts, name, { enumerable: true, get });
  }
  return Object.assign(parts, startable(parts));
}

function startable(parts: Parts) {
  const stops: (() => unknown)[] = [];
  let pki: ReturnType<typeof startTestAuthority> | undefined;

  /** @param changes at the first call; later ones give the same authority */
  async function startPki(changes: Partial<CertificateAuthorityOptions> = {}) {
    pki ??= startTestAuthority(changes).then((started) => {
      stops.unshift(() => started.stop());
      return started;
    });
    return pki;
  }

  /** Certificates that the services sign with. */
  async function startIdentities(
    changes: Partial<ServiceIdentitiesDependencies> = {},
  ): Promise<StartableServiceIdentities> {
    const { authority, vault: keyVault } = await startPki();
    const identities = createServiceIdentities({
      certificates: parts.certificates,
      authority,
      keyVault,
      clock: parts.clock,
      randomness: parts.randomness,
      pointers: createMemoryPointers(),
      feed: parts.notifications,
      onFailure: (_purpose, cause) => thrown(cause),
      ...changes,
    });
    await identities.start();
    stops.unshift(() => identities.stop());
    return identities;
  }

  /** An OCSP responder that says these statuses. */
  async function startResponder({
    ...options
  }: Pick<OcspResponderOptions, 'statuses' | 'identities'> & Partial<OcspResponderOptions>) {
    const { authority, vault: keyVault } = await startPki();
    const responder = createOcspResponder({
      authority,
      keyVault,
      clock: parts.clock,
      feed: parts.notifications,
      isListening: () => true,
      onFailure: thrown,
      ...options,
    });
    stops.unshift(() => responder.stop());
    return responder;
  }

  return {
    startPki,
    startIdentities,
    startResponder,
    /** Ends what was started, the last first. */
    stop: async () => {
      for (const stop of stops.splice(0)) await stop();
    },
  };
}

function thrown(cause: unknown): never {
  throw cause;
}

/** Context of a command that came without a request. */
export function causedBy(
  kind: CommandContext['actor']['kind'],
  id: string,
  correlationId = 'test',
): CommandContext {
  return {
    actor: { kind, id },
    correlationId,
    causationId: correlationId,
    requestId: null,
    ip: null,
  };
}
