import { expect } from 'chai';
import {
  deriveMasterKeys,
  openText,
  sealingContext,
  sealText,
  unwrapKey,
  wrapKey,
} from '../../infrastructure/codec/sealing.ts';
import { testMasterKey } from '../support/doubles/vault.ts';

describe('sealing', () => {
  const { wrapping, blindIndex } = deriveMasterKeys(testMasterKey);
  const dataKey = Buffer.alloc(32, 1);

  it('binds what is sealed to its subject, even under the same key', () => {
    const key = unwrapKey(wrapping, 'bat', wrapKey(wrapping, 'bat', dataKey));
    const sealed = sealText(key, sealingContext('bat'), 'private');
    expect(openText(key, sealingContext('bat'), sealed)).to.equal('private');
    expect(() => openText(key, sealingContext('dorj'), sealed)).to.throw();
  });

  it('binds a wrapped key to its subject, so that rows cannot be exchanged', () => {
    const wrapped = wrapKey(wrapping, 'bat', dataKey);
    expect(unwrapKey(wrapping, 'bat', wrapped).export()).to.deep.equal(dataKey);
    expect(() => unwrapKey(wrapping, 'dorj', wrapped)).to.throw('master key');
    expect(() => unwrapKey(blindIndex, 'bat', wrapped)).to.throw('master key');
  });

  it('never uses a nonce twice', () => {
    const key = unwrapKey(wrapping, 'bat', wrapKey(wrapping, 'bat', dataKey));
    const context = sealingContext('bat');
    const nonces = Array.from({ length: 2000 }, () => sealText(key, context, '').slice(0, 16));
    expect(new Set(nonces).size).to.equal(2000);
  });
});
