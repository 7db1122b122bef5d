import type { Certificate } from '../../domain/certificate/certificate.ts';
import type { CertificateRequested, ServicePurpose } from '../../domain/certificate/events.ts';
import type { CommandContext } from '../handleCommand.ts';
import { Unavailable } from '../ports/faults.ts';
import { pause } from '../ports/follow.ts';
import type { KeyVault } from '../ports/keyVault.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { ServiceIdentities, ServiceIdentity } from './ports/serviceIdentities.ts';
import type {
  ServiceIdentityPointer,
  ServiceIdentityPointers,
} from './ports/serviceIdentityPointers.ts';
import type { IssuingCa } from '../../domain/shared/issuingCas.ts';
import { referenceDataTopic } from '../../domain/shared/streams.ts';
import { type NotificationFeed } from '../ports/notifications.ts';
import { certify, type CertifyDependencies, loadUnlessOrphaned, newSerial } from './certify.ts';
import { certificationOf, servicePurposes } from './serviceProfiles.ts';

export interface ServiceIdentitiesDependencies extends CertifyDependencies {
  readonly keyVault: Pick<KeyVault, 'ensureKey'>;
  readonly pointers: ServiceIdentityPointers;
  readonly randomness: Randomness;
  /** Notifies of revocations of certificates in use. */
  readonly feed: NotificationFeed;
  /** Called when a renewal failed and will be retried; the current certificate stays in use. */
  readonly onFailure: (purpose: ServicePurpose, cause: unknown) => void;
  /** Interval of the renewal check, milliseconds; default one minute. */
  readonly everyMs?: number;
}

