import { createHash } from 'node:crypto';
import type { KeyVault, VaultKey } from '../../application/ports/keyVault.ts';
import { requireDigest } from '../../domain/shared/digest.ts';
import type { TokenKeys } from './tokenKeys.ts';

/** Runs work under a lock of that name, exclusive over all processes. */
export type WithLock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export interface Pkcs11KeyVaultOptions {
  readonly tokenKeys: TokenKeys;
  /** Guards key generation: a token does not keep labels unique. */
  readonly withLock: WithLock;
}

/** Platform keys in a PKCS#11 token: generated there, sensitive, not extractable. */
export function createPkcs11KeyVault({ tokenKeys, withLock }: Pkcs11KeyVaultOptions): KeyVault {
  const inBuffer = ({ buffer, byteOffset, length }: Uint8Array) =>
    Buffer.from(buffer, byteOffset, length);

  /** Labels of keys of Ed25519, which are given the message instead of its digest. */
  const ofEdwards = new Set<string>();

  async function find(label: string): Promise<VaultKey | null> {
    const key = await tokenKeys.find(label);
    if (key?.type === 'Ed25519') ofEdwards.add(label);
    return key;
  }

  return {
    async ensureKey(label, type) {
      const key =
        (await find(label)) ??
        (await withLock(`key ${label}`, async () => {
          const meanwhile = await find(label);
          if (meanwhile !== null) return meanwhile;
          await tokenKeys.generate(label, type);
          const made = await find(label);
          if (made === null) throw new Error(`The token did not store the generated key ${label}.`);
          return made;
        }));
      if (key.type !== type)
        throw new Error(`The key ${label} is of type ${key.type}, not ${type}.`);
      return key;
    },
    findKey: find,
    async signDigest(label, digest) {
      requireDigest(digest);
      return inBuffer(await tokenKeys.signDigest(label, digest));
    },
    async sign(label, message, hash, padding = 'PKCS1') {
      if (ofEdwards.has(label)) return inBuffer(await tokenKeys.signMessage(label, message));
      const digest = createHash(hash).update(message).digest();
      return inBuffer(await tokenKeys.signDigest(label, digest, { hash, padding }));
    },
    check: () => tokenKeys.check(),
  };
}
