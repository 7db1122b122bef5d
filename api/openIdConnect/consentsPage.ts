import type {
  ConsentOverview,
  ShownConsent,
} from '../../application/openIdConnect/citizenConsents.ts';
import { type Content, html } from '../pages/html.ts';
import { dayOf } from '../pages/localTime.ts';
import type { Language } from '../verify/texts.ts';
import { describeScopes, scopeText } from './consentPage.ts';
import { type BrandedPage, consentsPath, hostedPage, mePath } from './layout.ts';
import { nameOf } from './names.ts';
import { texts } from './texts.ts';

/** Page of the consents before the login. */
export function consentsLoginPage(language: Language, loginAddress: string): BrandedPage {
  const t = texts[language].consents;
  return hostedPage({
    language,
    title: t.title,
    self: consentsPath,
    main: html`<section class="card">
      <h1>${t.title}</h1>
      <p>${t.before}</p>
      <a class="button primary" id="log-in" href="${loginAddress}">${t.logIn}</a>
    </section>`,
  });
}

/** Consents given to services, each with a form to withdraw it. */
export function consentsPage(
  language: Language,
  { person, consents }: ConsentOverview,
  isWithdrawn: boolean,
): BrandedPage {
  const t = texts[language].consents;
  return hostedPage({
    language,
    title: t.title,
    self: consentsPath,
    main: html`<section class="card">
        <h1>${t.title}</h1>
        <p class="quiet">${person}</p>
        ${isWithdrawn ? html`<p class="status" role="status">${t.withdrawn}</p>` : null}
        <p>${consents.length === 0 ? t.none : t.text}</p>
      </section>
      ${consents.map((consent) => card(consent, language))}
      <p class="quiet">
        <a href="${mePath}">${t.myPage}</a> · <a href="/oidc/logout">${t.logOut}</a>
      </p>`,
  });
}

function card(consent: ShownConsent, language: Language): Content {
  const t = texts[language].consents;
  const { clientId, scopes, apis, givenAt, clientUri } = consent;
  const name = nameOf(consent, language);
  return html`<section class="card" data-client="${clientId}">
    <h2>${name}</h2>
    <p class="quiet">${t.since(dayOf(givenAt))}${hostOf(clientUri)}</p>
    <ul class="scopes told">
      ${describeScopes(scopes, apis).map((scope) => html`<li>${scopeText(scope, language)}</li>`)}
    </ul>
    ${withdrawForm(consent, language)}
  </section>`;
}

/** Form that withdraws a consent. */
export function withdrawForm(consent: ShownConsent, language: Language): Content {
  const t = texts[language].consents;
  const label = t.withdrawOf(nameOf(consent, language));
  return html`<form method="post" action="${consentsPath}/withdraw">
    <input type="hidden" name="client" value="${consent.clientId}" />
    <button class="second" aria-label="${label}">${t.withdraw}</button>
  </form>`;
}

function hostOf(address: string | null): Content {
  return address !== null && URL.canParse(address) ? html` · ${new URL(address).host}` : null;
}
