import { readAccountId } from '../../application/openIdConnect/accounts.ts';
import type { ServedApi } from '../../application/openIdConnect/ports/servedApis.ts';
import { apiScopeOf } from '../../domain/shared/consentScopes.ts';
import { openIdScopes } from '../../domain/shared/openIdScopes.ts';
import { type Content, html } from '../pages/html.ts';
import type { Language } from '../verify/texts.ts';
import { type BrandedPage, consentsPath, hostedPage } from './layout.ts';
import { clientName, interactionPath, type InteractionView, returnHost } from './loginPages.ts';
import { paymentList } from './payment.ts';
import { deviceTexts } from './deviceTexts.ts';
import { texts } from './texts.ts';

/** A scope with its texts for citizens and relying parties. */
export interface DescribedScope {
  readonly name: string;
  readonly description: string;
  readonly descriptionMn: string;
  readonly sensitive: boolean;
}

/** Descriptions of the scopes of these names, those of APIs with the name of the API; unknown ones are left out. */
export function describeScopes(
  names: readonly string[],
  apis: readonly ServedApi[],
): readonly DescribedScope[] {
  const known = [...Object.entries(openIdScopes), ...apis.flatMap(scopesOf)];
  return names.flatMap((asked) =>
    known.filter(([name]) => name === asked).map(([name, scope]) => ({ name, ...scope })),
  );
}

function scopesOf({ apiId, name, nameEn, scopes }: ServedApi) {
  return scopes.map((scope) => {
    const description = `${nameEn ?? name}: ${scope.description}`;
    const descriptionMn = `${name}: ${scope.descriptionMn}`;
    const texts = { description, descriptionMn, sensitive: true };
    return [apiScopeOf(apiId, scope.name), texts] as const;
  });
}

/** Text of a scope in one language. */
export function scopeText(scope: DescribedScope, language: Language): string {
  return language === 'mn' ? scope.descriptionMn : scope.description;
}

/** Consent page. The client's logo has another origin, so it is not shown. */
export function consentPage(view: InteractionView): BrandedPage {
  const { language, interaction } = view;
  const t = texts[language].consent;
  const path = interactionPath(interaction.uid);
  const { clientUri } = interaction.client;
  return hostedPage({
    language,
    title: t.title(clientName(view)),
    self: path,
    main: html`<section class="card">
      <h1>${t.title(clientName(view))}</h1>
      ${actsFor(view)} ${paymentList(view)}
      <p>${t.text}</p>
      <form method="post" action="${path}/consent">
        <ul class="scopes">
          ${describeScopes(interaction.scopes, interaction.apis).map(
            (scope) => html`<li data-scope="${scope.name}">${choice(scope, view)}</li>`,
          )}
        </ul>
        <p class="quiet">
          ${interaction.redirectUri === '' ? deviceTexts[language].more : t.more(returnHost(interaction))}
          ${website(clientUri, t.website)}
        </p>
        <button class="primary" name="decision" value="allow">${t.allow}</button>
        <button class="second" name="decision" value="deny">${t.deny}</button>
      </form>
      <p class="quiet">
        ${t.later}
        <a href="${consentsPath}" target="_blank">${texts[language].consents.link}</a>
      </p>
    </section>`,
  });
}

/** Organization of the login: the consent is used in its name. */
function actsFor({ language, interaction: { accountId } }: InteractionView): Content {
  const register = accountId === null ? null : readAccountId(accountId).register;
  if (register === null) return null;
  return html`<p class="quiet" id="acts-for">${texts[language].consent.actsFor(register)}</p>`;
}

/** Choice of a scope; all but `openid` are optional. */
function choice(scope: DescribedScope, view: InteractionView): Content {
  const { name } = scope;
  const isFixed = name === 'openid';
  return html`<label class="pick"
    ><input
      type="checkbox"
      name="scope"
      value="${name}"
      checked
      ${isFixed ? html`disabled` : null}
    /><span>${scopeText(scope, view.language)}${tags(scope, view)}</span></label
  >`;
}

function tags({ name, sensitive }: DescribedScope, { language, interaction }: InteractionView) {
  const t = texts[language].consent;
  return html` ${interaction.alreadyGranted.some((granted) => granted === name) ? html`<span class="tag">${t.granted}</span>` : null}
  ${sensitive ? html`<span class="tag sensitive">${t.sensitive}</span>` : null}`;
}

function website(address: string | null, text: string): Content {
  if (address?.startsWith('https://') !== true) return null;
  return html`<a href="${address}" rel="noopener noreferrer" target="_blank">${text}</a>`;
}
