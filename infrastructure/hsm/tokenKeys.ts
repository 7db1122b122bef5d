import { createPublicKey, randomBytes } from 'node:crypto';
import pkcs11js from 'pkcs11js';
import type { EcdsaKeyType, VaultKey, VaultKeyType } from '../../application/ports/keyVault.ts';
import { writeEcdsaSignature } from '../pki/kernel/der.ts';
import type { Pkcs11Token, TokenSession } from './pkcs11Token.ts';
import { createAdaptiveSigning } from './adaptiveSigning.ts';
import {
  edwardsKeyGeneration,
  edwardsParameters,
  edwardsPublicKey,
  edwardsSignatureBytes,
  edwardsSigning,
  isEdwards,
} from './edwardsKeys.ts';
import {
  rsaMechanism,
  rsaParameters,
  rsaPublicKey,
  type RsaSigning,
  rsaSignatureBytes,
} from './rsaKeys.ts';
import { signsMessagesOnly } from './encryptedKeys.ts';

/**
 * Operations on the keys of a token, one call each.
 *
 * @throws Unavailable(keyVault), Overloaded from all of them; Error when there is no such key
 */
export interface TokenKeys {
  find(label: string): Promise<VaultKey | null>;
  /** Generates the pair, even when the label exists. */
  generate(label: string, type: VaultKeyType): Promise<void>;
  /**
   * @param rsa of RSA keys, which sign digests of a named hash alone
   * @returns DER SEQUENCE of r and s; of RSA keys the signature as long as the modulus
   */
  signDigest(label: string, digest: Uint8Array, rsa?: RsaSigning): Promise<Uint8Array>;
  /** Pure Ed25519 (RFC 8032 §5.1). @returns 64 bytes */
  signMessage(label: string, message: Uint8Array): Promise<Uint8Array>;
  /** Resolves when the token answers. */
  check(): Promise<void>;
}

interface Curve {
  /** OBJECT IDENTIFIER, DER: CKA_EC_PARAMS. */
  readonly parameters: Buffer;
  /** Bytes of a coordinate. */
  readonly length: number;
  /** SubjectPublicKeyInfo, DER, up to the uncompressed point. */
  readonly spkiPrefix: Buffer;
}

const curves: Readonly<Record<EcdsaKeyType, Curve>> = {
  'P-256': {
    parameters: Buffer.from('06082a8648ce3d030107', 'hex'),
    length: 32,
    spkiPrefix: Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'),
  },
  'P-384': {
    parameters: Buffer.from('06052b81040022', 'hex'),
    length: 48,
    spkiPrefix: Buffer.from('3076301006072a8648ce3d020106052b81040022036200', 'hex'),
  },
};

/** A key of the token; the handle is valid for one connection. */
interface TokenKey {
  readonly key: VaultKey;
  readonly handle: Buffer;
  readonly connection: object;
}

interface TokenSigning {
  readonly mechanism: pkcs11js.Mechanism;
  readonly data: Buffer;
  /** Of the signature, bytes. */
  readonly length: number;
}

