import { type Content, html } from '../pages/html.ts';
import { scriptsMissing } from '../pages/scriptless.ts';
import type { Language } from '../verify/texts.ts';
import { texts } from './texts.ts';

/** Interval in which a waiting page asks again without scripts, s. */
export const REFRESH_SECONDS = 5;

/** A question that waits for its answer on the phone. */
export interface WaitingCard {
  readonly language: Language;
  /** Path of the page; its state is at `/status` below. */
  readonly path: string;
  readonly title: string;
  /** Question in words. */
  readonly about: string;
  readonly verificationCode: string;
  /** Instructions, in their order. */
  readonly steps: readonly string[];
  /** Time left for the phone, ms. */
  readonly leftMs: number;
  /** Answered by the phone; the browser must still return from the app. */
  readonly isAway?: boolean;
  /** Content beside the code. */
  readonly beside?: Content;
  /** Content below the code. */
  readonly below?: Content;
  /** Way out. */
  readonly cancel: Content;
}

/** Renders verification code, instructions and time left; the script of the pages follows the state. */
export function waitingCard(card: WaitingCard): Content {
  const { language, path, leftMs, isAway = false } = card;
  const t = texts[language].wait;
  const seconds = Math.max(0, Math.round(leftMs / 1000));
  return html`<section
    class="card"
    id="wait"
    data-status="${path}/status"
    data-until="${Math.max(0, leftMs)}"
    data-confirmed="${t.confirmed}"
    data-trouble="${t.trouble}"
    data-waiting="${t.waiting}"
  >
    <h1>${card.title}</h1>
    <p class="quiet">${card.about}</p>
    <div class="ask">
      <p id="code-label">${t.code}</p>
      <output class="code" aria-labelledby="code-label">${card.verificationCode}</output>
      ${card.beside ?? null}
    </div>
    ${card.below ?? null}
    <ol class="todo">
      ${card.steps.map((each) => html`<li>${each}</li>`)}
    </ol>
    <label class="left">${t.left}<progress max="${seconds}" value="${seconds}"></progress></label>
    <p class="status" role="status">
      <span class="dot" aria-hidden="true"></span>
      <span id="status-text">${isAway ? t.confirmed : t.waiting}</span>
    </p>
    <noscript><p class="quiet">${t.noScript}</p></noscript>
    ${scriptsMissing} ${card.cancel}
  </section>`;
}
