import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { isPssEncodingOf } from '../../infrastructure/pki/kernel/rsaDigest.ts';

const digest = createHash('sha256').update('a contract').digest();
const signed = { digest, hash: 'sha256' } as const;

function sha256(...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}

const usual = {
  separator: 1,
  padding: 0,
  trailer: 0xbc,
  saltLength: 32,
  unusedBits: false,
  leading: 0,
};

type Oddity = Partial<typeof usual>;

/** EMSA-PSS-ENCODE (RFC 8017 §9.1.1), right or odd in one way, as long as the modulus. */
function encode(bits: number, oddity: Oddity = {}): Buffer {
  const odd = { ...usual, ...oddity };
  const length = Math.ceil((bits - 1) / 8);
  const salt = randomBytes(odd.saltLength);
  const hash = sha256(Buffer.alloc(8), digest, salt);
  const padding = Buffer.alloc(length - salt.length - 34, 0);
  // Not the first byte: its upper bits are cleared.
  padding[padding.length - 1] = odd.padding;
  const block = Buffer.concat([padding, Buffer.of(odd.separator), salt]);
  for (let counter = 0, at = 0; at < block.length; counter += 1) {
    const suffix = Buffer.alloc(4);
    suffix.writeUInt32BE(counter);
    for (const byte of sha256(hash, suffix)) {
      if (at < block.length) block[at] = (block[at] ?? 0) ^ byte;
      at += 1;
    }
  }
  const mask = 0xff >> (8 * length - (bits - 1));
  block[0] = odd.unusedBits ? (block[0] ?? 0) | 0x80 : (block[0] ?? 0) & mask;
  const em = Buffer.concat([block, hash, Buffer.of(odd.trailer)]);
  return Buffer.concat([Buffer.alloc(Math.ceil(bits / 8) - length, odd.leading), em]);
}

describe('The encoding of RSA-PSS', () => {
  for (const bits of [2048, 2049, 2050, 3072, 4095, 4096]) {
    it(`is recognised with a modulus of ${bits} bits, for its digest only`, () => {
      expect(isPssEncodingOf(signed, encode(bits), bits)).to.equal(true);
      expect(isPssEncodingOf({ ...signed, digest: sha256(digest) }, encode(bits), bits)).to.equal(
        false,
      );
    });
  }

  const oddities: Readonly<Record<string, Oddity>> = {
    'another separator': { separator: 2 },
    'no separator': { separator: 0 },
    'bytes in the padding': { padding: 1 },
    'another trailer': { trailer: 0xcc },
    'a shorter salt': { saltLength: 20 },
    'no salt': { saltLength: 0 },
    'a longer salt': { saltLength: 64 },
    'bits above the encoding': { unusedBits: true },
  };
  for (const [title, odd] of Object.entries(oddities)) {
    it(`is refused with ${title}`, () => {
      expect(isPssEncodingOf(signed, encode(2048, odd), 2048)).to.equal(false);
    });
  }

  it('is refused with a byte above the encoding', () => {
    expect(isPssEncodingOf(signed, encode(2049, { leading: 1 }), 2049)).to.equal(false);
  });

  it('is refused where the modulus has no room for it', () => {
    const bits = 512;
    const long = { digest: createHash('sha512').digest(), hash: 'sha512' } as const;
    expect(isPssEncodingOf(long, randomBytes(64), bits)).to.equal(false);
  });
});
