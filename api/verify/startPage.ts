import type { Verification } from '../../application/verification/verification.ts';
import { type Content, type Html, html } from '../pages/html.ts';
import { scriptless } from '../pages/scriptless.ts';
import { documentPage, type Frame, signerName, time } from './page.ts';
import { startTexts } from './startTexts.ts';
import { type Language, texts } from './texts.ts';

const SESSION = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Session number in what a person typed, a link to the session's page for example. @returns null without one */
export function sessionIn(typed: string): string | null {
  return SESSION.exec(typed.toLowerCase())?.[0] ?? null;
}

/** Session numbers in what the script read in a PDF that was signed more than once. */
export function sessionsIn(listed: string): readonly string[] {
  const ids = listed.split('.').flatMap((each) => sessionIn(each) ?? []);
  return [...new Set(ids)].slice(0, MOST_SESSIONS);
}

/** Each of them is verified. */
const MOST_SESSIONS = 10;

/** A signature of a PDF that has several; null: nothing is known of it. */
export interface FoundSignature {
  readonly sessionId: string;
  readonly verification: Verification | null;
}

/**
 * Page where a verification starts: with a PDF, in which the script finds the session, or with the session's number.
 *
 * @param wrong text in which no session number was found; null: nothing was typed yet
 * @param found signatures of a PDF, one of which is to be chosen
 */
export function startPage(
  frame: Frame,
  wrong: string | null,
  found: readonly FoundSignature[] = [],
): string {
  const { language } = frame;
  const t = startTexts[language];
  return documentPage(
    frame,
    [
      html`<section class="verdict">
        <h1>${t.title}</h1>
        <p>${t.lead}</p>
      </section>`,
      found.length === 0 ? html`` : choice(found, language),
      fileBox(language),
      scriptless,
      numberForm(language, wrong),
    ],
    { hasScript: true },
  );
}

/** Signatures of a PDF, told apart by who signed and when. */
function choice(found: readonly FoundSignature[], language: Language): Html {
  const { title, text } = startTexts[language].several;
  return html`<section>
    <h2>${title}</h2>
    <p>${text}</p>
    <ul class="found">
      ${found.map(
        ({ sessionId, verification }) =>
          html`<li>
            <a href="/verify/${sessionId}?lang=${language}">${nameOf(verification, language)}</a>
          </li>`,
      )}
    </ul>
  </section>`;
}

function nameOf(verification: Verification | null, language: Language): Content {
  if (verification?.kind !== 'signed') return startTexts[language].several.nothing;
  const { signer, checks, relyingPartyName } = verification;
  const name = signer === null ? texts[language].signerForgotten : signerName(signer);
  const outcome = checks.find((check) => check.name === 'outcome');
  const at = outcome === undefined ? null : html` · ${time(outcome.completedAt)}`;
  return html`${name} · ${relyingPartyName}${at}`;
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
