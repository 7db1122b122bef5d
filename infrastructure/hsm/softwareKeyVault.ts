import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign as nativeSign,
} from 'node:crypto';
import { promisify } from 'node:util';
import type {
  KeyVault,
  RsaPadding,
  VaultKey,
  VaultKeyType,
} from '../../application/ports/keyVault.ts';
import type { EcdsaDigestPool } from '../pki/ecdsaDigestPool.ts';
import { writeEcdsaSignature } from '../pki/kernel/der.ts';
import { versioned, type WrappingKey, type WrappingKeys } from '../codec/wrappingKeys.ts';
import { requireDigest } from '../../domain/shared/digest.ts';
import { type EncryptedKey, type EncryptedKeys, signsMessagesOnly } from './encryptedKeys.ts';

const generate = promisify(generateKeyPair);
const sign = promisify(nativeSign);

const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

interface DecryptedKey {
  readonly key: VaultKey;
  readonly privateKey: KeyObject;
  /** The private scalar, big-endian, for signing digests; of RSA and Ed25519 unused. */
  readonly scalar: Uint8Array;
}

export interface SoftwareKeyVaultOptions {
  readonly keys: EncryptedKeys;
  readonly wrapping: WrappingKeys;
  readonly ecdsaDigests: EcdsaDigestPool;
}

/**
 * Platform keys in software: PKCS#8 encrypted with AES-256-GCM under a key derived from the master key, label and type
 * bound as additional data so that rows cannot be exchanged. Decrypted keys stay in memory.
 */
export function createSoftwareKeyVault(options: SoftwareKeyVaultOptions): KeyVault {
  const { keys, wrapping, ecdsaDigests } = options;
  const decrypted = new Map<string, DecryptedKey>();

  async function decrypt(encryptedKey: EncryptedKey): Promise<DecryptedKey> {
    const { label, type, publicKey } = encryptedKey;
    let opened = openEncryptedKey(wrapping, encryptedKey);
    if (opened === null) {
      // Its generation may have begun since.
      await wrapping.refresh();
      opened = openEncryptedKey(wrapping, encryptedKey);
    }
    if (opened === null) throw otherMasterKey(label);
    const { pkcs8 } = opened;
    const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    pkcs8.fill(0);
    const scalar = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
    return { key: { label, type, publicKey }, privateKey, scalar };
  }

  async function remember(encryptedKey: EncryptedKey): Promise<DecryptedKey> {
    const { label } = encryptedKey;
    const read = decrypted.get(label) ?? (await decrypt(encryptedKey));
    const known = decrypted.get(label) ?? read;
    decrypted.set(label, known);
    return known;
  }

  async function find(label: string): Promise<DecryptedKey | null> {
    const known = decrypted.get(label);
    if (known !== undefined) return known;
    const kept = await keys.find(label);
    return kept === null ? null : remember(kept);
  }

  async function keyOf(label: string): Promise<DecryptedKey> {
    const found = await find(label);
    if (found === null) throw new Error(`There is no key ${label} in the vault.`);
    return found;
  }

  async function create(label: string, type: VaultKeyType): Promise<DecryptedKey> {
    const { privateKey } = await generatePair(type);
    for (;;) {
      const under = wrapping.current();
      const made = encryptSoftwareKey(under, label, type, privateKey);
      const kept = await keys.keep(made, under.generation);
      if (kept !== null) return remember(kept);
      await wrapping.refresh();
    }
  }

  return {
    async ensureKey(label, type) {
      const { key } = (await find(label)) ?? (await create(label, type));
      if (key.type !== type)
        throw new Error(`The key ${label} is of type ${key.type}, not ${type}.`);
      return key;
    },
    async findKey(label) {
      return (await find(label))?.key ?? null;
    },
    async signDigest(label, digest) {
      requireDigest(digest);
      const { key, scalar } = await keyOf(label);
      if (key.type === 'RSA-3072' || key.type === 'Ed25519') {
        throw new Error(signsMessagesOnly(label));
      }
      return writeEcdsaSignature(await ecdsaDigests.sign(key.type, digest, scalar));
    },
    async sign(label, message, hash, padding) {
      const { key, privateKey } = await keyOf(label);
      return sign(key.type === 'Ed25519' ? null : hash, message, {
        key: privateKey,
        ...(key.type === 'RSA-3072' && paddings[padding ?? 'PKCS1']),
      });
    },
    check: () => keys.check(),
  };
}

