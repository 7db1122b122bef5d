/**
 * Browser script of the waiting page: polls for the phone's answer, renews the QR code each second,
 * counts down. Holds no secret and writes no markup.
 */
export const script = `'use strict';
(() => {
  const wait = document.getElementById('wait');
  if (wait === null) return;
  const { status, until, confirmed, trouble, waiting } = wait.dataset;
  const text = document.getElementById('status-text');
  const pause = (ms) => new Promise((resume) => setTimeout(resume, ms));
  let ended = false;

  function say(words) {
    // An unchanged text is not set again: screen readers would repeat it.
    if (text.textContent !== words) text.textContent = words;
  }

  async function ask() {
    try {
      const response = await fetch(status, { cache: 'no-store' });
      if (response.ok) return (await response.json()).state;
      if (response.status === 404) return 'ended';
    } catch {
      // Retries after a connection failure: the phone's answer waits on the server.
    }
    return 'trouble';
  }

  async function watch() {
    for (;;) {
      const state = await ask();
      if (state === 'ended') {
        ended = true;
        location.replace(location.pathname);
        return;
      }
      say(state === 'trouble' ? trouble : state === 'away' ? confirmed : waiting);
      if (state !== 'waiting') await pause(2000);
    }
  }

  const progress = document.querySelector('progress');
  const end = Date.now() + Number(until);
  setInterval(() => {
    progress.value = Math.max(0, Math.round((end - Date.now()) / 1000));
  }, 1000);

  let code = document.getElementById('qr');
  const source = code === null ? '' : code.dataset.source;
  async function renew() {
    for (let turn = 1; !ended; turn += 1) {
      await pause(1000);
      const next = new Image();
      next.src = source + '?turn=' + turn;
      next.alt = code.alt;
      next.id = code.id;
      next.className = code.className;
      try {
        await next.decode();
        code.replaceWith(next);
        code = next;
      } catch {
        await pause(2000);
      }
    }
  }
  if (code !== null) void renew();
  void watch();
})();
`;
