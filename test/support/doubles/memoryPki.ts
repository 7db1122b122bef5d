import { soleWrappingKey } from '../../../infrastructure/codec/wrappingKeys.ts';
import { randomBytes } from 'node:crypto';
import type { KeyVault } from '../../../application/ports/keyVault.ts';
import type {
  ServiceIdentityPointer,
  ServiceIdentityPointers,
} from '../../../application/certificate/ports/serviceIdentityPointers.ts';
import type { EncryptedKey, EncryptedKeys } from '../../../infrastructure/hsm/encryptedKeys.ts';
import { createSoftwareKeyVault } from '../../../infrastructure/hsm/softwareKeyVault.ts';
import type { IssuingAuthority } from '../../../domain/shared/issuingCas.ts';
import type { CaCertificates } from '../../../infrastructure/pki/caCertificates.ts';
import {
  createCertificateAuthority,
  type CertificateAuthorityOptions,
  type StartableCertificateAuthority,
} from '../../../infrastructure/pki/certificateAuthority.ts';
import {
  createEcdsaDigestPool,
  type EcdsaDigestPool,
} from '../../../infrastructure/pki/ecdsaDigestPool.ts';
import { systemClock, systemRandomness } from '../../../infrastructure/system.ts';

/** Sealed keys in memory; one Map shared by several stands for one database. */
export function createMemoryEncryptedKeys(kept = new Map<string, EncryptedKey>()): EncryptedKeys {
  return {
    find: (label) => Promise.resolve(kept.get(label) ?? null),
    keep: (key) => {
      const holder = kept.get(key.label) ?? key;
      kept.set(key.label, holder);
      return Promise.resolve(holder);
    },
    check: () => Promise.resolve(),
  };
}

/** CA certificates in memory. */
export function createMemoryCaCertificates(
  kept = new Map<IssuingAuthority, Buffer>(),
): CaCertificates {
  return {
    all: () => Promise.resolve(kept),
    find: (name) => Promise.resolve(kept.get(name) ?? null),
    keep: (name, certificate) => {
      const holder = kept.get(name) ?? certificate;
      kept.set(name, holder);
      return Promise.resolve(holder);
    },
  };
}

/** Pointers of service identities in memory. */
export function createMemoryPointers(): ServiceIdentityPointers {
  const kept = new Map<string, ServiceIdentityPointer>();
  return {
    find: (purpose) => Promise.resolve(kept.get(purpose) ?? null),
    move: (purpose, from, serial) => {
      const now = kept.get(purpose);
      const moved = { serial, replaces: from };
      if ((now?.serial ?? null) === from) kept.set(purpose, moved);
      return Promise.resolve(kept.get(purpose) ?? moved);
    },
  };
}

/** A vault with software keys in memory. */
export function createTestVault(): {
  readonly vault: KeyVault;
  readonly ecdsaDigests: EcdsaDigestPool;
} {
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });
  const keys = createMemoryEncryptedKeys();
  return {
    ecdsaDigests,
    vault: createSoftwareKeyVault({
      keys,
      wrapping: soleWrappingKey(randomBytes(32)),
      ecdsaDigests,
    }),
  };
}

/** A root that revoked no authority. */
export const noRevokedIssuers = { of: () => Promise.resolve(null) };

export interface TestAuthority {
  readonly authority: StartableCertificateAuthority;
  readonly vault: KeyVault;
  readonly ecdsaDigests: EcdsaDigestPool;
  /** Ends the worker threads. */
  stop(): Promise<void>;
}

/** A started authority on software keys in memory. */
export async function startTestAuthority(
  overrides: Partial<CertificateAuthorityOptions> = {},
): Promise<TestAuthority> {
  const made = createTestVault();
  const { ecdsaDigests } = made;
  const { vault = made.vault } = overrides;
  const authority = createCertificateAuthority({
    vault,
    certificates: createMemoryCaCertificates(),
    clock: systemClock,
    randomness: systemRandomness,
    baseUrl: 'http://pki.test',
    revokedIssuers: noRevokedIssuers,
    ...overrides,
  });
  await authority.start();
  return { authority, vault, ecdsaDigests, stop: () => ecdsaDigests.stop() };
}
