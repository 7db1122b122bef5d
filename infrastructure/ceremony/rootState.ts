import { createSecretKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import { decryptText, encryptText } from '../codec/encryption.ts';
import { soleWrappingKey, wrappingKeyOf } from '../codec/wrappingKeys.ts';
import { createPkcs11KeyVault } from '../hsm/pkcs11KeyVault.ts';
import type { EncryptedKey } from '../hsm/encryptedKeys.ts';
import { createSoftwareKeyVault, rewrapSoftwareKey } from '../hsm/softwareKeyVault.ts';
import { createTokenThread } from '../hsm/tokenThread.ts';
import { caKeyLabel } from '../pki/caIssuing.ts';
import { createEcdsaDigestPool } from '../pki/ecdsaDigestPool.ts';
import { replaceFile } from './privateFiles.ts';

/** Label of the root's key. */
export const rootKeyLabel = caKeyLabel('root');

const key = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('software'),
    /** SubjectPublicKeyInfo, base64. */
    publicKey: z.base64(),
    /** PKCS#8, encrypted under the shared secret; base64. */
    sealed: z.base64(),
  }),
  z.strictObject({
    kind: z.literal('token'),
    /** Path of the PKCS#11 module, and label of the token. */
    module: z.string(),
    token: z.string(),
    /** Encrypted under the shared secret; base64. */
    pin: z.base64(),
  }),
]);

const schema = z.strictObject({
  format: z.literal(1),
  /** Content of every certificate: the operator, and where the status is. */
  operator: z.strictObject({ name: z.string(), etsi: z.string(), country: z.string().length(2) }),
  policyArc: z.string(),
  baseUrl: z.string(),
  /** The root's certificate, DER in base64. */
  certificate: z.base64(),
  key,
  shared: z.strictObject({
    of: z.string(),
    threshold: z.number().int().min(2),
    custodians: z.array(z.strictObject({ name: z.string(), sha256: z.string().length(64) })),
  }),
});

/**
 * All that is kept of an offline root beside its last revocation list, which its signature protects; what is secret in
 * it is encrypted.
 */
export type RootState = z.infer<typeof schema>;
export type RootKey = RootState['key'];

const fileOf = (directory: string) => join(directory, 'root.json');

/** @throws Error when the directory holds no root, or another format of it */
export async function readRootState(directory: string): Promise<RootState> {
  let text: string;
  try {
    text = await readFile(fileOf(directory), 'utf8');
  } catch (cause) {
    throw new Error(
      `${directory} contains no root (root.json). Make one with ./tamga ceremony root, or name its directory with --dir.`,
      { cause },
    );
  }
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(
    `${fileOf(directory)} was not written by this version: ${z.prettifyError(parsed.error)}`,
  );
}

/** Writes the state whole, readable by its owner alone. */
export function writeRootState(directory: string, state: RootState): Promise<void> {
  return replaceFile(fileOf(directory), `${JSON.stringify(state, null, 2)}\n`);
}

/** The root's key, open until it is stopped. */
export interface OpenRootKey {
  readonly vault: KeyVault;
  stop(): Promise<void>;
}

/**
 * Opens a software key.
 *
 * @param secret the shared one; wiped by the caller, who may do so at once
 * @param kept null: a new one is generated
 * @param onKept receives what is to be kept of a new one
 */
export function openSoftwareKey(
  secret: Buffer,
  kept: EncryptedKey | null,
  onKept: (key: EncryptedKey) => void = () => undefined,
): OpenRootKey {
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });
  let known = kept;
  const vault = createSoftwareKeyVault({
    keys: {
      find: (label) => Promise.resolve(label === rootKeyLabel ? known : null),
      keep: (made) => {
        known ??= made;
        onKept(known);
        return Promise.resolve(known);
      },
      check: () => Promise.resolve(),
    },
    wrapping: soleWrappingKey(secret),
    ecdsaDigests,
  });
  return { vault, stop: () => ecdsaDigests.stop() };
}

/** Opens the key in a token, or makes it there. */
export function openTokenKey(module: string, token: string, pin: string): OpenRootKey {
  const thread = createTokenThread({
    modulePath: module,
    tokenLabel: token,
    pin,
    sessions: 1,
  });
  // Nobody else uses the token meanwhile.
  const vault = createPkcs11KeyVault({ tokenKeys: thread, withLock: (_, work) => work() });
  return { vault, stop: () => thread.stop() };
}

/** Opens the key that is kept. @param secret the shared one, 32 bytes */
export function openKeptKey(kept: RootKey, secret: Buffer): OpenRootKey {
  if (kept.kind === 'token') {
    return openTokenKey(kept.module, kept.token, openPin(kept, secret));
  }
  return openSoftwareKey(secret, encryptedKeyOf(kept));
}

/**
 * Encrypts what is kept of the key under another secret; the key itself stays.
 *
 * @param pin a new one of the token, which was set there before; undefined: it stays
 */
export function rewrapRootKey(
  kept: RootKey,
  {
    from,
    to,
    pin,
  }: { readonly from: Buffer; readonly to: Buffer; readonly pin?: string | undefined },
): RootKey {
  if (kept.kind === 'token') {
    return { ...kept, pin: encryptPin(kept.token, pin ?? openPin(kept, from), to) };
  }
  const { encrypted } = rewrapSoftwareKey(
    soleWrappingKey(from),
    wrappingKeyOf(to, 0),
    encryptedKeyOf(kept),
  );
  return { ...kept, sealed: encrypted.toString('base64') };
}

const encryptedKeyOf = (kept: Extract<RootKey, { kind: 'software' }>): EncryptedKey => ({
  label: rootKeyLabel,
  type: 'P-384',
  publicKey: Buffer.from(kept.publicKey, 'base64'),
  encrypted: Buffer.from(kept.sealed, 'base64'),
});

const contextOf = (token: string) => Buffer.from(`root-token-pin:${token}`, 'utf8');

/** Encrypts the PIN of a token under the shared secret. */
export const encryptPin = (token: string, pin: string, secret: Buffer) =>
  encryptText(createSecretKey(secret), contextOf(token), pin);

const openPin = (kept: Extract<RootKey, { kind: 'token' }>, secret: Buffer) =>
  decryptText(createSecretKey(secret), contextOf(kept.token), kept.pin);
