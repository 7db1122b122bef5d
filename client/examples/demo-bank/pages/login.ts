import { type Content, html } from './html.ts';
import { page, token } from './layout.ts';
import type { View } from './view.ts';
import type { WrongNumber } from '../visitors.ts';

/** Start page: three ways to log in. @param wrongNumber of the last attempt: told beside the field */
export function loginPage(view: View, wrongNumber?: WrongNumber): string {
  const { t, settings, visitor } = view;
  const { base, phonePage } = settings;
  const main = html`<h1>${t.login.title}</h1>
    <p class="lead">${t.login.lead}</p>
    <form class="card" method="post" action="${base}/login/push">
      ${token(visitor)}
      <label for="id">${t.login.id}</label>
      <input
        id="id"
        name="id"
        value="${wrongNumber?.typed ?? ''}"
        required
        maxlength="60"
        autocomplete="off"
        spellcheck="false"
        ${
          wrongNumber === undefined
            ? html`aria-describedby="id-hint"`
            : html`aria-invalid="true" aria-describedby="id-fault id-hint" autofocus`
        }
      />
      ${wrongNumber === undefined ? null : fault(view, wrongNumber)}
      <p id="id-hint" class="hint">${t.login.idHint}</p>
      <button class="primary">${t.login.push}</button>
      ${demoCitizens(view)}
    </form>
    <p class="or"><span>${t.login.or}</span></p>
    <div class="pair">
      <form class="card" method="post" action="${base}/login/qr">
        ${token(visitor)}
        <h2>${t.login.qrTitle}</h2>
        <p>${t.login.qrText}</p>
        <button>${t.login.qr}</button>
      </form>
      <form class="card" method="post" action="${base}/login/app">
        ${token(visitor)}
        <h2>${t.login.appTitle}</h2>
        <p>${t.login.appText}</p>
        <button>${t.login.app}</button>
      </form>
    </div>
    ${phonePage === null ? null : html`<p><a href="${phonePage}" target="_blank" rel="noopener">${t.login.phonePage}</a></p>`}`;
  return page(view, {
    title: t.login.title,
    main,
    steps: ['loginByPush', 'loginByQr', 'loginByApp'],
  });
}

function fault({ t }: View, { kind }: WrongNumber): Content {
  const [title = '', text = ''] = t.failure.kinds[kind];
  return html`<p id="id-fault" class="fault" role="alert" data-failure="${kind}">
    <strong>${title}.</strong> ${text}
  </p>`;
}

function demoCitizens({ t, settings }: View): Content {
  if (settings.demoCitizens.length === 0) return null;
  return html`<details class="citizens">
    <summary>${t.login.citizens}</summary>
    <p class="hint">${t.login.citizensText}</p>
    <ul>
      ${settings.demoCitizens.map(
        ({ answers, etsi }) =>
          html`<li>
            <button type="button" class="chip" data-fills="id" data-value="${etsi}">
              <code>${etsi.replace('PNOMN-', '')}</code> ${t.login.answers[answers] ?? answers}
            </button>
          </li>`,
      )}
    </ul>
  </details>`;
}
