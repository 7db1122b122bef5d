import type { DevicePages, OidcPages } from './ports/oidcPages.ts';
import type { Brand } from '../pages/brand.ts';
import { type Content, html } from '../pages/html.ts';
import { languageOf } from './language.ts';
import { consentsPath, hostedPage, type PageParts, rendered } from './layout.ts';
import { nameOf } from './names.ts';
import { texts } from './texts.ts';

/** Pages rendered on behalf of the provider. */
export function providerPages(brand: Brand): Omit<OidcPages, keyof DevicePages> {
  const shown = (parts: PageParts) => rendered(hostedPage(parts), brand);
  return {
    logout: (reader, { client, action, xsrf, postLogoutRedirectUri }) => {
      const language = languageOf(reader);
      const t = texts[language].logout;
      const name = client === null ? null : nameOf(client, language);
      return shown({
        language,
        title: t.title,
        formAction: logoutTargets(postLogoutRedirectUri),
        main: html`<section class="card">
          <h1>${t.title}</h1>
          <p>${name === null ? t.question : t.questionOf(name)}</p>
          <form method="post" action="${action}">
            <input type="hidden" name="xsrf" value="${xsrf}" />
            <button class="primary" name="logout" value="yes">${t.everywhere}</button>
            ${name === null ? null : html`<button class="second">${t.onlyHere(name)}</button>`}
          </form>
          <p class="quiet">${t.explained}</p>
        </section>`,
      });
    },

    loggedOut: (reader) => {
      const language = languageOf(reader);
      const t = texts[language].loggedOut;
      return shown({
        language,
        title: t.title,
        main: message(
          'good',
          t.title,
          t.text,
          html`<p><a href="${consentsPath}">${texts[language].consents.link}</a></p>`,
        ),
      });
    },

    error: (reader, { error, description, requestId, status }) => {
      const language = languageOf(reader);
      const t = texts[language].error;
      // Words of the protocol, for those who write the service: others get the advice above.
      const facts = html`<details>
        <summary>${t.forDevelopers}</summary>
        <dl>
          <div>
            <dt>${t.code}</dt>
            <dd><code>${error}</code></dd>
          </div>
          ${
            description === null
              ? null
              : html`<div>
                  <dt>${t.description}</dt>
                  <dd lang="en">${description}</dd>
                </div>`
          }
          <div>
            <dt>${t.request}</dt>
            <dd><code>${requestId}</code></dd>
          </div>
        </dl>
      </details>`;
      return shown({
        language,
        status,
        title: t.title,
        main: message(
          'bad',
          t.title,
          html`${error in t.whatToDo ? adviceOf(t, error) : t.text}`,
          facts,
        ),
      });
    },
  };
}

function adviceOf(t: (typeof texts)['mn']['error'], error: string): string {
  return t.whatToDo[error as keyof typeof t.whatToDo];
}

/** Page with a single message. */
export function message(
  kind: 'good' | 'bad' | 'open',
  title: string,
  text: Content,
  more: Content = null,
): Content {
  return html`<section class="card message ${kind}">
    <h1>${title}</h1>
    <p>${text}</p>
    ${more}
  </section>`;
}

/**
 * Sources of `form-action` for a logout: Chromium applies it to every redirect after a form, and
 * the client's own address may redirect further.
 */
function logoutTargets(postLogoutRedirectUri: string | null): string {
  const sources = ["'self'", 'https:'];
  if (postLogoutRedirectUri?.startsWith('http://') === true) {
    sources.push(new URL(postLogoutRedirectUri).origin);
  }
  return sources.join(' ');
}
