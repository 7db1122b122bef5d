import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  scrypt,
  type ScryptOptions,
} from 'node:crypto';

/** A private key encrypted under a PIN; all fields base64. */
export interface SealedKey {
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly ciphertext: string;
}

// A PIN has few digits, so offline guessing must be expensive: 16 MiB and tens of milliseconds
// each.
const cost: ScryptOptions = { N: 2 ** 14, r: 8, p: 1 };

export async function sealKey(privateKey: Buffer, pin: string): Promise<SealedKey> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await keyFrom(pin, salt), nonce);
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()]);
  return {
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    ciphertext: ciphertext.toString('base64'),
  };
}

/** Decrypts the private key; null when the PIN is wrong. */
export async function openKey(sealed: SealedKey, pin: string): Promise<Buffer | null> {
  const bytes = (field: keyof SealedKey) => Buffer.from(sealed[field], 'base64');
  const decipher = createDecipheriv(
    'aes-256-gcm',
    await keyFrom(pin, bytes('salt')),
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

function keyFrom(pin: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(pin, salt, 32, cost, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
