import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { createLoginChallenges } from '../../application/openIdConnect/loginChallenge.ts';
import { boundTo } from '../../application/openIdConnect/startLogin.ts';
import { systemRandomness } from '../../infrastructure/system.ts';
import { payment } from '../support/oidc/payments.ts';

describe('The challenge of a login that authorizes a payment', () => {
  it('is of this amount, this payee and this interaction alone (dynamic linking)', () => {
    const challenges = createLoginChallenges({
      key: createSecretKey(Buffer.alloc(32, 1)),
      randomness: systemRandomness,
    });
    const signed = challenges.make(boundTo({ uid: 'one', payment }));
    const isOf = (...terms: Parameters<typeof boundTo>) =>
      challenges.isOf(boundTo(...terms), signed);
    expect(isOf({ uid: 'one', payment })).to.equal(true);
    const more = { ...payment, instructedAmount: { currency: 'MNT', amount: '125000.01' } };
    expect(isOf({ uid: 'one', payment: more })).to.equal(false);
    const other = { ...payment, creditorAccount: { iban: 'MN640015001234567892' } };
    expect(isOf({ uid: 'one', payment: other })).to.equal(false);
    expect(isOf({ uid: 'two', payment })).to.equal(false);
    expect(isOf({ uid: 'one', payment: null })).to.equal(false);
  });
});
