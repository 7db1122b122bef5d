import { soleWrappingKey } from '../../../infrastructure/codec/wrappingKeys.ts';
import { randomBytes } from 'node:crypto';
import type { EncryptedKey } from '../../../infrastructure/hsm/encryptedKeys.ts';
import { createSoftwareKeyVault } from '../../../infrastructure/hsm/softwareKeyVault.ts';
import type { CaName } from '../../../infrastructure/pki/caCertificates.ts';
import {
  createCertificateAuthority,
  type StartableCertificateAuthority,
} from '../../../infrastructure/pki/certificateAuthority.ts';
import { noRevokedIssuers } from '../../support/doubles/memoryPki.ts';
import { createEcdsaDigestPool } from '../../../infrastructure/pki/ecdsaDigestPool.ts';
import { systemClock, systemRandomness } from '../../../infrastructure/system.ts';

/** Starts the certificate authority on software keys, without a database. */
export async function startBenchAuthority(): Promise<StartableCertificateAuthority> {
  return (await startBenchKeys()).authority;
}

/** Starts the certificate authority and its vault. `stop` ends the threads that sign digests. */
export async function startBenchKeys() {
  const keys = new Map<string, EncryptedKey>();
  const certificates = new Map<CaName, Buffer>();
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
    certificates: {
      find: (name) => Promise.resolve(certificates.get(name) ?? null),
      keep: (name, certificate) => {
        certificates.set(name, certificate);
        return Promise.resolve(certificate);
      },
    },
    clock: systemClock,
    randomness: systemRandomness,
    baseUrl: 'http://pki.example',
  });
  await authority.start();
  return { authority, vault, stop: () => ecdsaDigests.stop() };
}
