import { expect } from 'chai';
import {
  decryptText,
  encryptionContext,
  encryptText,
  unwrapKey,
  wrapKey,
} from '../../infrastructure/codec/encryption.ts';
import { wrappingKeyOf } from '../../infrastructure/codec/wrappingKeys.ts';
import { testMasterKey } from '../support/doubles/vault.ts';

describe('encryption', () => {
  const wrapping = wrappingKeyOf(testMasterKey, 0);
  const other = wrappingKeyOf(Buffer.alloc(32, 8), 0);
  const dataKey = Buffer.alloc(32, 1);

  it('binds what is encrypted to its subject, even under the same key', () => {
    const key = unwrapKey(wrapping, 'bat', wrapKey(wrapping, 'bat', dataKey));
    const encrypted = encryptText(key, encryptionContext('bat'), 'private');
    expect(decryptText(key, encryptionContext('bat'), encrypted)).to.equal('private');
    expect(() => decryptText(key, encryptionContext('dorj'), encrypted)).to.throw();
  });

  it('binds a wrapped key to its subject, so that rows cannot be exchanged', () => {
    const wrapped = wrapKey(wrapping, 'bat', dataKey);
    expect(unwrapKey(wrapping, 'bat', wrapped).export()).to.deep.equal(dataKey);
    expect(() => unwrapKey(wrapping, 'dorj', wrapped)).to.throw('master key');
    expect(() => unwrapKey(other, 'bat', wrapped)).to.throw('master key');
  });

  it('never uses a nonce twice', () => {
    const key = unwrapKey(wrapping, 'bat', wrapKey(wrapping, 'bat', dataKey));
    const context = encryptionContext('bat');
    const nonces = Array.from({ length: 2000 }, () => encryptText(key, context, '').slice(0, 16));
    expect(new Set(nonces).size).to.equal(2000);
  });
});
