import type { RightData } from '../../application/ports/referenceData.ts';
import type { LoginChannel } from '../../application/openIdConnect/ports/loginTickets.ts';
import type { LoginView } from '../../application/openIdConnect/citizenLogin.ts';
import type { SessionStarted } from '../../domain/session/events.ts';
import { type Content, html } from '../pages/html.ts';
import type { Language } from '../verify/texts.ts';
import { type BrandedPage, hostedPage, loginBase } from './layout.ts';
import { nameOf } from './names.ts';
import { askedText, paymentList } from './payment.ts';
import { picks } from './picks.ts';
import { message } from './providerPages.ts';
import { deviceTexts } from './deviceTexts.ts';
import { type FailureKind, texts } from './texts.ts';
import { REFRESH_SECONDS, waitingCard } from './waitingCard.ts';

/** Input of the pages of an interaction. */
export interface InteractionView {
  readonly language: Language;
  readonly interaction: LoginView;
}

/** Path of the pages of an interaction. */
export function interactionPath(uid: string): string {
  return `${loginBase}/${encodeURIComponent(uid)}`;
}

/** Name of the client in the reader's language. */
export function clientName({ interaction, language }: InteractionView): string {
  return nameOf(interaction.client, language);
}

/** Host of the redirect URI, shown to the citizen. */
export function returnHost({ redirectUri }: LoginView): string {
  if (!URL.canParse(redirectUri)) return redirectUri;
  const { host, protocol } = new URL(redirectUri);
  // The scheme of an app has no host.
  return host === '' ? protocol.slice(0, -1) : host;
}

/** Number that cannot be logged in with, as typed. */
export interface TypedNumber {
  readonly typed: string;
  readonly fault: Extract<FailureKind, 'invalidInput' | 'unknownPerson'>;
}

/** Page of the channels to log in by. @param wrong shown beside its field; null: none */
export function choosePage(view: InteractionView, wrong: TypedNumber | null = null): BrandedPage {
  const { language, interaction } = view;
  const t = texts[language].choose;
  const path = interactionPath(interaction.uid);
  const name = clientName(view);
  const form = (channel: LoginChannel, content: Content) =>
    html`<form method="post" action="${path}/start" class="${channel}">
      <input type="hidden" name="channel" value="${channel}" />
      ${content}
    </form>`;
  return hostedPage({
    language,
    title: t.title(name),
    self: path,
    main: html`<section class="card">
        <h1>${t.title(name)}</h1>
        <p class="quiet">
          ${interaction.redirectUri === '' ? deviceTexts[language].returns : t.returns(returnHost(interaction))}
        </p>
        ${paymentList(view)}
        <div class="methods" role="group" aria-label="${t.methods}">
          ${form(
            'push',
            html`<h2>${t.push.title}</h2>
              <label for="id">${t.push.label}</label>
              <input
                type="text"
                id="id"
                name="id"
                value="${wrong?.typed ?? interaction.loginHint ?? ''}"
                maxlength="40"
                autocomplete="username"
                autocapitalize="none"
                spellcheck="false"
                aria-describedby="${wrong === null ? '' : 'id-fault '}id-hint"
                ${wrong === null ? null : html`aria-invalid="true" autofocus`}
                required
              />
              ${wrong === null ? null : faultOf(wrong, language)}
              <p class="quiet" id="id-hint">${t.push.hint}</p>
              <button class="primary">${t.push.button}</button>`,
          )}
          ${form(
            'qr',
            html`<h2>${t.qr.title}</h2>
              <p class="quiet">${t.qr.text}</p>
              <button class="second">${t.qr.button}</button>`,
          )}
          ${form(
            'app',
            html`<h2>${t.app.title}</h2>
              <p class="quiet">${t.app.text}</p>
              <button class="second">${t.app.button}</button>`,
          )}
        </div>
      </section>
      ${abortForm(path, t.abort(name))}`,
  });
}

function faultOf({ fault }: TypedNumber, language: Language): Content {
  const { titles, texts: remedies } = texts[language].failed;
  return html`<p class="fault" id="id-fault" data-failure="${fault}" role="alert">
    ${titles[fault]}. ${remedies[fault]}
  </p>`;
}

function abortForm(path: string, text: string): Content {
  return html`<form method="post" action="${path}/abort">
    <button class="plain">${text}</button>
  </form>`;
}

