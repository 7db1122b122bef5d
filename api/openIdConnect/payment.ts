import { amountText, type PaymentInitiation } from '../../domain/oidcClient/paymentInitiation.ts';
import { type Content, html } from '../pages/html.ts';
import type { Language } from '../verify/texts.ts';
import { texts } from './texts.ts';

/** Part of a page's interaction that concerns a payment. */
interface Asking {
  readonly language: Language;
  readonly interaction: { readonly payment: PaymentInitiation | null };
}

function wordsOf(payment: PaymentInitiation) {
  return {
    amount: amountText(payment),
    payee: payment.creditorName,
    account: payment.creditorAccount.iban,
    reference: payment.remittanceInformationUnstructured,
  };
}

/** Text the phone shows, and signs: of the payment, where one is asked for. */
export function askedText({ language, interaction }: Asking): (client: string) => string {
  const { payment } = interaction;
  const t = texts[language].wait;
  return payment === null ? t.client : (client) => t.payment(client, wordsOf(payment));
}

/** The payment of a page; null: none. */
export function paymentList({ language, interaction }: Asking): Content {
  const { payment } = interaction;
  if (payment === null) return null;
  const t = texts[language].payment;
  const row = (name: string, value: string) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  const { amount, payee, account, reference } = wordsOf(payment);
  return html`<dl id="payment" aria-label="${t.title}">
    ${row(t.amount, amount)} ${row(t.payee, payee)} ${row(t.account, account)}
    ${row(t.reference, reference)}
  </dl>`;
}
