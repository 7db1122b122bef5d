import { type Html, html } from '../pages/html.ts';
import { scriptless } from '../pages/scriptless.ts';
import { documentPage, type Frame } from './page.ts';
import { startTexts } from './startTexts.ts';
import type { Language } from './texts.ts';

const SESSION = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Session number in what a person typed, a link to the session's page for example. @returns null without one */
export function sessionIn(typed: string): string | null {
  return SESSION.exec(typed.toLowerCase())?.[0] ?? null;
}

/**
 * Page where a verification starts: with a PDF, in which the script finds the session, or with the session's number.
 *
 * @param wrong text in which no session number was found; null: nothing was typed yet
 */
export function startPage(frame: Frame, wrong: string | null): string {
  const { language } = frame;
  const t = startTexts[language];
  return documentPage(
    frame,
    [
      html`<section class="verdict">
        <h1>${t.title}</h1>
        <p>${t.lead}</p>
      </section>`,
      fileBox(language),
      scriptless,
      numberForm(language, wrong),
    ],
    { hasScript: true },
  );
}

/** Drop box for a PDF; shown by the script. */
function fileBox(language: Language): Html {
  const { title, choose, privacy, ...said } = startTexts[language].file;
  return html`<section
    class="file"
    id="find"
    hidden
    ${Object.entries(said).map(([name, text]) => html`data-${name}="${text}" `)}
  >
    <h2>${title}</h2>
    <label
      ><span class="choose">${choose}</span><input type="file" accept="application/pdf,.pdf"
    /></label>
    <p class="chosen"></p>
    <output aria-live="polite"></output>
    <ul class="found" hidden></ul>
    <p class="question">${privacy}</p>
  </section>`;
}

/** Works without a script: the service leads on. */
function numberForm(language: Language, wrong: string | null): Html {
  const t = startTexts[language].number;
  const fault =
    wrong === null ? null : html`<p class="fault" id="fault" role="alert">${t.wrong}</p>`;
  return html`<section>
    <h2>${t.title}</h2>
    <form class="number" action="/verify" method="get">
      <input type="hidden" name="lang" value="${language}" />
      <label for="session">${t.label}</label>
      <input
        id="session"
        name="session"
        value="${wrong ?? ''}"
        required
        autocomplete="off"
        spellcheck="false"
        maxlength="300"
        aria-describedby="${wrong === null ? 'hint' : 'fault hint'}"
        ${wrong === null ? null : html`aria-invalid="true"`}
      />
      ${fault}
      <p class="question" id="hint">${t.hint}</p>
      <button>${t.check}</button>
    </form>
  </section>`;
}
