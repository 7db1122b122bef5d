import { constants, createHash, privateEncrypt, randomBytes, sign } from 'node:crypto';
import { expect } from 'chai';
import type { RsaPadding, SignedInput } from '../../application/ports/signatureVerifier.ts';
import { digestLength, hashAlgorithms } from '../../domain/shared/digest.ts';
import { createEcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { createSignatureVerifier } from '../../infrastructure/pki/signatureVerifier.ts';
import { signRsa } from '../../apps/phone/rsaSigning.ts';
import { oddRsaKey, rsaKey, type TestKey } from '../support/pki/pkiFixtures.ts';

describe('RSASSA-PSS signatures', () => {
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });
  const verifier = createSignatureVerifier({ ecdsaDigests });
  const message = Buffer.from('what the citizen saw');
  const keys = new Map<number, TestKey>();

  before(async () => {
    keys.set(2048, rsaKey());
    // Encoded messages are a byte shorter than a modulus of 2049 bits, and leave 2 bits of one of 4095.
    for (const bits of [2049, 4095]) keys.set(bits, await oddRsaKey(bits));
  });

  after(() => ecdsaDigests.stop());

  function keyOf(bits: number): TestKey {
    const key = keys.get(bits);
    if (key === undefined) throw new Error('There is no such key.');
    return key;
  }

  const verified = (
    key: TestKey,
    input: SignedInput,
    signature: Uint8Array,
    rsa: RsaPadding = 'pss',
  ) => verifier.verify(key.publicKey.toString('base64'), input, signature, { rsa });

  for (const bits of [2048, 2049, 4095]) {
    for (const hash of hashAlgorithms) {
      it(`are accepted with ${bits} bits and ${hash}, over payload and digest, and nothing else`, async () => {
        const key = keyOf(bits);
        expect(key.privateKey.asymmetricKeyDetails?.modulusLength).to.equal(bits);
        const pkcs8 = key.privateKey.export({ format: 'der', type: 'pkcs8' });
        const form = { hash, padding: 'pss' } as const;
        const digest = createHash(hash).update(message).digest();
        const other = Buffer.from('something else');
        const otherDigest = createHash(hash).update(other).digest();
        // A signature over a message is one over its digest: each way checks the other.
        for (const signature of [
          signRsa(pkcs8, { digest: new Uint8Array(digest) }, form),
          signRsa(pkcs8, { payload: new Uint8Array(message) }, form),
        ]) {
          expect(await verified(key, { digest, hash }, signature)).to.equal(true);
          expect(await verified(key, { payload: message, hash }, signature)).to.equal(true);
          expect(await verified(key, { digest, hash }, signature, 'pkcs1')).to.equal(false);
          const wrongPadding = verified(key, { payload: message, hash }, signature, 'pkcs1');
          expect(await wrongPadding).to.equal(false);
          expect(await verified(key, { payload: other, hash }, signature)).to.equal(false);
          expect(await verified(key, { digest: otherDigest, hash }, signature)).to.equal(false);
          for (const wrong of hashAlgorithms.filter((each) => each !== hash)) {
            expect(await verified(key, { payload: message, hash: wrong }, signature)).to.equal(
              false,
            );
            if (digestLength[wrong] === digest.length) {
              expect(await verified(key, { digest, hash: wrong }, signature)).to.equal(false);
            }
          }
        }
      });
    }
  }

  describe('that are malformed', () => {
    const hash = 'SHA256';
    const digest = createHash(hash).update(message).digest();

    /** A block encoded by hand (RFC 8017 §9.1.1), wrong where `changes` says so, and raised to a signature. */
    function signature(
      modulusBits: number,
      changes: {
        readonly salt?: number;
        readonly separator?: number;
        readonly padding?: number;
        readonly trailer?: number;
        readonly unusedBits?: number;
        readonly leading?: number;
        readonly maskHash?: string;
      } = {},
    ): Buffer {
      const { salt: saltLength = 32, separator = 1, padding = 0, trailer = 0xbc } = changes;
      const length = Math.ceil((modulusBits - 1) / 8);
      const unusedBits = 8 * length - (modulusBits - 1);
      const salt = randomBytes(saltLength);
      const hashed = createHash(hash)
        .update(Buffer.concat([Buffer.alloc(8), digest, salt]))
        .digest();
      const data = Buffer.alloc(length - 33);
      data.fill(padding, 0, 1 + (padding === 0 ? 0 : 5));
      data[data.length - saltLength - 1] = separator;
      data.set(salt, data.length - saltLength);
      const mask: Buffer[] = [];
      for (let counter = 0; counter * 32 < data.length; counter += 1) {
        const block = Buffer.from([0, 0, 0, counter]);
        const made = createHash(changes.maskHash ?? hash)
          .update(hashed)
          .update(block)
          .digest();
        mask.push(made);
      }
      const stream = Buffer.concat(mask);
      const masked = data.map((byte, index) => byte ^ (stream[index] ?? 0));
      masked[0] = ((masked[0] ?? 0) & (0xff >> unusedBits)) | (changes.unusedBits ?? 0);
      const leading = Buffer.alloc(Math.ceil(modulusBits / 8) - length, changes.leading ?? 0);
      const block = Buffer.concat([leading, masked, hashed, Buffer.from([trailer])]);
      return privateEncrypt(
        { key: keyOf(modulusBits).privateKey, padding: constants.RSA_NO_PADDING },
        block,
      );
    }

    /** Over the digest and over the message: OpenSSL's reading of the padding must be ours. */
    async function accepted(modulusBits: number, value: Buffer): Promise<boolean> {
      const key = keyOf(modulusBits);
      const overDigest = await verified(key, { digest, hash }, value);
      expect(await verified(key, { payload: message, hash }, value)).to.equal(overDigest);
      return overDigest;
    }

    it('are told from the well-formed one', async () => {
      expect(await accepted(2048, signature(2048))).to.equal(true);
      expect(await accepted(2049, signature(2049))).to.equal(true);
    });

    for (const [what, changes] of [
      ['a shorter salt', { salt: 31 }],
      ['no salt', { salt: 0 }],
      ['a longer salt', { salt: 33 }],
      ['another separator', { separator: 2 }],
      ['bytes in the padding', { padding: 1 }],
      ['another trailer', { trailer: 0xcc }],
      ['a mask over another hash', { maskHash: 'sha3-256' }],
    ] as const) {
      it(`are refused for ${what}`, async () => {
        expect(await accepted(2048, signature(2048, changes))).to.equal(false);
      });
    }

    for (const [modulusBits, changes] of [
      [2048, { unusedBits: 0x80 }],
      [2049, { leading: 1 }],
    ] as const) {
      it(`are refused for a bit above an encoded message of ${modulusBits - 1} bits`, async () => {
        let value: Buffer | null = null;
        // Not below every modulus: what is not has no signature, and the next salt gives another number.
        while (value === null) value = attempt(() => signature(modulusBits, changes));
        expect(await accepted(modulusBits, value)).to.equal(false);
      });
    }

    it('are refused for another length, for PKCS#1 and for what is no number below the modulus', async () => {
      const good = signature(2048);
      for (const wrong of [
        good.subarray(1),
        Buffer.concat([Buffer.alloc(1), good]),
        Buffer.alloc(256, 0xff),
        Buffer.alloc(256),
        sign('sha256', message, keyOf(2048).privateKey),
      ]) {
        expect(await accepted(2048, wrong)).to.equal(false);
      }
    });
  });
});

function attempt(make: () => Buffer): Buffer | null {
  try {
    return make();
  } catch {
    return null;
  }
}
