import { linkSource, showDeviceLink } from './tamga/browser.js';

// Runs in the browser. It holds no secret: fresh links come from the server, and who logged in is in the server's cookie.

/** @typedef {{ next: string | null, trouble?: boolean, confirmed?: boolean, panel?: string }} Answer */

/** @type {NodeListOf<HTMLButtonElement>} */
const chips = document.querySelectorAll('[data-fills]');
for (const chip of chips) {
  chip.addEventListener('click', () => {
    const input = document.getElementById(textOf(chip, 'fills'));
    if (!(input instanceof HTMLInputElement)) return;
    input.value = textOf(chip, 'value');
    input.focus();
  });
}

// Names the file that was chosen, where the invitation to choose one stood.
for (const input of document.querySelectorAll('.pick input')) {
  const said = input.previousElementSibling;
  input.addEventListener('change', ({ currentTarget }) => {
    const { files } = /** @type {HTMLInputElement} */ (currentTarget);
    if (said !== null && files?.[0] !== undefined) said.textContent = files[0].name;
  });
}

/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll('form[data-busy]');
for (const form of forms) {
  form.addEventListener('submit', (event) => {
    /** @type {HTMLInputElement | null} */
    const input = form.querySelector('input[type=file]');
    const file = input?.files?.[0];
    // Prevents a second submission, a second signature. The fields have been read when this runs.
    setTimeout(() => {
      const [button] = form.getElementsByTagName('button');
      if (button !== undefined) button.disabled = true;
    });
    if (file === undefined) return;
    event.preventDefault();
    void sendFile(form, file);
  });
}
// Enables the form again when the page is restored from the back-forward cache.
addEventListener('pageshow', () => {
  for (const form of forms) {
    for (const button of form.getElementsByTagName('button')) button.disabled = false;
  }
});

const wait = document.getElementById('wait');
if (wait !== null) {
  const view = showQrCode();
  const progress = wait.querySelector('progress');
  if (progress !== null) countDown(progress, Number(textOf(wait, 'started')));
  void untilAnswered(textOf(wait, 'status')).finally(() => view?.stop());
}

/** @param {HTMLElement} element @param {string} name of a text of the page, in `data-<name>` */
function textOf({ dataset }, name) {
  return dataset[name] ?? '';
}

function showQrCode() {
  const element = document.getElementById('qr');
  if (element === null) return null;
  /** @type {HTMLAnchorElement | null} */
  const phone = document.querySelector('a#open-phone');
  return showDeviceLink({
    element,
    source: linkSource(textOf(element, 'links')),
    label: textOf(element, 'label'),
    onLink: (link) => {
      if (phone !== null) phone.href = link;
    },
  });
}

/** @param {HTMLProgressElement} progress @param {number} startedAt ms since 1970 */
function countDown(progress, startedAt) {
  const show = () => {
    progress.value = Math.max(0, progress.max - (Date.now() - startedAt) / 1000);
  };
  show();
  setInterval(show, 1000);
}

/** Polls the bank, which polls the service, until there is a page to go to. @param {string} url */
async function untilAnswered(url) {
  for (;;) {
    const answer = await statusOf(url);
    if (answer.panel !== undefined) refreshPanel(answer.panel);
    if (answer.next !== null) {
      location.assign(answer.next);
      return;
    }
    const status = document.getElementById('status');
    const state = answer.trouble ? 'trouble' : answer.confirmed ? 'confirmed' : 'waiting';
    if (status !== null) say(textOf(status, state));
    if (answer.trouble || answer.confirmed) await new Promise((resume) => setTimeout(resume, 2000));
  }
}

/** Answers in a row to a cookie the bank does not know: a login replaces it, so the first may have been overtaken. */
let unknown = 0;

/** @param {string} url @returns {Promise<Answer>} */
async function statusOf(url) {
  try {
    const response = await fetch(url, { cache: 'no-store' });
    unknown = response.status === 401 ? unknown + 1 : 0;
    if (unknown === 3) return { next: new URL('..', response.url).href };
    if (response.ok) return await response.json();
  } catch {
    // Retries after a connection failure: the session on the server waits.
  }
  return { next: null, trouble: true };
}

/** @param {string} text */
function say(text) {
  const element = document.getElementById('status-text');
  // An unchanged text is not set again: screen readers would repeat it.
  if (element !== null && element.textContent !== text) element.textContent = text;
}

/** @typedef {{ createHTML(html: string): string }} HtmlPolicy */
/** @typedef {{ createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy }} TrustedTypes */

// Absent in some browsers, and not declared by TypeScript.
const { trustedTypes } = /** @type {{ trustedTypes?: TrustedTypes }} */ (globalThis);
const policy = trustedTypes?.createPolicy('bank', { createHTML: (html) => html });

/** Replaces the panel by the server's own HTML; opened details stay open. @param {string} html */
function refreshPanel(html) {
  const panel = document.getElementById('sheet');
  if (panel === null) return;
  const open = [...panel.querySelectorAll('details')].map((each) => each.open);
  panel.innerHTML = policy?.createHTML(html) ?? html;
  panel.querySelectorAll('details').forEach((each, index) => (each.open = open[index] ?? false));
}

/**
 * Uploads a file, the form's fields in the query. The bank answers with the page to go to.
 *
 * @param {HTMLFormElement} form @param {File} file
 */
async function sendFile(form, file) {
  const query = new URLSearchParams({ fileName: file.name });
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string') query.set(name, value);
  }
  const csrf = query.get('csrf') ?? '';
  query.delete('csrf');
  const response = await fetch(`${form.action}?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/pdf', 'x-csrf-token': csrf },
    body: file,
  });
  if (response.redirected) location.assign(response.url);
  else location.assign(new URL('failure', `${form.action.replace(/[^/]*$/, '')}`));
}

document.querySelector('.scriptless')?.remove();
