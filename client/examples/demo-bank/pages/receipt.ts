import type { Contract, Receipt, SignedOrder } from '../visitors.ts';
import { type Content, type Html, html } from './html.ts';
import { facts, page, time, token } from './layout.ts';
import type { View } from './view.ts';

/** Page of a signed payment. */
export function orderPage(view: View, { text, receipt }: SignedOrder): string {
  const { t } = view;
  const main = html`<section class="card done" data-done="order">
    <h1>${t.order.done}</h1>
    <p class="lead">${t.order.doneText}</p>
    <pre class="text" tabindex="0">${text}</pre>
    ${receiptFacts(view, receipt)}
    <p class="actions">${verifyLink(view, receipt)} ${back(view)}</p>
  </section>`;
  return page(view, { title: t.order.done, main });
}

/** Page of a signed document: stamped or not, and the next step. */
export function contractPage(view: View, contract: Contract, receipt: Receipt): string {
  const { t, settings, visitor } = view;
  const isStamped = contract.stamped !== undefined;
  const title = isStamped ? t.contract.stamped : t.contract.done;
  const at = isStamped ? 2 : 1;
  const main = html`<section class="card done" data-done="${isStamped ? 'stamp' : 'contract'}">
    <ol class="stages">
      ${t.contract.steps.map((step, index) => html`<li${index === at ? html` aria-current="step"` : null} class="${index < at ? 'past' : ''}">${step}</li>`)}
    </ol>
    <h1>${title}</h1>
    <p class="lead">${isStamped ? t.contract.stampedText : t.contract.doneText}</p>
    <p class="file">${contract.fileName}</p>
    ${
      isStamped
        ? html`<p class="actions">
            <a class="button primary" href="${settings.base}/contract/file" download
              >${t.contract.download}</a
            >
            ${verifyLink(view, receipt)}
          </p>`
        : html`<p>${t.contract.stampText}</p>
            <form class="actions" method="post" action="${settings.base}/contract/stamp" data-busy>
              ${token(visitor)}<button class="primary">${t.contract.stamp}</button>
              ${verifyLink(view, receipt)}
            </form>`
    }
    ${receiptFacts(view, receipt)}
    <p>${back(view)}</p>
  </section>`;
  return page(view, { title, main });
}

function receiptFacts({ t }: View, receipt: Receipt): Html {
  const code = (text: string): Content => html`<code>${text}</code>`;
  return facts([
    [t.receipt.signer, receipt.signer],
    [t.receipt.behalf, receipt.onBehalfOf],
    [t.receipt.time, time(receipt.signedAt)],
    [t.receipt.algorithm, code(receipt.algorithm)],
    [t.receipt.digest, code(receipt.digest)],
    [t.receipt.signature, code(receipt.signature)],
    [t.receipt.session, code(receipt.sessionId)],
  ]);
}

function verifyLink({ t, settings }: View, { sessionId }: Receipt): Html {
  return html`<a
    class="button"
    href="${settings.verifyBase}/verify/${sessionId}"
    target="_blank"
    rel="noopener"
    >${t.receipt.verify}</a
  >`;
}

function back({ t, settings }: View): Html {
  return html`<a href="${settings.base}/account">${t.receipt.back}</a>`;
}
