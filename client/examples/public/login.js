import { linkSource, showDeviceLink } from '/tamga/browser.js';

// Runs in the browser. It holds no secret: fresh links come from the server, and who logged in is in the server's cookie.

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no ${id}.`);
  return found;
}

/** @param {string} path */
async function start(path, body = {}) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const started = await response.json();
  element('code').textContent = started.code ?? '';
  return started;
}

async function finish() {
  const response = await fetch('/login/result');
  const { name, reason } = response.status === 504 ? { reason: 'TIMEOUT' } : await response.json();
  element('outcome').textContent =
    name === undefined ? `Not logged in: ${reason}` : `Hello ${name}`;
}

async function logInByQrCode() {
  await start('/login/qr');
  const view = showDeviceLink({
    element: element('qr'),
    source: linkSource('/login/link'),
    size: 280,
    label: 'Scan with the app',
  });
  await finish();
  view.stop();
}

element('push').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  await start('/login/push', { id: new FormData(form).get('id') });
  await finish();
});
element('qr-start').addEventListener('click', logInByQrCode);
element('app').addEventListener('click', async () => {
  const { link } = await start('/login/app');
  location.assign(link);
});
if (location.hash === '#qr') void logInByQrCode();
