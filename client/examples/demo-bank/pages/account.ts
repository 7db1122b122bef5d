import { type Content, type Html, html } from './html.ts';
import { facts, money, page, time } from './layout.ts';
import { paymentForm } from './payment.ts';
import { contractForm, orderForm } from './signing.ts';
import type { View } from './view.ts';
import type { Customer, SignedOrder } from '../visitors.ts';

/** Balance before the first payment, ₮. */
const OPENING_BALANCE = 8_412_650;

const movements = [
  ['salary', 3_250_000],
  ['groceries', -184_300],
  ['power', -96_150],
  ['rent', -1_400_000],
] as const;

/** The customer's account. */
export function accountPage(view: View, customer: Customer): string {
  const { t, visitor } = view;
  const spent = visitor.orders.reduce((sum, { amount }) => sum + amount, 0);
  const main = html`<p class="eyebrow">${t.account.title}</p>
    <h1>${t.account.hello.replace('{name}', customer.givenName)}</h1>
    <section class="card balance" aria-label="${t.account.current}">
      <p>${t.account.current} · <span class="iban">MN47 0099 0000 5512 3450</span></p>
      <p class="amount">${money(OPENING_BALANCE - spent)}</p>
      <p class="hint">${t.account.balance}</p>
    </section>
    <section class="card">
      <h2>${t.account.movements}</h2>
      <ul class="movements">
        ${visitor.orders.map((order) => signedOrder(view, order))}
        ${movements.map(([name, amount]) => html`<li><span>${t.account[name]}</span><span class="sum ${amount > 0 ? 'in' : ''}">${amount > 0 ? '+' : ''}${money(amount)}</span></li>`)}
      </ul>
    </section>
    ${orderForm(view, customer)} ${paymentForm(view)} ${contractForm(view, customer)}
    ${identity(view, customer)}`;
  return page(view, { title: t.account.title, main });
}

function signedOrder({ t, settings }: View, { payee, amount, receipt }: SignedOrder): Html {
  const { onBehalfOf, sessionId } = receipt;
  const who =
    onBehalfOf === null ? null : ` ${t.account.for.replace('{organization}', onBehalfOf)}`;
  return html`<li class="signed">
    <span
      >${payee}<br /><small
        >${t.account.signedByYou}${who} ·
        <a href="${settings.verifyBase}/verify/${sessionId}" target="_blank" rel="noopener"
          >${t.account.verify}</a
        ></small
      ></span
    ><span class="sum">${money(-amount)}</span>
  </li>`;
}

/** Identity of the customer, and the certificate it was read from. */
function identity({ t, language }: View, customer: Customer): Html {
  const { certificate, channel } = customer;
  const checks =
    channel === 'app' ? [...t.identity.checks, t.identity.returned] : t.identity.checks;
  const day = (text: string) =>
    new Date(text).toLocaleDateString(language === 'mn' ? 'mn-MN' : 'en-GB', {
      dateStyle: 'medium',
    });
  return html`<section class="card" id="identity">
    <h2>${t.identity.title}</h2>
    ${facts([
      [t.identity.name, `${customer.givenName} ${customer.surname}`],
      [t.identity.etsi, code(customer.etsi)],
      [t.identity.level, html`<strong class="level">${t.identity.levels[customer.level]}</strong>`],
      [t.identity.channel, html`${t.identity.channels[channel]}, ${time(customer.loggedInAt)}`],
      [t.identity.document, code(customer.documentNumber)],
      [t.identity.certificate, code(certificate.serialNumber)],
      [t.identity.issuer, certificate.issuer],
      [t.identity.validity, `${day(certificate.validFrom)} – ${day(certificate.validTo)}`],
      [t.identity.fingerprint, code(certificate.fingerprint)],
      [t.identity.representations, representations(t, customer)],
    ])}
    <h3>${t.identity.checked}</h3>
    <ul class="checks">
      ${checks.map(([title = '', text = '']) => html`<li><strong>${title}</strong> ${text}</li>`)}
    </ul>
  </section>`;
}

function representations(t: View['t'], { representations: may }: Customer): Content {
  if (may.length === 0) return t.identity.noRepresentations;
  return may.map(
    ({ orgName, orgEtsi, role, rightType }) =>
      html`<span class="org">${orgName} ${code(orgEtsi)} ${role ?? rightType}</span>`,
  );
}

function code(text: string): Html {
  return html`<code>${text}</code>`;
}