/** The identities with their start and stop. */
export interface StartableServiceIdentities extends ServiceIdentities {
  /** Identities there are; none of a CA that ended, or that the root revoked before it issued one. */
  held(): readonly ServiceIdentity[];
  /**
   * Finds or issues each identity, and renews it from then on. The certificate authority must have started.
   *
   * @throws Unavailable, but not for one whose CA the root revoked: it stays without a certificate
   */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const isRevokedIssuer = (error: unknown) =>
  error instanceof Unavailable && error.dependency === 'issuingAuthority';

type LiveCertificate = Extract<Certificate, { status: 'ISSUED' }>;

const context = (purpose: ServicePurpose): CommandContext => ({
  actor: { kind: 'system', id: 'service identities' },
  correlationId: purpose,
  causationId: 'service identities',
  requestId: null,
  ip: null,
});

/**
 * Maintains a valid certificate for every service of the platform. A pointer per service, updated by compare-and-set,
 * makes several processes agree on one serial; issuing under a serial can be resumed by any process, so a crash leaves
 * nothing to clean up.
 */
export function createServiceIdentities(
  dependencies: ServiceIdentitiesDependencies,
): StartableServiceIdentities {
  const { certificates, authority, keyVault, pointers, clock, randomness, feed } = dependencies;
  const { onFailure, everyMs = 60_000 } = dependencies;
  const identities = new Map<ServicePurpose, ServiceIdentity>();
  const listeners = new Set<(identity: ServiceIdentity) => void>();
  let running: { readonly stopped: AbortController; readonly done: Promise<void> } | undefined;
  let look = new AbortController();

  /** A certificate truncated by the end of its CA is replaced after half its life. */
  function isDue(purpose: ServicePurpose, notBefore: Date, notAfter: Date): boolean {
    const left = notAfter.getTime() - clock.now().getTime();
    const halfLife = (notAfter.getTime() - notBefore.getTime()) / 2;
    return left <= Math.min(certificationOf(purpose).renewMs, halfLife);
  }

  /** Key label for a new certificate. After a revocation the old key is not reused. */
  function keyLabelFor(purpose: ServicePurpose, serial: string, before: Certificate | null) {
    const name = purpose.toLowerCase().replaceAll('_', '-');
    if (!certificationOf(purpose).keepsKey) return `service-${name}-${serial}`;
    if (before !== null && before.status === 'ISSUED' && before.requested.keyLabel !== null) {
      return before.requested.keyLabel;
    }
    return `service-${name}-${serial}`;
  }

  async function issue(
    purpose: ServicePurpose,
    { serial, replaces }: ServiceIdentityPointer,
  ): Promise<void> {
    const { type, answersFor, commonName, validMs } = certificationOf(purpose);
    const issuer =
      answersFor === null ? await authority.active('organization') : authority.issuer(answersFor);
    const before = replaces === null ? null : await load(replaces);
    const keyLabel = keyLabelFor(purpose, serial, before);
    const key = await keyVault.ensureKey(keyLabel, 'P-256');

    function request(): CertificateRequested['data'] {
      const requestedAt = clock.now();
      const notBefore = authority.beginOfValidity(issuer.authority, requestedAt);
      const end = Math.min(notBefore.getTime() + validMs, issuer.notAfter.getTime());
      return {
        serial,
        type,
        level: null,
        keyType: 'P-256',
        keyLabel,
        holder: { kind: 'service', purpose },
        authority: issuer.authority,
        issuer: issuer.name,
        publicKey: key.publicKey.toString('base64'),
        notBefore: notBefore.toISOString(),
        notAfter: new Date(end).toISOString(),
        requestedAt: requestedAt.toISOString(),
      };
    }

    await certify(
      dependencies,
      {
        serial,
        civilId: null,
        isNew: false,
        request,
        order: ({ authority, publicKey, notBefore, notAfter }) => ({
          type,
          authority,
          commonName,
          keyType: 'P-256',
          serial,
          publicKey: Buffer.from(publicKey, 'base64'),
          notBefore: new Date(notBefore),
          notAfter: new Date(notAfter),
        }),
      },
      context(purpose),
    );
  }

  /** The certificate of the service, issued when none is valid or its end is near. */
  async function settle(purpose: ServicePurpose): Promise<LiveCertificate> {
    const next = (from: string | null) => pointers.move(purpose, from, newSerial(randomness));
    let pointer = (await pointers.find(purpose)) ?? (await next(null));
    for (;;) {
      const state = await loadUnlessOrphaned(dependencies, pointer.serial, context(purpose));
      if (state.status === 'NONE' || state.status === 'REQUESTED') {
        await issue(purpose, pointer);
      } else if (isInUse(purpose, state)) {
        await supersede(purpose, pointer);
        return state;
      } else {
        pointer = await next(pointer.serial);
      }
    }
  }

  async function load(serial: string): Promise<Certificate> {
    return (await certificates.load(serial)).state;
  }

  function isInUse(purpose: ServicePurpose, state: Certificate): state is LiveCertificate {
    if (state.status !== 'ISSUED') return false;
    const { notBefore, notAfter } = state.requested;
    return !isDue(purpose, new Date(notBefore), new Date(notAfter));
  }

  async function supersede(
    purpose: ServicePurpose,
    { serial: by, replaces }: ServiceIdentityPointer,
  ): Promise<void> {
    if (replaces === null || (await load(replaces)).status !== 'ISSUED') return;
    const now = clock.now().toISOString();
    const command = { type: 'SupersedeCertificate', by, now } as const;
    await certificates.handle(replaces, command, context(purpose));
  }

  function toIdentity(
    purpose: ServicePurpose,
    { requested, issued }: LiveCertificate,
  ): ServiceIdentity {
    const { keyLabel, serial, notBefore, notAfter } = requested;
    if (keyLabel === null) throw new Error(`The certificate ${serial} has no key in the vault.`);
    const issuer = authority.issuer(requested.authority);
    return {
      purpose,
      keyLabel,
      keyType: 'P-256',
      serial,
      certificate: Buffer.from(issued.certificate, 'base64'),
      chain: [issuer.certificate, authority.certificates.root],
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
    };
  }

  /** A CA that ended has nothing left to answer for: OCSP is asked about certificates that are valid. */
  function purposes(): readonly ServicePurpose[] {
    const isValid = (ca: IssuingCa) => authority.issuer(ca).notAfter > clock.now();
    return servicePurposes(authority.issuingCas.filter(isValid));
  }

  async function refresh(purpose: ServicePurpose): Promise<void> {
    const identity = toIdentity(purpose, await settle(purpose));
    const before = identities.get(purpose);
    if (before?.serial === identity.serial) return;
    identities.set(purpose, identity);
    if (before !== undefined) for (const listener of listeners) listener(identity);
  }

  async function watch(stopped: AbortSignal): Promise<void> {
    /** Possibly revoked, and not successfully checked since. */
    const doubtful = new Set<ServicePurpose>();
    for (;;) {
      await pause(everyMs, AbortSignal.any([stopped, look.signal]));
      if (stopped.aborted) return;
      if (look.signal.aborted) for (const purpose of identities.keys()) doubtful.add(purpose);
      look = new AbortController();
      for (const purpose of purposes()) {
        const held = identities.get(purpose);
        const isLasting = held !== undefined && !isDue(purpose, held.notBefore, held.notAfter);
        if (isLasting && !doubtful.has(purpose)) continue;
        await refresh(purpose).then(
          () => doubtful.delete(purpose),
          (error: unknown) => onFailure(purpose, error),
        );
      }
    }
  }

  return {
    current(purpose) {
      const identity = identities.get(purpose);
      if (identity === undefined) throw new Unavailable('keyVault');
      return identity;
    },
    held: () => purposes().flatMap((purpose) => identities.get(purpose) ?? []),
    onRenewed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start() {
      if (running !== undefined) return;
      for (const purpose of purposes()) {
        await refresh(purpose).catch((error: unknown) => {
          // A CA that its root revoked is no reason to stop what the other one serves.
          if (!isRevokedIssuer(error)) throw error;
          onFailure(purpose, error);
        });
      }
      const stopped = new AbortController();
      const unsubscribe = feed.subscribe(['certificate'], (topics) => {
        const isOurs = ({ serial }: ServiceIdentity) =>
          topics === 'all' || topics.includes(referenceDataTopic('certificate', serial));
        if ([...identities.values()].some(isOurs)) look.abort();
      });
      running = { stopped, done: watch(stopped.signal).finally(unsubscribe) };
    },
    async stop() {
      running?.stopped.abort();
      await running?.done;
      running = undefined;
    },
  };
}
