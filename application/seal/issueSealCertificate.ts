import type { SealLevel } from '../../domain/shared/certificateLevel.ts';
import type { Certificate } from '../../domain/certificate/certificate.ts';
import type { CertificateRequested } from '../../domain/certificate/events.ts';
import type { SealCertificateRequested } from '../../domain/seal/events.ts';
import { latinRegister } from '../../domain/organization/latinRegister.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import { newestFirst } from '../../domain/shared/history.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import {
  certify,
  type CertifyDependencies,
  loadUnlessOrphaned,
  newSerial,
} from '../certificate/certify.ts';
import type { CommandContext } from '../handleCommand.ts';
import { caKindFor } from '../ports/certificateAuthority.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { Randomness } from '../ports/randomness.ts';
import { endSealCertificates } from './endSealCertificates.ts';
import type { SealCertificates } from '../aggregates.ts';
import { type SealVaults, vaultOf } from './seal.ts';
import {
  activeOrganization,
  certifiedName,
  readSealPreconditions,
  type SealIdentity,
  sealIdentityOf,
  type SealPreconditionCache,
  type SealPreconditions,
} from './sealPreconditions.ts';

export interface IssueSealCertificateDependencies extends CertifyDependencies {
  readonly sealCertificates: SealCertificates;
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly preconditionCache: Pick<SealPreconditionCache, 'followed'>;
  readonly vaults: SealVaults;
  /** Of new certificates. */
  readonly level: SealLevel;
  /** Prefix of key labels; the register follows. */
  readonly keyPrefix: string;
  readonly randomness: Randomness;
}

/** Years a seal certificate is valid; limited by the end of the issuing CA's own certificate. */
const VALID_YEARS = 3;

/**
 * Creates an organization's seal key, unless it has a usable one, and issues its certificate, which supersedes the
 * previous one. After a crash the next call completes the same certificate.
 *
 * @param confirmedIn session in which an ADMIN confirmed; null: operators issue
 * @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE, CONFLICT for a concurrent call
 * @throws Unavailable
 */
export async function issueSealCertificate(
  dependencies: IssueSealCertificateDependencies,
  register: string,
  context: CommandContext,
  confirmedIn: string | null = null,
): Promise<SealIdentity> {
  const { sealCertificates, eventStore, preconditionCache, clock } = dependencies;
  const preconditions = await readSealPreconditions(eventStore, register);
  activeOrganization(preconditions);
  const { pending: unfinished, confirmations } = preconditions.sealCertificate;
  const isDone =
    unfinished === null &&
    confirmedIn !== null &&
    newestFirst(confirmations).some((session) => session === confirmedIn);
  // A confirmation counts once: asked again, it supersedes nothing more.
  if (isDone) return sealIdentityOf(preconditions, clock.now().toISOString());
  if (latinRegister(register) === null) {
    throw new Refusal('CONFLICT', {
      detail: 'The registration number contains letters that a certificate cannot contain.',
    });
  }
  const pending = await requested(dependencies, { preconditions, confirmedIn }, context);
  await certifyKey(
    dependencies,
    certifiedName(activeOrganization(preconditions)),
    pending,
    context,
  );
  const { serial } = pending;
  const now = clock.now().toISOString();
  const recording = { type: 'RecordSealCertificate', serial, now } as const;
  const { state, position } = await sealCertificates.handle(register, recording, context);
  await settleSealCertificate(dependencies, register, state.current?.supersedes ?? null, context);
  if (position !== null) await preconditionCache.followed(position);
  const after = await readSealPreconditions(eventStore, register);
  return sealIdentityOf(after, clock.now().toISOString());
}

/**
 * Completes the replacement of a seal certificate: supersedes the previous one, and revokes all when the organization
 * was revoked meanwhile. Idempotent.
 */
