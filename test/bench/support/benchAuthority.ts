import { soleWrappingKey } from '../../../infrastructure/codec/wrappingKeys.ts';
import { randomBytes } from 'node:crypto';
import type { EncryptedKey } from '../../../infrastructure/hsm/encryptedKeys.ts';
import { createSoftwareKeyVault } from '../../../infrastructure/hsm/softwareKeyVault.ts';
import {
  createCertificateAuthority,
  type StartableCertificateAuthority,
} from '../../../infrastructure/pki/certificateAuthority.ts';
import { createMemoryCaCertificates, noRevokedIssuers } from '../../support/doubles/memoryPki.ts';
import { createEcdsaDigestPool } from '../../../infrastructure/pki/ecdsaDigestPool.ts';
import { systemClock, systemRandomness } from '../../../infrastructure/system.ts';

/** Starts the certificate authority on software keys, without a database. */
export async function startBenchAuthority(): Promise<StartableCertificateAuthority> {
  return (await startBenchKeys()).authority;
}

/** Starts the certificate authority and its vault. `stop` ends the threads that sign digests. */
export async function startBenchKeys() {
  const keys = new Map<string, EncryptedKey>();
  const ecdsaDigests = createEcdsaDigestPool();
  const vault = createSoftwareKeyVault({
    keys: {
      find: (label) => Promise.resolve(keys.get(label) ?? null),
      keep: (key) => {
        keys.set(key.label, key);
        return Promise.resolve(key);
      },
      check: () => Promise.resolve(),
    },
    wrapping: soleWrappingKey(randomBytes(32)),
    // The first digest starts its threads; certificates need none.
    ecdsaDigests,
  });
  const authority = createCertificateAuthority({
    revokedIssuers: noRevokedIssuers,
    vault,
    certificates: createMemoryCaCertificates(),
    clock: systemClock,
    randomness: systemRandomness,
    baseUrl: 'http://pki.example',
  });
  await authority.start();
  return { authority, vault, stop: () => ecdsaDigests.stop() };
}
