import type { ConsentOverview } from '../../application/openIdConnect/citizenConsents.ts';
import type { ShownNotice } from '../../application/device/notices.ts';
import { documentsOf } from '../../domain/session/batch.ts';
import { type EndResult, type Interaction, notMe } from '../../domain/session/events.ts';
import type { StartedSession } from '../../domain/session/session.ts';
import type { CertificateView, DeviceView } from '../../projections/peopleViews.ts';
import { withdrawForm } from '../openIdConnect/consentsPage.ts';
import { type BrandedPage, consentsPath, hostedPage, mePath } from '../openIdConnect/layout.ts';
import { nameOf } from '../openIdConnect/names.ts';
import { message } from '../openIdConnect/providerPages.ts';
import { type Content, html } from '../pages/html.ts';
import { dayOf, minuteOf } from '../pages/localTime.ts';
import { signalWords } from '../pages/signalWords.ts';
import { endResultHelp } from '../problems/help/endResultHelp.ts';
import type { Language } from '../verify/texts.ts';
import type { OwnHistory, OwnSession } from './ownHistory.ts';
import type { Overview } from './ownThings.ts';
import { type OwnFailure, ownTexts } from './texts.ts';

/** Path of the history. */
export const historyPath = `${mePath}/history`;
/** Path of the page of one phone. */
export const phonePath = (documentNumber: string): string => `${mePath}/phones/${documentNumber}`;

/** Page before the login. */
export function welcomePage(
  language: Language,
  loginAddress: string,
  isEnded: boolean,
): BrandedPage {
  const t = ownTexts[language];
  return hostedPage({
    language,
    title: t.title,
    self: mePath,
    main: html`<section class="card">
      <h1>${t.title}</h1>
      ${isEnded ? html`<p class="status" role="status">${t.phones.isEnded}</p>` : null}
      <p>${t.before}</p>
      <a class="button primary" id="log-in" href="${loginAddress}">${t.logIn}</a>
    </section>`,
  });
}

/** A citizen's page: everything of theirs, each with the way to change it. */
export function overviewPage(
  language: Language,
  { person, consents }: ConsentOverview,
  { phones, certificates, rights, notices, history }: Overview,
  isEnded: boolean,
): BrandedPage {
  const t = ownTexts[language];
  return hostedPage({
    language,
    title: t.title,
    self: mePath,
    main: html`<section class="card">
        <h1>${t.title}</h1>
        <p class="quiet">${person}</p>
        ${isEnded ? html`<p class="status" role="status">${t.phones.isEnded}</p>` : null}
      </section>
      ${section(
        'notices',
        language,
        notices.map(
          (notice) =>
            html`<li>
              ${noticeText(notice, phones, language)}<small>${minuteOf(notice.givenAt)}</small>
            </li>`,
        ),
      )}
      ${section(
        'phones',
        language,
        phones.map(
          (phone) =>
            html`<li data-phone="${phone.documentNumber}">
              ${phoneName(phone, language)}
              ${
                phone.active
                  ? html`<a
                      href="${phonePath(phone.documentNumber)}"
                      aria-label="${t.phones.endOf(phoneName(phone, language))}"
                      >${t.phones.end}</a
                    >`
                  : html`<small
                      >${t.phones.ended(dayOf(phone.deactivatedAt ?? phone.enrolledAt))}</small
                    >`
              }
            </li>`,
        ),
      )}
      ${section(
        'history',
        language,
        history.sessions.map((session) => historyRow(session, language)),
        html`<p><a href="${historyPath}">${t.history.all}</a></p>`,
      )}
      ${section(
        'services',
        language,
        consents.map(
          (consent) =>
            html`<li data-client="${consent.clientId}">
              ${nameOf(consent, language)}<small>${dayOf(consent.givenAt)}</small>
              ${withdrawForm(consent, language)}
            </li>`,
        ),
        html`<p><a href="${consentsPath}">${t.services.all}</a></p>`,
      )}
      ${section(
        'certificates',
        language,
        certificates.map((one) => certificateRow(one, phoneWith(one, phones), language)),
      )}
      ${section(
        'rights',
        language,
        rights.map(
          ({ organization, rightType, role, validTo }) =>
            html`<li>
              ${organization.name}<small
                >${organization.register} ·
                ${role ?? t.rights.type[rightType]}${
                  validTo === null ? null : html` · ${t.rights.until(dayOf(validTo))}`
                }</small
              >
            </li>`,
        ),
      )}
      <p class="quiet"><a href="/oidc/logout">${t.logOut}</a></p>`,
  });
}

type SectionName = 'notices' | 'phones' | 'history' | 'services' | 'certificates' | 'rights';

