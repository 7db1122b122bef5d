import { type Content, html } from './html.ts';
import { page, token } from './layout.ts';
import type { View } from './view.ts';

/** Start page: three ways to log in. */
export function loginPage(view: View): string {
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
        required
        maxlength="60"
        autocomplete="off"
        spellcheck="false"
        aria-describedby="id-hint"
      />
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
