import type { PaymentInitiation } from '../../../domain/oidcClient/paymentInitiation.ts';

/** A payment as a bank asks a citizen to authorize it. */
export const payment: PaymentInitiation = {
  type: 'payment_initiation',
  instructedAmount: { currency: 'MNT', amount: '125000.00' },
  creditorName: 'Номин дэлгүүр',
  creditorAccount: { iban: 'MN640015001234567891' },
  remittanceInformationUnstructured: 'Нэхэмжлэх 2041',
};

/** Parameter of an authorization request for this payment, with changes. */
export const asking = (changes: Partial<PaymentInitiation> = {}) => ({
  scope: 'openid',
  authorization_details: JSON.stringify([{ ...payment, ...changes }]),
});
