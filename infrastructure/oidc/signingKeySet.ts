import type { KeyVault, VaultKey, VaultKeyType } from '../../application/ports/keyVault.ts';
import { type IdTokenAlgorithm, idTokenAlgorithms } from '../../domain/oidcClient/settings.ts';

/** A key of the provider; it signs with one algorithm alone (RFC 7517 §4.4). */
export interface ProviderKey extends VaultKey {
  readonly algorithm: IdTokenAlgorithm;
}

const keyTypes = {
  ES256: 'P-256',
  RS256: 'RSA-3072',
  PS256: 'RSA-3072',
  EdDSA: 'Ed25519',
} as const satisfies Record<IdTokenAlgorithm, VaultKeyType>;

/** Label of the key of a period and an algorithm. That of ES256, once the only one, is the period's. */
function keyLabel(period: string, algorithm: IdTokenAlgorithm): string {
  return algorithm === 'ES256' ? period : `${period}-${algorithm.toLowerCase()}`;
}

/** Keys of the provider, and what of them could not be made. */
export interface ProviderKeys {
  /** Of each algorithm the signing one first; an algorithm without a signing one has none. */
  readonly keys: readonly ProviderKey[];
  readonly leftOut: readonly LeftOutKey[];
}

export interface LeftOutKey {
  readonly label: string;
  readonly cause: unknown;
}

/**
 * The keys of these periods, one for each algorithm, made where they are missing: by whichever process needs them
 * first, the vault sees to it that all have the same. One is made after another: a token takes seconds for one of RSA,
 * and signs nothing else meanwhile. One that cannot be made is left out, whatever the reason, unless it is of ES256: a
 * token may have no Ed25519, and logins go on without it.
 *
 * @param periods labels, the signing one first
 * @throws what the vault throws for a key of ES256
 */
export async function ensureProviderKeys(
  vault: Pick<KeyVault, 'ensureKey'>,
  periods: readonly string[],
): Promise<ProviderKeys> {
  const made: { readonly period: string; readonly key: ProviderKey }[] = [];
  const leftOut: LeftOutKey[] = [];

  /** @returns false when it is left out */
  async function make(period: string, algorithm: IdTokenAlgorithm): Promise<boolean> {
    const label = keyLabel(period, algorithm);
    try {
      const key = await vault.ensureKey(label, keyTypes[algorithm]);
      made.push({ period, key: { ...key, algorithm } });
      return true;
    } catch (cause) {
      if (algorithm === 'ES256') throw cause;
      leftOut.push({ label, cause });
      return false;
    }
  }

  const [signing = '', ...others] = periods;
  for (const algorithm of idTokenAlgorithms) {
    if (!(await make(signing, algorithm))) continue;
    for (const period of others) await make(period, algorithm);
  }
  const keysOf = (period: string) => made.filter((each) => each.period === period);
  return { keys: periods.flatMap(keysOf).map(({ key }) => key), leftOut };
}
