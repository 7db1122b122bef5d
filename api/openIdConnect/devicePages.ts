import type { DevicePages } from './ports/oidcPages.ts';
import type { Brand } from '../pages/brand.ts';
import { html } from '../pages/html.ts';
import { deviceTexts } from './deviceTexts.ts';
import { keptLanguage, languageOf } from './language.ts';
import { hostedPage, type PageParts, rendered } from './layout.ts';
import { nameOf } from './names.ts';
import { message } from './providerPages.ts';

/** Longest code typed: its letters, and what people put between them. */
const LONGEST_TYPED = 20;

/** Pages of the device authorization grant (RFC 8628 §3.3). */
export function devicePages(brand: Brand): DevicePages {
  const shown = (parts: PageParts) => rendered(hostedPage(parts), brand);
  return {
    userCode: (reader, { action, xsrf, typed, fault }) => {
      const { asked, isSecure } = reader;
      const language = languageOf(reader, asked);
      const t = deviceTexts[language];
      const { headers, ...page } = shown({
        language,
        title: t.title,
        self: action,
        status: fault === 'busy' ? 429 : 200,
        main: html`<section class="card">
          <h1>${t.title}</h1>
          <p>${t.text}</p>
          ${fault === null ? null : html`<p class="fault" role="alert" id="fault">${t[fault]}</p>`}
          <form method="post" action="${action}">
            <input type="hidden" name="xsrf" value="${xsrf}" />
            <label for="user_code">${t.label}</label>
            <input
              type="text"
              id="user_code"
              name="user_code"
              value="${typed}"
              maxlength="${LONGEST_TYPED}"
              autocomplete="off"
              autocapitalize="characters"
              spellcheck="false"
              ${fault === null ? null : html`aria-describedby="fault" aria-invalid="true"`}
              required
            />
            <button class="primary">${t.button}</button>
          </form>
        </section>`,
      });
      return { ...page, headers: { ...headers, ...keptLanguage(asked, isSecure) } };
    },

    confirmCode: (reader, { action, xsrf, userCode, client }) => {
      const language = languageOf(reader);
      const t = deviceTexts[language].confirm;
      const title = t.title(nameOf(client, language));
      return shown({
        language,
        title,
        main: html`<section class="card">
          <h1>${title}</h1>
          <p class="quiet">${t.code}</p>
          <p class="code">${userCode}</p>
          <p>${t.text}</p>
          <form method="post" action="${action}">
            <input type="hidden" name="xsrf" value="${xsrf}" />
            <input type="hidden" name="user_code" value="${userCode}" />
            <button class="primary" name="confirm" value="yes">${t.yes}</button>
            <button class="second" name="abort" value="yes">${t.no}</button>
          </form>
        </section>`,
      });
    },

    connected: (reader, client) => {
      const language = languageOf(reader);
      const t = deviceTexts[language].connected;
      const main = message('good', t.title, t.text(nameOf(client, language)));
      return shown({ language, title: t.title, main });
    },

    refused: (reader) => {
      const language = languageOf(reader);
      const t = deviceTexts[language].refused;
      return shown({ language, title: t.title, main: message('open', t.title, t.text) });
    },
  };
}
