import type { KeyVault } from '../../application/ports/keyVault.ts';

/** A vault that signs only when it may. @param assertMaySign throws when it may not */
export function createGuardedKeyVault(vault: KeyVault, assertMaySign: () => void): KeyVault {
  return {
    ensureKey: (...parameters) => vault.ensureKey(...parameters),
    findKey: (label) => vault.findKey(label),
    sign: async (...parameters) => {
      assertMaySign();
      return vault.sign(...parameters);
    },
    signDigest: async (...parameters) => {
      assertMaySign();
      return vault.signDigest(...parameters);
    },
    check: () => vault.check(),
  };
}
