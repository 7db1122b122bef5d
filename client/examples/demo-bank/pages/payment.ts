import type { PaymentDetails } from '../flows/payByConsent.ts';
import { type Content, html } from './html.ts';
import { facts, money, page, token } from './layout.ts';
import type { View } from './view.ts';

/** Form of a payment that is authorized on the platform's pages; null without a client of the platform. */
export function paymentForm({ t, settings, visitor }: View): Content {
  if (settings.openId === null) return null;
  return html`<section class="card" id="consented">
    <h2>${t.pay.title}</h2>
    <p class="hint">${t.pay.lead}</p>
    <form class="fields" method="post" action="${settings.base}/payments" data-busy>
      ${token(visitor)}
      <div class="wide">
        <label for="pay-to">${t.order.payee}</label
        ><input id="pay-to" name="payee" required maxlength="50" value="${t.order.defaultPayee}" />
      </div>
      <div>
        <label for="pay-amount">${t.order.amount}</label
        ><input
          id="pay-amount"
          name="amount"
          required
          type="number"
          min="1"
          max="5000000"
          step="1"
          value="49900"
        />
      </div>
      <div>
        <label for="pay-for">${t.order.reference}</label
        ><input
          id="pay-for"
          name="reference"
          required
          maxlength="40"
          value="${t.order.defaultReference}"
        />
      </div>
      <div class="wide"><button class="primary">${t.pay.button}</button></div>
    </form>
  </section>`;
}

/** Page on the way to the platform. */
export function leavingPage(view: View, url: string): string {
  const { t } = view;
  const main = html`<section class="card">
    <h1>${t.pay.leaving}</h1>
    <p><a class="button primary" href="${url}">${t.pay.goOn}</a></p>
  </section>`;
  return page(view, { title: t.pay.leaving, main });
}

/** Page of a payment that was authorized. */
export function paidPage(view: View, details: PaymentDetails): string {
  const { t, settings } = view;
  const main = html`<section class="card done" data-done="payment">
    <h1>${t.pay.done}</h1>
    <p class="lead">${t.pay.doneText}</p>
    ${facts([
      [t.order.payee, details.creditorName],
      [t.pay.account, html`<code>${details.creditorAccount.iban}</code>`],
      [t.order.amount, money(Number(details.instructedAmount.amount))],
      [t.order.reference, details.remittanceInformationUnstructured],
    ])}
    <p><a href="${settings.base}/account">${t.receipt.back}</a></p>
  </section>`;
  return page(view, { title: t.pay.done, main });
}
