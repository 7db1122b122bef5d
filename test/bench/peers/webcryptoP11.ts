import { randomBytes, type webcrypto } from 'node:crypto';
import { Crypto } from 'node-webcrypto-p11';
import type { TokenAccess } from './rawPkcs11.ts';

/**
 * node-webcrypto-p11 with a session key. The module must have been initialized for several threads
 * already, which it does not do. Its only session signs one message at a time.
 *
 * @returns signs one message (it hashes)
 */
export async function openWebcryptoP11({
  modulePath,
  tokenLabel,
  pin,
}: TokenAccess): Promise<{ sign(): Promise<unknown>; close(): void }> {
  const crypto = new Crypto({
    library: modulePath,
    name: tokenLabel,
    slot: 0,
    pin,
    readWrite: true,
  });
  const { privateKey } = (await crypto.subtle.generateKey(
    { name: 'ECDSA', namedCurve: 'P-256' },
    false,
    ['sign', 'verify'],
  )) as webcrypto.CryptoKeyPair;
  const message = randomBytes(32);
  let last: Promise<unknown> = Promise.resolve();
  return {
    sign() {
      const sign = () =>
        crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, message);
      const signed = last.then(sign, sign);
      last = signed;
      return signed;
    },
    close: () => crypto.close(),
  };
}
