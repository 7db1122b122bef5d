import { linkSource, showDeviceLink } from './tamga/browser.js';

// Runs in the browser. It holds no secret: fresh links come from the server, and who logged in is in the server's cookie.

for (const chip of document.querySelectorAll('[data-fills]')) {
  chip.addEventListener('click', () => {
    const input = document.getElementById(chip.dataset.fills);
    input.value = chip.dataset.value;
    input.focus();
  });
}

for (const form of document.querySelectorAll('form[data-busy]')) {
  form.addEventListener('submit', (event) => {
    const file = form.querySelector('input[type=file]')?.files[0];
    // Prevents a second submission, a second signature. The fields have been read when this runs.
    setTimeout(() => (form.querySelector('button').disabled = true));
    if (file === undefined) return;
    event.preventDefault();
    void sendFile(form, file);
  });
}
// Enables the form again when the page is restored from the back-forward cache.
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('form[data-busy] button')) button.disabled = false;
});

const wait = document.getElementById('wait');
if (wait !== null) {
  const view = showQrCode();
  countDown(wait.querySelector('progress'), Number(wait.dataset.started));
  void untilAnswered(wait.dataset.status).finally(() => view?.stop());
}

function showQrCode() {
  const element = document.getElementById('qr');
  if (element === null) return null;
  const phone = document.getElementById('open-phone');
  return showDeviceLink({
    element,
    source: linkSource(element.dataset.links),
    label: element.dataset.label,
    onLink: (link) => {
      if (phone !== null) phone.href = link;
    },
  });
}

function countDown(progress, startedAt) {
  const show = () => {
    progress.value = Math.max(0, progress.max - (Date.now() - startedAt) / 1000);
  };
  show();
  setInterval(show, 1000);
}

/** Polls the bank, which polls the service, until there is a page to go to. */
async function untilAnswered(url) {
  for (;;) {
    const answer = await statusOf(url);
    if (answer.panel !== undefined) refreshPanel(answer.panel);
    if (answer.next !== null) {
      location.assign(answer.next);
      return;
    }
    const { dataset } = document.getElementById('status');
    say(answer.trouble ? dataset.trouble : answer.confirmed ? dataset.confirmed : dataset.waiting);
    if (answer.trouble || answer.confirmed) await new Promise((resume) => setTimeout(resume, 2000));
  }
}

/** Answers in a row to a cookie the bank does not know: a login replaces it, so the first may have been overtaken. */
let unknown = 0;

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

function say(text) {
  const element = document.getElementById('status-text');
  // An unchanged text is not set again: screen readers would repeat it.
  if (element.textContent !== text) element.textContent = text;
}

const policy = globalThis.trustedTypes?.createPolicy('bank', { createHTML: (html) => html });

/** Replaces the panel by the server's own HTML; opened details stay open. */
function refreshPanel(html) {
  const panel = document.getElementById('sheet');
  const open = [...panel.querySelectorAll('details')].map((each) => each.open);
  panel.innerHTML = policy?.createHTML(html) ?? html;
  panel.querySelectorAll('details').forEach((each, index) => (each.open = open[index] ?? false));
}

/** Uploads a file, the form's fields in the query. The bank answers with the page to go to. */
async function sendFile(form, file) {
  const { csrf, ...fields } = Object.fromEntries(new FormData(form));
  const query = new URLSearchParams({ ...fields, fileName: file.name });
  const response = await fetch(`${form.action}?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/pdf', 'x-csrf-token': csrf },
    body: file,
  });
  if (response.redirected) location.assign(response.url);
  else location.assign(new URL('failure', `${form.action.replace(/[^/]*$/, '')}`));
}
