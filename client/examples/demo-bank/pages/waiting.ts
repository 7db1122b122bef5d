import type { Pending } from '../visitors.ts';
import { appLink } from '../flows/loginByApp.ts';
import { type Content, html } from './html.ts';
import { page, token } from './layout.ts';
import type { View } from './view.ts';

/** Session timeout of the service, s. */
const ANSWER_WINDOW = 150;

/** Page shown while the phone is asked: verification code, instructions, time left. */
export function waitingPage(view: View, pending: Pending): string {
  const { t, settings, visitor } = view;
  const { channel, code, purpose, startedAt } = pending;
  const title = t.wait.title[purpose.kind];
  const main = html`<h1>${title}</h1>
    <section
      class="card wait"
      id="wait"
      data-status="${settings.base}/wait/status"
      data-started="${startedAt}"
    >
      <div class="ask">
        <p id="code-label">${t.wait.compare}</p>
        <output class="code" aria-labelledby="code-label">${code}</output>
        ${channelBox(view, pending)}
      </div>
      <ol class="todo">
        ${t.wait[channel].map((each) => html`<li>${each}</li>`)}
      </ol>
      <label class="left"
        >${t.wait.left}<progress max="${ANSWER_WINDOW}" value="${ANSWER_WINDOW}"></progress
      ></label>
      <p
        class="status"
        role="status"
        id="status"
        data-confirmed="${t.wait.confirmed}"
        data-trouble="${t.wait.trouble}"
        data-waiting="${t.wait.waiting}"
      >
        <span class="dot" aria-hidden="true"></span> <span id="status-text">${t.wait.waiting}</span>
      </p>
      <noscript><p class="notice">${t.wait.noScript}</p></noscript>
      <p class="notice scriptless">${t.wait.scriptsMissing}</p>
      <form method="post" action="${settings.base}/cancel">
        ${token(visitor)}<button class="quiet">${t.wait.cancel}</button>
      </form>
    </section>`;
  return page(view, { title, main });
}

function channelBox({ t, settings }: View, { channel, session }: Pending): Content {
  if (channel === 'push') return phoneLink(t.wait.openPhonePush, settings.phonePage);
  if (!('sessionSecret' in session)) return null;
  if (channel === 'app') {
    return html`<p>
      <a class="button primary" id="open-app" href="${appLink(session)}">${t.wait.openApp}</a>
    </p>`;
  }
  return html`<div
      class="qr"
      id="qr"
      data-links="${settings.base}/wait/link"
      data-label="${t.wait.qrLabel}"
    ></div>
    ${phoneLink(t.wait.openPhone, settings.phonePage)}`;
}

/** Link to the demo phone, for visitors without one; the script adds the link of a QR code. */
function phoneLink(text: string, page: string | null): Content {
  if (page === null) return null;
  return html`<p><a id="open-phone" href="${page}" target="_blank" rel="noopener">${text}</a></p>`;
}
