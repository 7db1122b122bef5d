import { Refusal } from '../../domain/shared/refusal.ts';
import type { Organizations } from '../organization/organizations.ts';
import type { RelyingPartyData } from '../ports/referenceData.ts';
import type { SealLevel } from '../../domain/shared/certificateLevel.ts';
import { type Certificate, certificateDecider } from '../../domain/certificate/certificate.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import type { OrganizationEvent } from '../../domain/organization/events.ts';
import {
  type Organization,
  organizationDecider,
  type RegisteredOrganization,
} from '../../domain/organization/organization.ts';
import type { OrganizationSettings } from '../../domain/organization/settings.ts';
import type { SealCertificateEvent } from '../../domain/seal/events.ts';
import { type SealCertificate, sealCertificateDecider } from '../../domain/seal/sealCertificate.ts';
import type { Decider, DomainEvent } from '../../domain/shared/decider.ts';
import type { StreamCategory } from '../../domain/events.ts';
import { categoryOf, identifierOf, streamOf } from '../../domain/shared/streams.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { createLogFollower } from '../followAggregate.ts';

/** Preconditions of a seal, current as of the log. */
export interface SealPreconditions {
  readonly organization: Organization;
  readonly sealCertificate: SealCertificate;
  /** The organization's seal certificate; NONE before the first. */
  readonly certificate: Certificate;
}

/** Certificate and name an organization seals with. */
export interface SealIdentity {
  readonly register: string;
  /** Name in its certificate. */
  readonly organizationName: string;
  /** Lower-case hexadecimal. */
  readonly serial: string;
  readonly level: SealLevel;
  readonly keyLabel: string;
  /** Base64 DER. */
  readonly certificate: string;
  /** ISO 8601. */
  readonly notBefore: string;
  readonly notAfter: string;
}

/** @param until last position to consider; omitted: the whole log */
export async function readSealPreconditions(
  eventStore: Pick<EventStore, 'read'>,
  register: string,
  until?: bigint,
): Promise<SealPreconditions> {
  async function fold<State, Command, Event extends DomainEvent>(
    category: StreamCategory,
    id: string,
    { initial, evolve }: Decider<State, Command, Event>,
  ): Promise<State> {
    let state = initial;
    for await (const { event, position } of eventStore.read(streamOf(category, id))) {
      if (until !== undefined && position > until) break;
      state = evolve(state, event as Event);
    }
    return state;
  }

  const [organization, sealCertificate] = await Promise.all([
    fold<Organization, never, OrganizationEvent>('organization', register, organizationDecider),
    fold<SealCertificate, never, SealCertificateEvent>(
      'sealCertificate',
      register,
      sealCertificateDecider,
    ),
  ]);
  const serial = sealCertificate.current?.serial;
  const certificate =
    serial === undefined
      ? certificateDecider.initial
      : await fold<Certificate, never, CertificateEvent>('certificate', serial, certificateDecider);
  return { organization, sealCertificate, certificate };
}

/**
 * Identity to seal with.
 *
 * @param now ISO 8601
 * @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE, CERTIFICATE_NOT_ACTIVE
 */
export function sealIdentityOf(preconditions: SealPreconditions, now: string): SealIdentity {
  const { register } = activeOrganization(preconditions);
  const { certificate, sealCertificate } = preconditions;
  const { current } = sealCertificate;
  if (current === null || certificate.status === 'NONE') {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE', {
      detail: 'The organization has no seal certificate yet. Issue one first.',
    });
  }
  const { notBefore, notAfter } = certificate.requested;
  const isInForce =
    certificate.status === 'ISSUED' &&
    certificate.supersededBy === null &&
    notBefore <= now &&
    now < notAfter;
  if (!isInForce) {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE', {
      detail: 'The seal certificate of the organization is revoked, suspended or expired.',
    });
  }
  const { serial, level, keyLabel } = current;
  return {
    register,
    serial,
    level,
    keyLabel,
    notBefore,
    notAfter,
    organizationName: certifiedName(activeOrganization(preconditions)),
    certificate: certificate.issued.certificate,
  };
}

