import { constants, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect } from 'chai';
import { isSignedByAuthority } from '../../infrastructure/pki/kernel/authoritySignature.ts';
import {
  derExplicit,
  derNull,
  derOid,
  derSequence,
  derUnsigned,
} from '../../infrastructure/pki/kernel/der.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import { importAuthorityKey, importKey } from '../../infrastructure/pki/kernel/verificationKey.ts';

const signed = Buffer.from('to be signed');
const spkiOf = (key: KeyObject) => key.export({ format: 'der', type: 'spki' });

/** A modulus that nobody can sign with. */
function rsaSpki(bits: number, exponent: number): Buffer {
  const modulus = Buffer.alloc(bits / 8, 0xff);
  const e = Buffer.from(exponent.toString(16).padStart(6, '0'), 'hex');
  const key = { kty: 'RSA', n: modulus.toString('base64url'), e: e.toString('base64url') };
  return spkiOf(createPublicKey({ key, format: 'jwk' }));
}

describe('A key that signatures are verified with', () => {
  for (const exponent of [3, 43_147, 65_537]) {
    it(`is one of an authority with the exponent ${exponent}, as some roots have`, () => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicExponent: exponent,
      });
      const spki = spkiOf(publicKey);
      const algorithm = derSequence(derOid(oid.sha256WithRsa), derNull);
      const signature = sign('sha256', signed, privateKey);
      expect(isSignedByAuthority({ signed, algorithm, signature }, { spki })).to.equal(true);
      expect(importKey(spki) !== null, 'of a citizen').to.equal(exponent === 65_537);
    });
  }

  it('is one of an authority for RSA-PSS alone (RFC 4055 §1.2), which signs with no other padding', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
    const spki = spkiOf(publicKey);
    const hash = derSequence(derOid(oid.sha256), derNull);
    const algorithm = derSequence(
      derOid(oid.rsassaPss),
      derSequence(
        derExplicit(0, hash),
        derExplicit(1, derSequence(derOid(oid.mgf1), hash)),
        derExplicit(2, derUnsigned(Buffer.from([32]))),
      ),
    );
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const signature = sign('sha256', signed, { key: privateKey, padding, saltLength: 32 });
    expect(isSignedByAuthority({ signed, algorithm, signature }, { spki })).to.equal(true);
    const other = derSequence(derOid(oid.sha256WithRsa), derNull);
    expect(isSignedByAuthority({ signed, algorithm: other, signature }, { spki })).to.equal(false);
    expect(importKey(spki), 'of a citizen').to.equal(null);
  });

  for (const [bits, exponent, ofCitizen, ofAuthority] of [
    [1024, 65_537, false, false],
    [2048, 65_537, true, true],
    [8192, 65_537, true, true],
    [16_384, 65_537, false, true],
    [16_392, 65_537, false, false],
    [2048, 1, false, false],
    [2048, 65_538, false, false],
  ] as const) {
    it(`of ${bits} bits with the exponent ${exponent} is ${ofAuthority ? '' : 'no '}key`, () => {
      const spki = rsaSpki(bits, exponent);
      expect(importKey(spki) !== null, 'of a citizen').to.equal(ofCitizen);
      expect(importAuthorityKey(spki) !== null, 'of an authority').to.equal(ofAuthority);
    });
  }
});
