import { Overloaded, Unavailable } from '../../application/ports/faults.ts';
import type { KeyVault, VaultKey, VaultKeyType } from '../../application/ports/keyVault.ts';
import { type IdTokenAlgorithm, idTokenAlgorithms } from '../../domain/oidcClient/events.ts';

/** A key of the provider; it signs with one algorithm alone (RFC 7517 §4.4). */
export interface ProviderKey extends VaultKey {
  readonly algorithm: IdTokenAlgorithm;
}

const keyTypes = {
  ES256: 'P-256',
  RS256: 'RSA-3072',
  PS256: 'RSA-3072',
} as const satisfies Record<IdTokenAlgorithm, VaultKeyType>;

/** Label of the key of a period and an algorithm. That of ES256, once the only one, is the period's. */
function keyLabel(period: string, algorithm: IdTokenAlgorithm): string {
  return algorithm === 'ES256' ? period : `${period}-${algorithm.toLowerCase()}`;
}

/**
 * The keys of these periods, one for each algorithm, made where they are missing: by whichever process needs them
 * first, the vault sees to it that all have the same.
 *
 * @param periods labels, the signing one first
 * @param onUnsupported called for a key that the vault cannot make, as tokens without RSA; it is left out then, and its
 * algorithm not offered. Keys of ES256 are never left out
 */
export async function ensureProviderKeys(
  vault: Pick<KeyVault, 'ensureKey'>,
  periods: readonly string[],
  onUnsupported: (cause: unknown) => void,
): Promise<readonly ProviderKey[]> {
  const wanted = periods.flatMap((period) =>
    idTokenAlgorithms.map((algorithm) => ({ period, algorithm })),
  );
  const keys = await Promise.all(
    wanted.map(async ({ period, algorithm }): Promise<readonly ProviderKey[]> => {
      try {
        const label = keyLabel(period, algorithm);
        return [{ ...(await vault.ensureKey(label, keyTypes[algorithm])), algorithm }];
      } catch (error) {
        const isOutage = error instanceof Unavailable || error instanceof Overloaded;
        if (isOutage || algorithm === 'ES256') throw error;
        onUnsupported(error);
        return [];
      }
    }),
  );
  return keys.flat();
}
