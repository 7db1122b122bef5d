import { expect } from 'chai';
import { amountText, readPayment } from '../../domain/oidcClient/paymentInitiation.ts';
import { payment } from '../support/oidc/payments.ts';

describe('A payment that a citizen is asked to authorize', () => {
  const faultOf = (changes: object) => {
    const read = readPayment([{ ...payment, ...changes }]);
    return 'fault' in read ? read.fault : null;
  };

  it('is one of a payee, an account, an amount and a reference that can be shown in whole', () => {
    expect(readPayment([payment])).to.deep.equal({ payment });
    for (const amount of ['0.01', '1', '1.5', '999999999999.99']) {
      expect(faultOf({ instructedAmount: { currency: 'MNT', amount } }), amount).to.equal(null);
    }
  });

  it('is nothing else: two, none, or one with more than can be shown', () => {
    for (const details of [[], [payment, payment], payment, [{ type: 'account_information' }]]) {
      expect(readPayment(details), JSON.stringify(details)).to.have.property('fault');
    }
    for (const amount of ['0', '0.00', '-1', '1e3', '01', '1.001', '1000000000000', ' 1', '1,5']) {
      expect(faultOf({ instructedAmount: { currency: 'MNT', amount } }), amount).not.to.equal(null);
    }
    for (const changes of [
      { instructedAmount: { currency: 'mnt', amount: '1' } },
      { instructedAmount: { currency: 'MNT', amount: 1 } },
      { creditorAccount: { iban: 'MN370015001234567891' } },
      { creditorAccount: { iban: payment.creditorAccount.iban, bic: 'X' } },
      { creditorName: '' },
      { creditorName: 'n'.repeat(51) },
      { creditorName: 'Kh\u0430n' },
      { creditorName: 'Номин\u202eХХК' },
      { remittanceInformationUnstructured: 'two\nlines' },
      { remittanceInformationUnstructured: 'r'.repeat(41) },
      { urgent: true },
    ]) {
      expect(faultOf(changes), JSON.stringify(changes)).not.to.equal(null);
    }
  });

  it('shows its amount in groups of three', () => {
    const shown = (amount: string) =>
      amountText({ ...payment, instructedAmount: { currency: 'MNT', amount } });
    expect(shown('1250000.50')).to.equal('1,250,000.50 MNT');
    expect(shown('999')).to.equal('999 MNT');
  });
});