/** Keys of a token used from this thread; calls block it, signatures only while they are fast. */
export function createTokenKeys(token: Pkcs11Token): TokenKeys {
  const known = new Map<string, TokenKey>();
  const sign = createAdaptiveSigning();

  function find(session: TokenSession, label: string): TokenKey | null {
    const remembered = known.get(label);
    if (remembered?.connection === session.connection) return remembered;
    const found = findKey(session, label);
    if (found !== null) known.set(label, found);
    return found;
  }

  function expectKey(session: TokenSession, label: string): TokenKey {
    const found = find(session, label);
    if (found === null) throw new Error(`There is no key ${label} in the vault.`);
    return found;
  }

  async function signIn(
    session: TokenSession,
    label: string,
    digest: Buffer,
    rsa: RsaSigning | undefined,
  ): Promise<Buffer> {
    const found = expectKey(session, label);
    const { type } = found.key;
    if (type === 'Ed25519') throw new Error(signsMessagesOnly(label));
    if (type === 'RSA-3072') {
      if (rsa === undefined) throw new Error(signsMessagesOnly(label));
      const { mechanism, data } = rsaMechanism(rsa, digest);
      return signWith(session, found, { mechanism, data, length: rsaSignatureBytes });
    }
    const { length } = curves[type];
    // Digests are truncated to the order's length (FIPS 186-5 §6.4.1); not all tokens do it themselves.
    const hash = digest.subarray(0, length);
    const mechanism = { mechanism: pkcs11js.CKM_ECDSA };
    const raw = await signWith(session, found, { mechanism, data: hash, length: 2 * length });
    return writeEcdsaSignature(raw);
  }

  function signWith(
    { module, handle }: TokenSession,
    key: TokenKey,
    { mechanism, data, length }: TokenSigning,
  ): Promise<Buffer> {
    module.C_SignInit(handle, mechanism, key.handle);
    const signature = Buffer.alloc(length);
    return sign({
      signSync: () => module.C_Sign(handle, data, signature),
      signAsync: () => module.C_SignAsync(handle, data, signature),
    });
  }

  return {
    find: (label) => token.use((session) => Promise.resolve(find(session, label)?.key ?? null)),
    generate: (label, type) =>
      token.use((session) => generate(session, label, type), GENERATION_MS),
    signDigest(label, digest, rsa) {
      const bytes = Buffer.from(digest);
      return token.use((session) => signIn(session, label, bytes, rsa));
    },
    signMessage(label, message) {
      const data = Buffer.from(message);
      return token.use((session) => {
        const signing = { mechanism: edwardsSigning, data, length: edwardsSignatureBytes };
        return signWith(session, expectKey(session, label), signing);
      });
    },
    check: () =>
      token.use(({ module, handle }) => {
        // Querying the session alone would not reveal that the token was removed.
        module.C_GetTokenInfo(module.C_GetSessionInfo(handle).slotID);
        return Promise.resolve();
      }),
  };
}

/** Attributes set to false: what a template leaves out is the module's to choose. */
function no(names: readonly (keyof typeof pkcs11js & `CKA_${string}`)[]): pkcs11js.Template {
  return names.map((name) => ({ type: pkcs11js[name], value: false }));
}

/** Time a small token may take for a pair of RSA, ms: given up earlier, it would go on and the next caller make another. */
const GENERATION_MS = 180_000;

/** The mechanism that generates keys of a type, and the attributes of their public half. */
function generationOf(type: VaultKeyType): {
  readonly mechanism: pkcs11js.Mechanism;
  readonly parameters: pkcs11js.Template;
} {
  if (type === 'RSA-3072') {
    return {
      mechanism: { mechanism: pkcs11js.CKM_RSA_PKCS_KEY_PAIR_GEN },
      parameters: rsaParameters,
    };
  }
  const isEd25519 = type === 'Ed25519';
  return {
    mechanism: isEd25519 ? edwardsKeyGeneration : { mechanism: pkcs11js.CKM_EC_KEY_PAIR_GEN },
    parameters: [
      {
        type: pkcs11js.CKA_EC_PARAMS,
        value: isEd25519 ? edwardsParameters : curves[type].parameters,
      },
    ],
  };
}

/** Generates the pair in the token, for signing and nothing else. CKA_ID ties its halves together. */
async function generate(session: TokenSession, label: string, type: VaultKeyType): Promise<void> {
  const id = randomBytes(16);
  const common = [
    { type: pkcs11js.CKA_TOKEN, value: true },
    { type: pkcs11js.CKA_LABEL, value: label },
    { type: pkcs11js.CKA_ID, value: id },
  ];
  const { mechanism, parameters } = generationOf(type);
  await session.module.C_GenerateKeyPairAsync(
    session.handle,
    mechanism,
    [
      ...common,
      ...parameters,
      { type: pkcs11js.CKA_VERIFY, value: true },
      ...no(['CKA_ENCRYPT', 'CKA_WRAP', 'CKA_VERIFY_RECOVER', 'CKA_DERIVE', 'CKA_MODIFIABLE']),
    ],
    [
      ...common,
      { type: pkcs11js.CKA_PRIVATE, value: true },
      { type: pkcs11js.CKA_SENSITIVE, value: true },
      { type: pkcs11js.CKA_EXTRACTABLE, value: false },
      { type: pkcs11js.CKA_SIGN, value: true },
      ...no(['CKA_DECRYPT', 'CKA_UNWRAP', 'CKA_SIGN_RECOVER', 'CKA_DERIVE', 'CKA_MODIFIABLE']),
    ],
  );
}

