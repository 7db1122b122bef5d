import type pg from 'pg';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import type { Config } from '../config/config.ts';
import type { EcdsaDigestPool } from '../pki/ecdsaDigestPool.ts';
import type { WrappingKeys } from '../codec/wrappingKeys.ts';
import { createAdvisoryLock } from '../postgres/advisoryLock.ts';
import { createPkcs11KeyVault } from './pkcs11KeyVault.ts';
import { createPostgresEncryptedKeys } from './postgresEncryptedKeys.ts';
import { createSoftwareKeyVault } from './softwareKeyVault.ts';
import { createTokenThread } from './tokenThread.ts';

export interface KeyVaultResources {
  readonly pool: pg.Pool;
  /** Encrypts software keys. */
  readonly wrapping: WrappingKeys;
  readonly ecdsaDigests: EcdsaDigestPool;
}

/** Opens the configured vault: a PKCS#11 token, or software keys without one. */
export function openKeyVault(
  config: Config,
  { pool, wrapping, ecdsaDigests }: KeyVaultResources,
): {
  readonly keyVault: KeyVault;
  /** Software keys, also where a token is configured. */
  readonly softwareKeys: KeyVault;
  /** Null: no token is configured. */
  readonly tokenKeys: KeyVault | null;
  readonly stop: () => Promise<void>;
} {
  const softwareKeys = createSoftwareKeyVault({
    keys: createPostgresEncryptedKeys(pool),
    wrapping,
    ecdsaDigests,
  });
  const { SVC_PKCS11_MODULE: modulePath, SVC_PKCS11_TOKEN: tokenLabel } = config;
  if (modulePath === undefined || tokenLabel === undefined) {
    return {
      keyVault: softwareKeys,
      softwareKeys,
      tokenKeys: null,
      stop: () => Promise.resolve(),
    };
  }
  const token = createTokenThread({
    modulePath,
    tokenLabel,
    pin: config.SVC_PKCS11_PIN ?? '',
    sessions: config.SVC_PKCS11_SESSIONS,
    loginAnyway: config.SVC_PKCS11_LOGIN_ANYWAY,
  });
  const tokenKeys = createPkcs11KeyVault({
    tokenKeys: token,
    withLock: createAdvisoryLock(pool),
  });
  return { keyVault: tokenKeys, softwareKeys, tokenKeys, stop: () => token.stop() };
}