/** Part of the page: its rows, or that there are none. */
function section(
  id: SectionName,
  language: Language,
  rows: readonly Content[],
  more: Content = null,
): Content {
  const { title, none } = ownTexts[language][id];
  return html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${
      rows.length === 0
        ? html`<p class="quiet">${none}</p>`
        : html`<ul class="scopes own">
            ${rows}
          </ul>`
    }
    ${more}
  </section>`;
}

/** Name of a phone: its platform and when it was set up, to the minute, since two may be of one day. */
export function phoneName({ platform, enrolledAt }: DeviceView, language: Language): string {
  const t = ownTexts[language].phones;
  return `${t.phone[platform] ?? platform}, ${t.since(minuteOf(enrolledAt))}`;
}

/** Phone with the keys of a certificate; null: one that had them before they were renewed. */
function phoneWith({ serial }: CertificateView, phones: readonly DeviceView[]): DeviceView | null {
  const has = (phone: DeviceView) => [phone.authenticationSerial, phone.signingSerial];
  return phones.find((phone) => has(phone).includes(serial)) ?? null;
}

function certificateRow(
  one: CertificateView,
  phone: DeviceView | null,
  language: Language,
): Content {
  const t = ownTexts[language].certificates;
  return html`<li>
    ${t.type[one.type] ?? one.type}
    <span class="tag">${t.status[one.status]}</span>${
      phone === null ? null : html`<small>${phoneName(phone, language)}</small>`
    }<small>${t.until(dayOf(one.notAfter))}</small><small>${t.serial}: ${one.serial}</small>
  </li>`;
}

function noticeText(
  { device, right, organization }: ShownNotice,
  phones: readonly DeviceView[],
  language: Language,
): Content {
  const { notices: t, phones: p } = ownTexts[language];
  if (device !== null) {
    const phone = phones.find((each) => each.documentNumber === device.documentNumber);
    const name = phone && phoneName(phone, language);
    return t.device(name ?? p.phone[device.platform] ?? device.platform);
  }
  if (right !== null) {
    const { orgName, personName, personEtsi, change } = right;
    return `${orgName}: ${personName ?? personEtsi} – ${t.change[change]}`;
  }
  if (organization === null) return null;
  const name = language === 'en' ? organization.orgNameEn : null;
  return `${name ?? organization.orgName} – ${t.change[organization.change]}`;
}

function historyRow({ askedBy, ...session }: OwnSession, language: Language): Content {
  const t = ownTexts[language].history;
  // The time that phones list, too.
  const at = minuteOf(session.completedAt ?? session.startedAt);
  return html`<li data-result="${session.endResult ?? 'RUNNING'}">
    <a href="${historyPath}/${session.sessionId}" aria-label="${t.open(askedBy, at)}">${askedBy}</a>
    <small>${t.kind[session.kind]} · ${resultText(session.endResult, language)} · ${at}</small>
  </li>`;
}

/** End result in words; of a session without one that it waits. */
function resultText(endResult: EndResult | null, language: Language): string {
  return endResult === null
    ? ownTexts[language].history.running
    : endResultHelp[endResult].title[language];
}

/** One page of the history. @param size sessions on a page */
export function historyPage(
  language: Language,
  { sessions, offset, hasOlder }: OwnHistory,
  size: number,
): BrandedPage {
  const t = ownTexts[language];
  const link = (from: number, text: string) =>
    html`<a href="${historyPath}?from=${from}">${text}</a> `;
  return hostedPage({
    language,
    title: t.history.title,
    self: historyPath,
    main: html`<section class="card">
        <h1>${t.history.title}</h1>
        ${
          sessions.length === 0
            ? html`<p class="quiet">${t.history.none}</p>`
            : html`<ul class="scopes own">
                ${sessions.map((session) => historyRow(session, language))}
              </ul>`
        }
        <p>
          ${offset > 0 ? link(Math.max(0, offset - size), t.history.newer) : null}
          ${hasOlder ? link(offset + size, t.history.older) : null}
        </p>
      </section>
      ${backLink(language)}`,
  });
}

/** A session of a citizen, for its page. */
export interface ShownSession {
  readonly session: StartedSession;
  readonly askedBy: string;
  /** Phone that answered; null: none, or not known any more. */
  readonly phone: DeviceView | null;
  /** End of the time after "It was not me" in which the relying party cannot ask; null: it can. */
  readonly blockedUntil: string | null;
  /** Telephone number of the help desk; null: not configured. */
  readonly helpLine: string | null;
}

/** Everything a citizen was asked in a session, how it ended, and what follows from "It was not me". */
export function sessionPage(language: Language, shown: ShownSession): BrandedPage {
  const { session, askedBy } = shown;
  const t = ownTexts[language].history;
  const { started } = session;
  const outcome = session.status === 'COMPLETE' ? session.outcome : null;
  const path = `${historyPath}/${started.sessionId}`;
  return hostedPage({
    language,
    title: `${askedBy}, ${minuteOf(started.startedAt)}`,
    self: path,
    main: html`<section class="card" data-result="${outcome?.endResult ?? 'RUNNING'}">
        <h1>${t.kind[started.kind]}: ${askedBy}</h1>
        <p>${outcome === null ? t.running : endResultHelp[outcome.endResult].show[language]}</p>
        <dl>
          ${factsOf(shown, language).map(
            ([name, value]) =>
              html`<div>
                <dt>${name}</dt>
                <dd>${value}</dd>
              </div>`,
          )}
        </dl>
        ${technicalFacts(outcome?.documentNumber ?? null, started.sessionId, language)}
      </section>
      ${outcome?.endResult === notMe ? blockCard(language, shown, outcome.documentNumber) : null}
      ${backLink(language)}`,
  });
}

/** Facts of a session that there are, by their names. */
function factsOf(
  { session, askedBy, phone }: ShownSession,
  language: Language,
): readonly (readonly [string, string])[] {
  const { history: t, when, code } = ownTexts[language];
  const { started } = session;
  const outcome = session.status === 'COMPLETE' ? session.outcome : null;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    [t.asked, askedBy],
    [t.sentName, started.relyingPartyName === askedBy ? null : started.relyingPartyName],
    [t.result, resultText(outcome?.endResult ?? null, language)],
    [when, minuteOf(started.startedAt)],
    [t.answered, outcome && minuteOf(outcome.completedAt)],
    // Code to compare with the page that asked while it runs: from here it would confirm a login begun by somebody else.
    [code, outcome && started.verificationCode],
    [t.text, textOf(started.interactions[0])],
    [t.file, started.fileName],
    ...(documentsOf(started) ?? []).map(
      ({ displayText60, fileName }, index) =>
        [`${t.file} ${index + 1}`, [displayText60, fileName ?? ''].join(' ').trim()] as const,
    ),
    [t.onBehalfOf, started.onBehalfOf?.name],
    [t.told, session.signalsTold?.names.map((name) => signalWords[language][name]).join(', ')],
    [t.phone, phone && phoneName(phone, language)],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

/** Numbers that a help desk asks for; nobody reads them otherwise. */
function technicalFacts(
  documentNumber: string | null,
  sessionId: string,
  language: Language,
): Content {
  const { history: t, phones } = ownTexts[language];
  return html`<details>
    <summary>${t.numbers}</summary>
    <dl>
      <div>
        <dt>${t.id}</dt>
        <dd>${sessionId}</dd>
      </div>
      ${
        documentNumber === null
          ? null
          : html`<div>
              <dt>${phones.number}</dt>
              <dd>${documentNumber}</dd>
            </div>`
      }
    </dl>
  </details>`;
}

function textOf(interaction: Interaction | undefined): string | null {
  if (interaction === undefined) return null;
  return 'displayText60' in interaction ? interaction.displayText60 : interaction.displayText200;
}

/** Card of what is blocked until when, and the ways on. @param documentNumber of the phone it was said on */
function blockCard(
  language: Language,
  { session, askedBy, blockedUntil, helpLine }: ShownSession,
  documentNumber: string | null,
): Content {
  const t = ownTexts[language].block;
  const path = `${historyPath}/${session.started.sessionId}`;
  return html`<section class="card" aria-labelledby="block" data-blocked="${blockedUntil ?? 'no'}">
    <h2 id="block">${t.title}</h2>
    <p>${blockedUntil === null ? t.over : t.blocked(askedBy, minuteOf(blockedUntil))}</p>
    ${
      blockedUntil === null
        ? null
        : html`<form method="post" action="${path}/allow">
            <button class="second">${t.undo}</button>
          </form>`
    }
    ${
      documentNumber === null
        ? null
        : html`<p>
            ${t.phone}
            <a href="${phonePath(documentNumber)}">${ownTexts[language].phones.end}</a>
          </p>`
    }
    <p>${t.call(helpLine)}</p>
  </section>`;
}

/** Page of what cannot be done or shown. */
export function ownFailurePage(
  language: Language,
  kind: OwnFailure,
  {
    endResult = null,
    again = null,
  }: { readonly endResult?: EndResult | null; readonly again?: string | null } = {},
): BrandedPage {
  const t = ownTexts[language].failed;
  return hostedPage({
    language,
    title: t.title[kind],
    status: statuses[kind],
    main: html`<div data-failure="${kind}">
      ${message(
        'open',
        t.title[kind],
        t.text[kind],
        html`${
          endResult === null
            ? null
            : html`<p class="quiet">${t.result}: ${resultText(endResult, language)}</p>`
        }${again === null ? null : html`<p>${t.from}: ${again}</p>`}`,
      )}
      ${backLink(language)}
    </div>`,
  });
}

const statuses: Readonly<Record<OwnFailure, number>> = {
  notHere: 404,
  busy: 429,
  notConfirmed: 200,
  over: 410,
  tooNew: 403,
  noPhone: 409,
  away: 503,
};

/** Link back to the page itself. */
export function backLink(language: Language): Content {
  return html`<p><a href="${mePath}">${ownTexts[language].back}</a></p>`;
}
