import { linkSource, showDeviceLink } from '/tamga/browser.js';

// Runs in the browser. It holds no secret: fresh links come from the server, and who logged in is in the server's cookie.

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no ${id}.`);
  return found;
}

/**
 * @param {'push' | 'qr' | 'app'} way
 * @param {FormDataEntryValue | null} id
 */
async function start(way, id = null) {
  const response = await fetch('/login/start', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ way, id }),
  });
  const started = await response.json();
  element('code').textContent = started.code ?? '';
  return started;
}

async function finish() {
  const status = await (await fetch('/login/status')).json();
  if (status.state === 'RUNNING') return finish();
  element('outcome').textContent =
    status.state === 'OK'
      ? `Hello ${status.user.firstName} ${status.user.lastName}`
      : `Not logged in: ${status.reason ?? status.state}`;
}

async function logInByQrCode() {
  await start('qr');
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
  await start('push', new FormData(form).get('id'));
  await finish();
});
element('qr-start').addEventListener('click', logInByQrCode);
element('app').addEventListener('click', async () => {
  const { link } = await start('app');
  location.assign(link);
});
if (location.hash === '#qr') void logInByQrCode();
