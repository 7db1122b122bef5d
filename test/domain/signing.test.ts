import { expect } from 'chai';
import {
  type NestedRequest,
  requestableAlgorithms,
  type SessionStarted,
} from '../../domain/session/events.ts';
import { pssParameters, signingMethod } from '../../domain/session/signing.ts';
import { type HashAlgorithm, hashAlgorithms } from '../../domain/shared/digest.ts';

function nested(signatureAlgorithm: NestedRequest['signatureAlgorithm']): NestedRequest {
  return {
    signatureAlgorithm,
    scheme: 'smart-id',
    serverRandom: null,
    initialCallbackUrl: null,
    linkedSessionId: null,
  };
}

describe('How a key answers a session', () => {
  type Kind = SessionStarted['data']['kind'];
  const method = (
    kind: Kind,
    hashType: HashAlgorithm | null,
    asked: NestedRequest | null,
    keyType: 'P-256' | 'RSA',
  ) => signingMethod({ kind, hashType, nested: asked }, keyType);

  it('is SHA-256 for a flat authentication, named after the key', () => {
    expect(method('AUTHENTICATION', null, null, 'P-256')).to.deep.equal({
      scheme: 'ecdsa',
      hash: 'SHA256',
      signatureAlgorithm: 'ecdsa-with-SHA256',
    });
    expect(method('AUTHENTICATION', null, null, 'RSA')).to.deep.equal({
      scheme: 'pkcs1',
      hash: 'SHA256',
      signatureAlgorithm: 'sha256WithRSAEncryption',
    });
  });

  it('is PKCS#1 for a flat signature of an RSA key', () => {
    expect(method('SIGNATURE', 'SHA384', null, 'RSA')).to.deep.include({
      scheme: 'pkcs1',
      signatureAlgorithm: 'sha384WithRSAEncryption',
    });
  });

  it('is ECDSA with SHA-256 for a P-256 key that authenticates, whatever was asked', () => {
    for (const algorithm of requestableAlgorithms) {
      expect(method('AUTHENTICATION', 'SHA3-512', nested(algorithm), 'P-256')).to.deep.equal({
        scheme: 'ecdsa',
        hash: 'SHA256',
        signatureAlgorithm: 'ecdsa-with-SHA256',
      });
    }
  });

  it('is named after the hash of the digest where a P-256 key signs one for a flat request', () => {
    for (const hash of ['SHA256', 'SHA384', 'SHA512'] as const) {
      const { signatureAlgorithm } = method('SIGNATURE', hash, null, 'P-256');
      expect(signatureAlgorithm).to.equal(`ecdsa-with-${hash}`);
    }
  });

  it('is always named ecdsa-with-SHA256 where a P-256 key signs a digest for a nested request', () => {
    for (const hash of hashAlgorithms) {
      expect(method('SIGNATURE', hash, nested('rsassa-pss'), 'P-256')).to.deep.equal({
        scheme: 'ecdsa',
        hash,
        signatureAlgorithm: 'ecdsa-with-SHA256',
      });
    }
  });

  it('is what was asked of an RSA key', () => {
    for (const kind of ['AUTHENTICATION', 'SIGNATURE'] as const) {
      const pss = method(kind, 'SHA3-384', nested('rsassa-pss'), 'RSA');
      expect(pss).to.deep.equal({
        scheme: 'pss',
        hash: 'SHA3-384',
        signatureAlgorithm: 'rsassa-pss',
      });
      expect(pssParameters(pss)).to.deep.equal({ hashAlgorithm: 'SHA3-384', saltLength: 48 });
      const pkcs1 = method(kind, 'SHA512', nested('sha512WithRSAEncryption'), 'RSA');
      expect(pkcs1).to.deep.include({
        scheme: 'pkcs1',
        signatureAlgorithm: 'sha512WithRSAEncryption',
      });
      expect(pssParameters(pkcs1)).to.equal(null);
    }
  });
});
