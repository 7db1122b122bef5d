import { endingReasons } from '../../application/citizen/ownPhones.ts';
import type { SessionStarted } from '../../domain/session/events.ts';
import type { DeviceView } from '../../projections/peopleViews.ts';
import { type BrandedPage, hostedPage } from '../openIdConnect/layout.ts';
import { picks } from '../openIdConnect/picks.ts';
import { texts } from '../openIdConnect/texts.ts';
import { REFRESH_SECONDS, waitingCard } from '../openIdConnect/waitingCard.ts';
import { html } from '../pages/html.ts';
import type { Language } from '../verify/texts.ts';
import { backLink, phoneName, phonePath } from './pages.ts';
import { ownTexts } from './texts.ts';

/** Path of the question that is asked on a phone before another is ended. */
export function endingPath(documentNumber: string, sessionId: string): string {
  return `${phonePath(documentNumber)}/end/${sessionId}`;
}

/** Page of one phone, with the form that ends it. @param confirming other phones that can confirm it, the first by default */
export function phonePage(
  language: Language,
  { phone, confirming }: { readonly phone: DeviceView; readonly confirming: readonly DeviceView[] },
): BrandedPage {
  const t = ownTexts[language].ending;
  const path = phonePath(phone.documentNumber);
  return hostedPage({
    language,
    title: t.title,
    self: path,
    main: html`<section class="card">
        <h1>${t.title}</h1>
        <p>${phoneName(phone, language)}</p>
        <p class="quiet">${ownTexts[language].phones.number}: ${phone.documentNumber}</p>
        <p>${t.text}</p>
        ${confirming.length === 0 ? html`<p>${t.only}</p>` : null}
        <form method="post" action="${path}/end">
          ${picks(
            t.why,
            'reason',
            endingReasons.map((reason) => [reason, t.reason[reason]]),
          )}
          ${
            confirming.length < 2
              ? null
              : picks(
                  t.on,
                  'on',
                  confirming.map((each) => [each.documentNumber, phoneName(each, language)]),
                )
          }
          <button class="primary">${t.confirm}</button>
        </form>
      </section>
      ${backLink(language)}`,
  });
}

/** Page shown while a phone is asked for PIN1. */
export function confirmingPage(
  language: Language,
  phone: DeviceView,
  started: SessionStarted['data'],
  now: Date,
): BrandedPage {
  const t = ownTexts[language].ending;
  const path = endingPath(phone.documentNumber, started.sessionId);
  return hostedPage({
    language,
    title: t.waits,
    self: path,
    watches: true,
    refreshSeconds: REFRESH_SECONDS,
    main: waitingCard({
      language,
      path,
      title: t.waits,
      about: t.about(phoneName(phone, language)),
      verificationCode: started.verificationCode,
      steps: texts[language].wait.push,
      leftMs: Date.parse(started.answerBefore) - now.getTime(),
      cancel: html`<p><a href="${phonePath(phone.documentNumber)}">${t.cancel}</a></p>`,
    }),
  });
}
