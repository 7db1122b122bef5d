import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  scrypt,
  type ScryptOptions,
} from 'node:crypto';

/** A private key encrypted under a PIN; texts are base64. */
export interface SealedKey {
  /** Binary logarithm of scrypt's N; absent: {@link COST_AT_REST}. */
  readonly cost?: number;
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly ciphertext: string;
}

/** A PIN has few digits, so offline guessing must be expensive: 16 MiB and tens of milliseconds each. */
const COST_AT_REST = 14;

/** @param cost binary logarithm of scrypt's N */
export async function sealKey(
  privateKey: Buffer,
  pin: string,
  cost = COST_AT_REST,
): Promise<SealedKey> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await keyFrom(pin, salt, cost), nonce);
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()]);
  return {
    cost,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    ciphertext: ciphertext.toString('base64'),
  };
}

/** Decrypts the private key; null when the PIN is wrong. */
export async function openKey(sealed: SealedKey, pin: string): Promise<Buffer | null> {
  const bytes = (field: Exclude<keyof SealedKey, 'cost'>) => Buffer.from(sealed[field], 'base64');
  const decipher = createDecipheriv(
    'aes-256-gcm',
    await keyFrom(pin, bytes('salt'), sealed.cost ?? COST_AT_REST),
    bytes('nonce'),
  );
  decipher.setAuthTag(bytes('tag'));
  const plain = decipher.update(bytes('ciphertext'));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return null;
  }
}

function keyFrom(pin: string, salt: Buffer, cost: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** cost, r: 8, p: 1 };
  return new Promise((resolve, reject) => {
    scrypt(pin, salt, 32, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
