import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  hkdfSync,
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
import { requireDigest } from '../../domain/shared/digest.ts';
import { type EncryptedKey, type EncryptedKeys, signsMessagesOnly } from './encryptedKeys.ts';

const generate = promisify(generateKeyPair);
const sign = promisify(nativeSign);

const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

interface DecryptedKey {
  readonly key: VaultKey;
  readonly privateKey: KeyObject;
  /** The private scalar, big-endian, for signing digests; of RSA keys unused. */
  readonly scalar: Uint8Array;
}

export interface SoftwareKeyVaultOptions {
  readonly keys: EncryptedKeys;
  /** At least 32 secret bytes (`SVC_SW_MASTER_KEY`). */
  readonly masterKey: Buffer;
  readonly ecdsaDigests: EcdsaDigestPool;
}

/**
 * Platform keys in software: PKCS#8 encrypted with AES-256-GCM under a key derived from the master key, label and type
 * bound as additional data so that rows cannot be exchanged. Decrypted keys stay in memory.
 *
 * @throws Error when the master key is too short
 */
export function createSoftwareKeyVault(options: SoftwareKeyVaultOptions): KeyVault {
  const { keys, masterKey, ecdsaDigests } = options;
  if (masterKey.length < 32) throw new Error('The master key must have at least 32 bytes.');
  const encryptionKey = encryptionKeyOf(masterKey);
  const decrypted = new Map<string, DecryptedKey>();

  function decrypt({ label, type, publicKey, encrypted }: EncryptedKey): DecryptedKey {
    const nonce = encrypted.subarray(0, NONCE_LENGTH);
    const tag = encrypted.subarray(NONCE_LENGTH, NONCE_LENGTH + TAG_LENGTH);
    const decipher = createDecipheriv('aes-256-gcm', encryptionKey, nonce, {
      authTagLength: TAG_LENGTH,
    });
    decipher.setAAD(boundTo(label, type));
    decipher.setAuthTag(tag);
    try {
      const pkcs8 = Buffer.concat([
        decipher.update(encrypted.subarray(NONCE_LENGTH + TAG_LENGTH)),
        decipher.final(),
      ]);
      const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
      pkcs8.fill(0);
      const scalar = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
      return { key: { label, type, publicKey }, privateKey, scalar };
    } catch {
      throw new Error(`The software key ${label} cannot be decrypted with this master key.`);
    }
  }

  function remember(encryptedKey: EncryptedKey): DecryptedKey {
    const known = decrypted.get(encryptedKey.label) ?? decrypt(encryptedKey);
    decrypted.set(encryptedKey.label, known);
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
    return remember(await keys.keep(encrypted(encryptionKey, label, type, privateKey)));
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
      if (key.type === 'RSA-3072') throw new Error(signsMessagesOnly(label));
      return writeEcdsaSignature(await ecdsaDigests.sign(key.type, digest, scalar));
    },
    async sign(label, message, hash, padding) {
      const { key, privateKey } = await keyOf(label);
      return sign(hash, message, {
        key: privateKey,
        ...(key.type === 'RSA-3072' && paddings[padding ?? 'PKCS1']),
      });
    },
    check: () => keys.check(),
  };
}

/**
 * A key made elsewhere, as the vault keeps it under this master key.
 *
 * @param privateKey of that type
 */
export function encryptSoftwareKey(
  masterKey: Buffer,
  label: string,
  type: VaultKeyType,
  privateKey: KeyObject,
): EncryptedKey {
  return encrypted(encryptionKeyOf(masterKey), label, type, privateKey);
}

const encryptionKeyOf = (masterKey: Buffer) =>
  Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'tamga software key sealing v1', 32));

function encrypted(
  encryptionKey: Buffer,
  label: string,
  type: VaultKeyType,
  privateKey: KeyObject,
): EncryptedKey {
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce);
  cipher.setAAD(boundTo(label, type));
  const ciphertext = Buffer.concat([cipher.update(pkcs8), cipher.final()]);
  pkcs8.fill(0);
  return {
    label,
    type,
    publicKey,
    encrypted: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]),
  };
}

const paddings = {
  PKCS1: { padding: constants.RSA_PKCS1_PADDING },
  PSS: {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  },
} as const satisfies Record<RsaPadding, object>;

function generatePair(type: VaultKeyType) {
  return type === 'RSA-3072'
    ? generate('rsa', { modulusLength: 3072 })
    : generate('ec', { namedCurve: type });
}

function boundTo(label: string, type: VaultKeyType): Buffer {
  return Buffer.from(JSON.stringify([label, type]), 'utf8');
}