/** @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE */
export function activeOrganization({ organization }: SealPreconditions): RegisteredOrganization {
  if (organization.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  if (organization.status !== 'ACTIVE') throw new Refusal('ORG_NOT_ACTIVE');
  return organization;
}

/** Name in certificates: the Latin one if any (specification, Organization). */
export function certifiedName(organization: OrganizationSettings): string {
  return organization.nameLatin ?? organization.name;
}

export interface SealPreconditionCacheDependencies {
  readonly eventStore: EventStore;
  /** Called once when following failed; it is retried. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * Preconditions of organizations' seals, cached while the log is followed. A seal checks twice: `current` before
 * signing, `holdsAt` once its event has a position in the log.
 */
export interface SealPreconditionCache {
  /** Resolves when every later append will be seen. @throws Unavailable(eventStore) */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Cached or read; may lag behind the log. */
  current(register: string): Promise<SealPreconditions>;
  /** Resolves to true when this cache has reached that position, or to false on timeout. */
  followed(position: bigint): Promise<boolean> | boolean;
  /** Preconditions at exactly this position of the log. Returns `used` itself when unchanged. */
  at(register: string, used: SealPreconditions, position: bigint): Promise<SealPreconditions>;
}

interface Waiter {
  readonly position: bigint;
  /** Of {@link performance}, ms. */
  readonly since: number;
  readonly settle: (reached: boolean) => void;
}

/** Timeout for the cache to reach a position, after which the log is read, ms. */
const FOLLOW_TIMEOUT_MS = 100;
/** Organizations cached at most. */
const REMEMBERED = 10_000;

export function createSealPreconditionCache({
  eventStore,
  onFailure,
}: SealPreconditionCacheDependencies): SealPreconditionCache {
  const remembered = new Map<string, Promise<SealPreconditions>>();
  /** Organization of each seal certificate; cached ones only. */
  const registers = new Map<string, string>();
  /** Being read. */
  const loading = new Set<string>();
  let reached: bigint | null = null;
  let waiting: Waiter[] = [];
  let isRunning = false;
  let impatience: NodeJS.Timeout | undefined;

  function forget(register: string): void {
    remembered.delete(register);
  }

  function forgetAll(): void {
    remembered.clear();
    registers.clear();
  }

  function take({ stream, event }: RecordedEvent): void {
    const category = categoryOf(stream);
    if (category === 'organization' || category === 'sealCertificate') forget(identifierOf(stream));
    if (category !== 'certificate') return;
    const { type } = event as CertificateEvent;
    if (type === 'CertificateRequested' || type === 'CertificateIssued') return;
    const register = registers.get(identifierOf(stream));
    if (register !== undefined) forget(register);
    // Their certificates are known only after the read.
    for (const each of loading) forget(each);
  }

  function progressed(position: bigint): void {
    reached = position;
    const still: Waiter[] = [];
    for (const waiter of waiting) {
      if (waiter.position <= position) waiter.settle(true);
      else still.push(waiter);
    }
    waiting = still;
  }

  function giveUp(before: number): void {
    const still: Waiter[] = [];
    for (const waiter of waiting) {
      if (waiter.since <= before) waiter.settle(false);
      else still.push(waiter);
    }
    waiting = still;
  }

  const follower = createLogFollower({
    eventStore,
    // Includes the seals themselves, so that waiters for their position are notified at once.
    categories: ['organization', 'sealCertificate', 'certificate', 'seal'],
    withoutPersonalData: true,
    take: (events, next) => {
      for (const event of events) take(event);
      progressed(next);
    },
    // Position and cache may be ahead of a log that lost its end. What is at its head now is seen: the cache is empty.
    onBegunAnew: () => {
      forgetAll();
      reached = null;
      const head = follower.position();
      if (head !== null) progressed(head);
    },
    onFailure,
  });

  function followed(position: bigint): Promise<boolean> | boolean {
    if (reached !== null && reached >= position) return true;
    if (!isRunning) return false;
    return new Promise((settle) => {
      waiting.push({ position, since: performance.now(), settle });
    });
  }

  async function load(register: string): Promise<SealPreconditions> {
    loading.add(register);
    try {
      const preconditions = await readSealPreconditions(eventStore, register);
      const serial = preconditions.sealCertificate.current?.serial;
      if (serial !== undefined) registers.set(serial, register);
      return preconditions;
    } catch (error) {
      forget(register);
      throw error;
    } finally {
      loading.delete(register);
    }
  }

  return {
    followed,
    async start() {
      reached = null;
      await follower.start();
      isRunning = true;
      impatience = setInterval(
        () => giveUp(performance.now() - FOLLOW_TIMEOUT_MS),
        FOLLOW_TIMEOUT_MS / 2,
      ).unref();
    },
    async stop() {
      clearInterval(impatience);
      await follower.stop();
      isRunning = false;
      giveUp(Infinity);
      forgetAll();
    },
    current(register) {
      const known = remembered.get(register);
      if (known !== undefined) return known;
      if (remembered.size >= REMEMBERED) forgetAll();
      const reading = load(register);
      if (isRunning) remembered.set(register, reading);
      return reading;
    },
    async at(register, used, position) {
      const isUnchanged = async () => (await remembered.get(register)) === used;
      if ((await followed(position)) && (await isUnchanged())) return used;
      return readSealPreconditions(eventStore, register, position);
    },
  };
}

/** Expects that the relying party may seal for the organization. @throws Refusal ORG_NOT_FOUND, SEAL_NOT_ALLOWED */
export type ExpectSealsFor = (
  party: Pick<RelyingPartyData, 'sealsFor'>,
  register: string,
) => Promise<void>;

export function createExpectSealsFor(organizations: Pick<Organizations, 'load'>): ExpectSealsFor {
  return async ({ sealsFor }, register) => {
    if (sealsFor.includes(register)) return;
    const { state } = await organizations.load(register);
    if (state.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
    throw new Refusal('SEAL_NOT_ALLOWED');
  };
}