/**
 * A private key as the vault keeps it.
 *
 * @param privateKey of that type
 */
export function encryptSoftwareKey(
  wrapping: WrappingKey,
  label: string,
  type: VaultKeyType,
  privateKey: KeyObject,
): EncryptedKey {
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const encrypted = sealed(wrapping, { label, type }, pkcs8);
  pkcs8.fill(0);
  return { label, type, publicKey, encrypted };
}

/**
 * Encrypts a key under another master key.
 *
 * @returns with the generation that it was of
 * @throws Error when that one's master key was not given
 */
export function rewrapSoftwareKey(
  from: WrappingKeys,
  to: WrappingKey,
  key: EncryptedKey,
): { readonly of: number; readonly encrypted: Buffer } {
  const opened = openEncryptedKey(from, key);
  if (opened === null) throw otherMasterKey(key.label);
  const encrypted = sealed(to, key, opened.pkcs8);
  opened.pkcs8.fill(0);
  return { of: opened.generation, encrypted };
}

const otherMasterKey = (label: string) =>
  new Error(`The software key ${label} cannot be decrypted with this master key.`);

type Bound = Pick<EncryptedKey, 'label' | 'type'>;

function sealed({ generation, software }: WrappingKey, bound: Bound, pkcs8: Buffer): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv('aes-256-gcm', software, nonce).setAAD(boundTo(bound));
  const ciphertext = Buffer.concat([cipher.update(pkcs8), cipher.final()]);
  return versioned(generation, Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]));
}

/**
 * Opens a key of either form: the first byte of one of generation 0 is random, and may look like a version. The tag
 * tells which it is.
 *
 * @returns null: the master key it is encrypted under was not given
 */
function openEncryptedKey(
  wrapping: WrappingKeys,
  { encrypted, ...bound }: EncryptedKey,
): { readonly generation: number; readonly pkcs8: Buffer } | null {
  const generation = encrypted[0] ?? 0;
  const stated = generation === 0 ? undefined : wrapping.of(generation);
  const withVersion = stated === undefined ? null : opened(stated, bound, encrypted.subarray(1));
  if (withVersion !== null) return { generation, pkcs8: withVersion };
  const first = wrapping.of(0);
  const pkcs8 = first === undefined ? null : opened(first, bound, encrypted);
  return pkcs8 === null ? null : { generation: 0, pkcs8 };
}

function opened({ software }: WrappingKey, bound: Bound, encrypted: Buffer): Buffer | null {
  const decipher = createDecipheriv('aes-256-gcm', software, encrypted.subarray(0, NONCE_LENGTH), {
    authTagLength: TAG_LENGTH,
  });
  decipher.setAAD(boundTo(bound));
  decipher.setAuthTag(encrypted.subarray(NONCE_LENGTH, NONCE_LENGTH + TAG_LENGTH));
  try {
    const begin = decipher.update(encrypted.subarray(NONCE_LENGTH + TAG_LENGTH));
    return Buffer.concat([begin, decipher.final()]);
  } catch {
    return null;
  }
}

const paddings = {
  PKCS1: { padding: constants.RSA_PKCS1_PADDING },
  PSS: {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  },
} as const satisfies Record<RsaPadding, object>;

function generatePair(type: VaultKeyType) {
  if (type === 'RSA-3072') return generate('rsa', { modulusLength: 3072 });
  return type === 'Ed25519' ? generate('ed25519') : generate('ec', { namedCurve: type });
}

function boundTo({ label, type }: Bound): Buffer {
  return Buffer.from(JSON.stringify([label, type]), 'utf8');
}