/** A login in progress. */
export interface WaitingLogin {
  readonly channel: LoginChannel;
  readonly started: SessionStarted['data'];
  /** Link that opens the app, for channel `app`; null: another channel, or answered already. */
  readonly appLink: string | null;
  /** Time left for the phone, ms. */
  readonly leftMs: number;
  /** Answered by the phone; the browser must still return from the app. */
  readonly isAway: boolean;
}

/** Page shown while the phone is asked: verification code, instructions, time left. */
export function waitingPage(view: InteractionView, login: WaitingLogin): BrandedPage {
  const { language, interaction } = view;
  const t = texts[language].wait;
  const path = interactionPath(interaction.uid);
  const { channel, started, leftMs, isAway } = login;
  return hostedPage({
    language,
    title: t.title,
    self: path,
    watches: true,
    refreshSeconds: REFRESH_SECONDS,
    main: waitingCard({
      language,
      path,
      title: t.title,
      about: askedText(view)(clientName(view)),
      verificationCode: started.verificationCode,
      steps: t[channel],
      leftMs,
      isAway,
      beside: channel === 'qr' ? qrImage(path, t.qrLabel) : null,
      below:
        login.appLink === null
          ? null
          : html`<a class="button primary" id="open-app" href="${login.appLink}">${t.openApp}</a>`,
      cancel: html`<form method="post" action="${path}/restart">
        <button class="plain">${t.cancel}</button>
      </form>`,
    }),
  });
}

function qrImage(path: string, label: string): Content {
  const source = `${path}/qr.svg`;
  return html`<img class="qr" id="qr" src="${source}" data-source="${source}" alt="${label}" />`;
}

/** Choice of the organization the citizen acts for. */
export function organizationPage(view: InteractionView, rights: readonly RightData[]): BrandedPage {
  const { language, interaction } = view;
  const t = texts[language].organization;
  const path = interactionPath(interaction.uid);
  return hostedPage({
    language,
    title: t.title,
    self: path,
    main: html`<section class="card">
      <h1>${t.title}</h1>
      <p class="quiet">${t.text(clientName(view))}</p>
      <form method="post" action="${path}/organization">
        ${picks(t.legend, 'organization', [
          ['', t.myself],
          ...rights.map(
            ({ organization, rightType, role }) =>
              [
                organization.register,
                html`${organization.name}<small
                    >${organization.register} · ${role ?? t.right[rightType]}</small
                  >`,
              ] as const,
          ),
        ])}
        <button class="primary">${t.button}</button>
      </form>
    </section>`,
  });
}

const statuses: Partial<Record<FailureKind, number>> = {
  busy: 429,
  serviceAway: 503,
  wrongBrowser: 404,
  notPermitted: 403,
};

/** Error page: the reason and the next step. */
export function failurePage(
  {
    language,
    interaction,
  }: { readonly language: Language; readonly interaction: LoginView | null },
  kind: FailureKind,
  requestId: string,
  again: string | null = null,
): BrandedPage {
  const t = texts[language].failed;
  const path = interaction === null ? null : interactionPath(interaction.uid);
  return hostedPage({
    language,
    title: t.titles[kind],
    status: statuses[kind] ?? 200,
    self: path,
    main: html`<div data-failure="${kind}">
      ${message(
        kind === 'notBelieved' ? 'bad' : 'open',
        t.titles[kind],
        t.texts[kind],
        html`${
            path === null
              ? null
              : html`<form method="post" action="${path}/restart">
                  <button class="primary">${t.again}</button>
                </form>`
          }
          ${again === null ? null : html`<p>${t.from}: ${again}</p>`}
          <p class="quiet">${t.request}: <code>${requestId}</code></p>`,
      )}
      ${
        interaction === null || path === null
          ? null
          : abortForm(path, texts[language].choose.abort(nameOf(interaction.client, language)))
      }
    </div>`,
  });
}

/**
 * Page that continues to `address` after a form. A redirect would be subject to the form page's
 * `form-action`, which would have to list every address the client redirects to.
 */
export function onwardPage(language: Language, address: string): BrandedPage {
  const t = texts[language].onward;
  return hostedPage({
    language,
    title: t.title,
    onward: address,
    main: html`<section class="card">
      <h1>${t.title}</h1>
      <a class="button primary" href="${address}">${t.link}</a>
    </section>`,
  });
}
