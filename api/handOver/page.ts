import { type BrandedPage, hostedPage } from '../openIdConnect/layout.ts';
import { html } from '../pages/html.ts';
import { scriptless } from '../pages/scriptless.ts';
import type { Language } from '../verify/texts.ts';
import { handOverTexts } from './texts.ts';

/** Path of the page; a link has the token behind #, which no server and no log sees. */
export const handOverPath = '/hand-over';

/** Page with a button: opening it uses nothing up, as scanners of mail open links. */
export function handOverPage(language: Language): BrandedPage {
  const t = handOverTexts[language];
  return hostedPage({
    language,
    title: t.title,
    self: handOverPath,
    watches: true,
    main: html`<section
      class="card"
      id="hand-over"
      data-path="${handOverPath}"
      data-gone="${t.gone}"
      data-trouble="${t.trouble}"
      data-incomplete="${t.incomplete}"
      data-copied="${t.copied}"
    >
      <h1>${t.title}</h1>
      <div id="offer">
        <p>${t.lead}</p>
        <p>${t.advice}</p>
        <button class="primary" id="reveal" type="button">${t.show}</button>
      </div>
      <p class="status" id="fault" role="alert" hidden></p>
      <div id="shown" hidden>
        <h2 id="holder" tabindex="-1"></h2>
        <p>${t.shown}</p>
        <pre id="variables" tabindex="0" role="region" aria-label="${t.variables}"></pre>
        <button id="copy" type="button">${t.copy}</button>
      </div>
      ${scriptless}
    </section>`,
  });
}
