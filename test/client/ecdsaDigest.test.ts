import { createHash, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { expect } from 'chai';
import { isEcdsaOverDigest } from '../../client/validator/ecdsaDigest.ts';

const order = p256.Point.Fn.ORDER;

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const scalar = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-65);
  return { privateKey, publicKey, scalar, point };
}

const options = { prehash: false, lowS: false, format: 'der' } as const;

function bytes32(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

describe('ECDSA over a digest', () => {
  for (const hash of ['sha256', 'sha384', 'sha512'] as const) {
    it(`agrees with OpenSSL on what is a signature over ${hash} and what is not`, () => {
      for (let round = 0; round < 20; round += 1) {
        const { privateKey, publicKey, point } = newKey();
        const content = randomBytes(100);
        const digest = createHash(hash).update(content).digest();
        const signature = sign(hash, content, privateKey);
        expect(isEcdsaOverDigest(digest, point, signature)).to.equal(true);
        for (let at = 0; at < signature.length; at += 5) {
          const changed = Buffer.from(signature);
          changed[at] = (changed[at] ?? 0) ^ (1 << (round % 8));
          const accepted = verify(hash, content, publicKey, changed);
          expect(isEcdsaOverDigest(digest, point, changed)).to.equal(accepted);
        }
        const longer = Buffer.concat([signature, Buffer.of(0)]);
        for (const malformed of [longer, signature.subarray(0, -1)]) {
          expect(verify(hash, content, publicKey, malformed)).to.equal(false);
          expect(isEcdsaOverDigest(digest, point, malformed)).to.equal(false);
        }
        expect(isEcdsaOverDigest(randomBytes(32), point, signature)).to.equal(false);
        expect(isEcdsaOverDigest(digest, newKey().point, signature)).to.equal(false);
      }
    });
  }

  it('does not take a signature over e for one over −e, e + r or −e − r, nor one by the opposite key', () => {
    const { scalar, point } = newKey();
    const digest = randomBytes(32);
    const signature = Buffer.from(p256.sign(digest, scalar, options));
    const { r, s } = p256.Signature.fromBytes(signature, 'der');
    const e = BigInt(`0x${digest.toString('hex')}`) % order;
    const mod = (value: bigint) => ((value % order) + order) % order;
    for (const other of [-e, e + r, -e - r, e - r, e + 1n, e + s]) {
      expect(isEcdsaOverDigest(bytes32(mod(other)), point, signature)).to.equal(false);
    }
    const opposite = Buffer.from(p256.Point.fromBytes(point).negate().toBytes(false));
    expect(isEcdsaOverDigest(digest, opposite, signature)).to.equal(false);
    // With a low s as well as a high one: both are the same signature (FIPS 186-5 knows no low s).
    const mirrored = Buffer.from(new p256.Signature(r, order - s).toBytes('der'));
    expect(isEcdsaOverDigest(digest, point, mirrored)).to.equal(true);
  });

  it('takes digests of zero, of the order and beyond it', () => {
    const { scalar, point } = newKey();
    for (const digest of [
      Buffer.alloc(32),
      Buffer.alloc(32, 0xff),
      bytes32(order),
      bytes32(order - 1n),
    ]) {
      const signature = Buffer.from(p256.sign(digest, scalar, options));
      expect(isEcdsaOverDigest(digest, point, signature)).to.equal(true);
      expect(isEcdsaOverDigest(randomBytes(32), point, signature)).to.equal(false);
    }
  });

  it('refuses values out of range and anything that is no signature', () => {
    const { point } = newKey();
    const digest = randomBytes(32);
    const integer = (value: bigint) => {
      const hex = value.toString(16);
      const raw = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
      const positive = (raw[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), raw]) : raw;
      return Buffer.concat([Buffer.of(2, positive.length), positive]);
    };
    for (const [r, s] of [
      [0n, 1n],
      [1n, 0n],
      [order, 1n],
      [1n, order],
      [order + 1n, 1n],
    ] as const) {
      const body = Buffer.concat([integer(r), integer(s)]);
      const signature = Buffer.concat([Buffer.of(0x30, body.length), body]);
      expect(isEcdsaOverDigest(digest, point, signature)).to.equal(false);
    }
    for (const junk of [Buffer.alloc(0), Buffer.alloc(72), randomBytes(72), Buffer.alloc(64, 1)]) {
      expect(isEcdsaOverDigest(digest, point, junk)).to.equal(false);
    }
  });
});