/**
 * Finds the key with that label. If several exist, generated before the lock was in place, the lowest CKA_ID wins, so
 * that every process takes the same.
 */
function findKey(session: TokenSession, label: string): TokenKey | null {
  const { connection } = session;
  const idOf = (object: Buffer) => attribute(session, object, pkcs11js.CKA_ID);
  const [chosen] = findObjects(session, [
    { type: pkcs11js.CKA_CLASS, value: pkcs11js.CKO_PRIVATE_KEY },
    { type: pkcs11js.CKA_LABEL, value: label },
  ])
    .map((handle) => ({ handle, id: idOf(handle) }))
    .sort((one, other) => Buffer.compare(one.id, other.id));
  if (chosen === undefined) return null;
  const [publicHalf] = findObjects(session, [
    { type: pkcs11js.CKA_CLASS, value: pkcs11js.CKO_PUBLIC_KEY },
    { type: pkcs11js.CKA_LABEL, value: label },
    { type: pkcs11js.CKA_ID, value: chosen.id },
  ]);
  if (publicHalf === undefined)
    throw new Error(`The token has no public key with the label ${label}.`);
  return { key: readPublicKey(session, publicHalf, label), handle: chosen.handle, connection };
}

function readPublicKey(session: TokenSession, object: Buffer, label: string): VaultKey {
  // CKK_RSA is zero in whatever byte order.
  if (attribute(session, object, pkcs11js.CKA_KEY_TYPE).every((byte) => byte === 0)) {
    const modulus = attribute(session, object, pkcs11js.CKA_MODULUS);
    const exponent = attribute(session, object, pkcs11js.CKA_PUBLIC_EXPONENT);
    return { label, type: 'RSA-3072', publicKey: rsaPublicKey(modulus, exponent, label) };
  }
  const parameters = attribute(session, object, pkcs11js.CKA_EC_PARAMS);
  const encoded = attribute(session, object, pkcs11js.CKA_EC_POINT);
  if (isEdwards(parameters))
    return { label, type: 'Ed25519', publicKey: edwardsPublicKey(encoded) };
  for (const type of ['P-256', 'P-384'] as const) {
    const curve = curves[type];
    if (!curve.parameters.equals(parameters)) continue;
    // Some tokens omit the OCTET STRING around the point.
    const point = encoded.subarray(encoded.length - (2 * curve.length + 1));
    const publicKey = Buffer.concat([curve.spkiPrefix, point]);
    // Throws when the point is not on the curve.
    createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
    return { label, type, publicKey };
  }
  throw new Error(`The key ${label} is on an unsupported curve.`);
}

function attribute({ module, handle }: TokenSession, object: Buffer, type: number): Buffer {
  const [found] = module.C_GetAttributeValue(handle, object, [{ type }]);
  return Buffer.isBuffer(found?.value) ? found.value : Buffer.alloc(0);
}

function findObjects({ module, handle }: TokenSession, template: pkcs11js.Template): Buffer[] {
  module.C_FindObjectsInit(handle, template);
  try {
    const found: Buffer[] = [];
    for (let next = module.C_FindObjects(handle, 16); next.length > 0;) {
      found.push(...next);
      next = module.C_FindObjects(handle, 16);
    }
    return found;
  } finally {
    module.C_FindObjectsFinal(handle);
  }
}
