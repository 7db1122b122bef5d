import type { ValueOf } from '../shared/eventFields.ts';
import { exactly, readAs, recordOf, textThat, upTo, visibleText } from '../shared/requestFields.ts';

/** Types of authorization details a client can be registered for (RFC 9396 §2). */
export const authorizationDetailsTypes = ['payment_initiation'] as const;

/** Characters of names and references: with amount, account and the client's name they fit the phone's text. */
const LONGEST_NAME = 50;
const LONGEST_REFERENCE = 40;

/** Decimal number above 0 with two decimals at most, below a million million. */
const AMOUNT = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/;

/**
 * A payment that a citizen is asked to authorize, in the words of RFC 9396 §2.3 as payment schemes use them; anything
 * beside them is refused (§5).
 */
const paymentInitiation = recordOf({
  type: exactly('payment_initiation'),
  instructedAmount: recordOf({
    currency: textThat((text) => /^[A-Z]{3}$/.test(text), 'A currency of ISO 4217.'),
    amount: textThat(isAmount, 'A number above 0, with two decimals at most.'),
  }),
  creditorName: visibleText(LONGEST_NAME),
  creditorAccount: recordOf({ iban: textThat(isIban, 'No IBAN.') }),
  remittanceInformationUnstructured: visibleText(LONGEST_REFERENCE),
});

export type PaymentInitiation = ValueOf<typeof paymentInitiation>;

function isAmount(text: string): boolean {
  return AMOUNT.test(text) && Number(text) > 0;
}

/** ISO 13616: letters count from 10, the country and the check digits last; the rest of 97 is 1. */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(text)) return false;
  const digits = (text.slice(4) + text.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    String(parseInt(letter, 36)),
  );
  return BigInt(digits) % 97n === 1n;
}

/**
 * Reads authorization details: one payment, which can be shown in whole.
 *
 * @returns the fault in one sentence when they are something else
 */
export function readPayment(details: unknown): { payment: PaymentInitiation } | { fault: string } {
  const read = readAs(upTo(1, paymentInitiation), details);
  if ('fault' in read) return read;
  const [payment] = read.value;
  return payment === undefined ? { fault: 'One payment.' } : { payment };
}

/** Amount as it is shown, for example `1,250,000.00 MNT`. */
export function amountText({ instructedAmount: { amount, currency } }: PaymentInitiation): string {
  const [whole = '', decimals] = amount.split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return `${decimals === undefined ? grouped : `${grouped}.${decimals}`} ${currency}`;
}
