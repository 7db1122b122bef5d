import {
  importKey,
  type VerificationKey,
} from '../../infrastructure/pki/kernel/verificationKey.ts';

/** LRU cache of imported keys. */
export function createKeyCache(limit = 2000): (spki: Buffer) => VerificationKey | null {
  const keys = new Map<string, VerificationKey>();
  return (spki) => {
    const name = spki.toString('latin1');
    const key = keys.get(name) ?? importKey(spki);
    if (key === null) return null;
    keys.delete(name);
    keys.set(name, key);
    if (keys.size > limit) {
      const [oldest = ''] = keys.keys();
      keys.delete(oldest);
    }
    return key;
  };
}
