import type { Customer } from '../visitors.ts';
import { type Content, type Html, html } from './html.ts';
import { token } from './layout.ts';
import type { View } from './view.ts';

/** Form of a payment to sign. */
export function orderForm(view: View, customer: Customer): Html {
  const { t, settings, visitor } = view;
  return html`<section class="card" id="payment">
    <h2>${t.order.title}</h2>
    <p class="hint">${t.order.lead}</p>
    <form class="fields" method="post" action="${settings.base}/orders" data-busy>
      ${token(visitor)}
      <div class="wide">
        <label for="payee">${t.order.payee}</label
        ><input id="payee" name="payee" required maxlength="60" value="${t.order.defaultPayee}" />
      </div>
      <div>
        <label for="amount">${t.order.amount}</label
        ><input
          id="amount"
          name="amount"
          required
          type="number"
          min="1"
          max="5000000"
          step="1"
          value="125000"
        />
      </div>
      <div>
        <label for="reference">${t.order.reference}</label
        ><input
          id="reference"
          name="reference"
          maxlength="80"
          value="${t.order.defaultReference}"
        />
      </div>
      ${behalf(view, customer, 'order')} ${channels(view, 'order')}
      <div class="wide"><button class="primary">${t.order.sign}</button></div>
    </form>
  </section>`;
}

/** Form of a document to sign: the sample, or an upload. */
export function contractForm(view: View, customer: Customer): Html {
  const { t, settings, visitor } = view;
  const { base } = settings;
  return html`<section class="card" id="documents">
    <h2>${t.contract.title}</h2>
    <p class="hint">${t.contract.lead}</p>
    <form class="fields" id="contract" method="post" action="${base}/contract" data-busy>
      ${token(visitor)}
      <div class="wide sample">
        <span>${t.contract.sample}</span>
        <a href="${base}/public/contract.pdf" target="_blank" rel="noopener">${t.contract.read}</a>
      </div>
      <div class="wide">
        <label for="file">${t.contract.own}</label>
        <div class="pick">
          <span>${t.contract.choose}</span>
          <input id="file" type="file" accept="application/pdf,.pdf" />
        </div>
      </div>
      ${behalf(view, customer, 'contract')} ${channels(view, 'contract')}
      <div class="wide"><button class="primary">${t.contract.sign}</button></div>
    </form>
  </section>`;
}

/** Choice of organization, for customers who represent one. */
function behalf({ t }: View, { representations }: Customer, form: string): Content {
  if (representations.length === 0) return null;
  const id = `${form}-behalf`;
  return html`<div class="wide">
    <label for="${id}">${t.order.behalf}</label
    ><select id="${id}" name="onBehalfOf">
      <option value="">${t.order.self}</option>
      ${representations.map(({ orgEtsi, orgName, role, rightType }) => html`<option value="${orgEtsi}">${orgName} (${role ?? rightType})</option>`)}
    </select>
  </div>`;
}

function channels({ t }: View, form: string): Html {
  return html`<fieldset class="wide">
    <legend>${t.order.signWith}</legend>
    <div class="radios">
      ${(['push', 'qr', 'app'] as const).map((channel) => html`<label for="${form}-${channel}"><input type="radio" id="${form}-${channel}" name="channel" value="${channel}" ${channel === 'push' ? html` checked` : null} /> ${t.order[channel]}</label>`)}
    </div>
  </fieldset>`;
}