export async function settleSealCertificate(
  dependencies: Pick<
    IssueSealCertificateDependencies,
    'certificates' | 'sealCertificates' | 'eventStore' | 'clock'
  >,
  register: string,
  superseded: string | null,
  context: CommandContext,
): Promise<void> {
  const { certificates, eventStore, clock } = dependencies;
  const { organization, sealCertificate } = await readSealPreconditions(eventStore, register);
  if (organization.status === 'REVOKED') {
    await endSealCertificates(dependencies, register, context);
    return;
  }
  const by = sealCertificate.current?.serial;
  if (superseded === null || by === undefined || by === superseded) return;
  const now = clock.now().toISOString();
  await certificates.handle(superseded, { type: 'SupersedeCertificate', by, now }, context);
}

/** The certificate to issue: a new one, or the one a crash left unfinished. */
async function requested(
  dependencies: IssueSealCertificateDependencies,
  {
    preconditions: { organization, sealCertificate, certificate },
    confirmedIn,
  }: { readonly preconditions: SealPreconditions; readonly confirmedIn: string | null },
  context: CommandContext,
): Promise<SealCertificateRequested['data']> {
  const { sealCertificates, clock, randomness, level, keyPrefix } = dependencies;
  if (organization.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  const { register } = organization;
  const { current, pending } = sealCertificate;
  const serial = newSerial(randomness);
  const keyLabel = keyLabelFor({ certificate, current, level, name: keyPrefix + register, serial });
  const left =
    pending === null ? null : await loadUnlessOrphaned(dependencies, pending.serial, context);
  const { state } = await sealCertificates.handle(
    register,
    {
      type: 'RequestSealCertificate',
      requested: {
        register,
        serial,
        level,
        keyLabel,
        confirmedIn,
        requestedAt: clock.now().toISOString(),
      },
      after: current?.serial ?? null,
      insteadOf: left?.status === 'REVOKED' ? (pending?.serial ?? null) : null,
    },
    context,
  );
  if (state.pending === null) throw new Refusal('CONFLICT');
  return state.pending;
}

/** Reuses the key, unless its certificate was revoked or it is in the other vault. */
function keyLabelFor(options: {
  readonly certificate: Certificate;
  readonly current: { readonly level: SealLevel; readonly keyLabel: string } | null;
  readonly level: SealLevel;
  readonly name: string;
  readonly serial: string;
}): string {
  const { certificate, current, level, name, serial } = options;
  if (current === null) return name;
  const isFit = current.level === level && certificate.status !== 'REVOKED';
  return isFit ? current.keyLabel : `${name}-${serial.slice(0, 8)}`;
}

async function certifyKey(
  dependencies: IssueSealCertificateDependencies,
  name: string,
  { register, serial, level, keyLabel }: SealCertificateRequested['data'],
  context: CommandContext,
): Promise<void> {
  const { authority, clock, vaults } = dependencies;
  const etsi = organizationEtsi(register);
  const issuer = await authority.active(caKindFor(etsi));
  const key = await vaultOf(vaults, level).ensureKey(keyLabel, 'P-256');

  function request(): CertificateRequested['data'] {
    const requestedAt = clock.now();
    const notBefore = authority.beginOfValidity(issuer.authority, requestedAt);
    const end = new Date(notBefore);
    end.setUTCFullYear(end.getUTCFullYear() + VALID_YEARS);
    const notAfter = end < issuer.notAfter ? end : issuer.notAfter;
    return {
      serial,
      type: 'SEAL',
      level,
      keyType: 'P-256',
      keyLabel,
      holder: { kind: 'organization', register },
      authority: issuer.authority,
      issuer: issuer.name,
      publicKey: key.publicKey.toString('base64'),
      notBefore: notBefore.toISOString(),
      notAfter: notAfter.toISOString(),
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
        authority,
        type: 'SEAL',
        level,
        keyType: 'P-256',
        serial,
        organization: { etsi, name },
        publicKey: Buffer.from(publicKey, 'base64'),
        notBefore: new Date(notBefore),
        notAfter: new Date(notAfter),
      }),
    },
    context,
  );
}
