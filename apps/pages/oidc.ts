import { below, element, scriptsWork, textOf } from './dom.ts';
import { handOver } from './handOver.ts';

// Waiting page of a login: polls for the phone's answer, renews the QR code each second, counts down. Holds no secret
// and writes no markup.

const SECOND_MS = 1000;
/** Pause after a failure, and while the citizen answers on the phone, ms. */
const AGAIN_MS = 2000;

const pause = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));

const wait = document.getElementById('wait');
if (wait !== null) watch(wait);
const offered = document.getElementById('hand-over');
if (offered !== null) handOver(offered);
scriptsWork();

function watch(wait: HTMLElement): void {
  const text = element('status-text');
  let ended = false;

  function say(words: string): void {
    // An unchanged text is not set again: screen readers would repeat it.
    if (text.textContent !== words) text.textContent = words;
  }

  async function ask(): Promise<string> {
    try {
      const response = await fetch(textOf(wait, 'status'), { cache: 'no-store' });
      if (response.ok) return ((await response.json()) as { readonly state: string }).state;
      if (response.status === 404) return 'ended';
    } catch {
      // Retries after a connection failure: the phone's answer waits on the server.
    }
    return 'trouble';
  }

  async function follow(): Promise<void> {
    for (;;) {
      const state = await ask();
      if (state === 'ended') {
        ended = true;
        location.replace(location.pathname);
        return;
      }
      const usual = state === 'away' ? 'confirmed' : 'waiting';
      say(textOf(wait, state === 'trouble' ? 'trouble' : usual));
      if (state !== 'waiting') await pause(AGAIN_MS);
    }
  }

  async function renew(first: HTMLImageElement): Promise<void> {
    let code = first;
    const source = textOf(first, 'source');
    for (let turn = 1; !ended; turn += 1) {
      await pause(SECOND_MS);
      const next = new Image();
      next.src = `${source}?turn=${turn}`;
      next.alt = code.alt;
      next.id = code.id;
      next.className = code.className;
      try {
        await next.decode();
        code.replaceWith(next);
        code = next;
      } catch {
        await pause(AGAIN_MS);
      }
    }
  }

  const progress = below<HTMLProgressElement>(document.body, 'progress');
  const end = Date.now() + Number(textOf(wait, 'until'));
  setInterval(() => {
    progress.value = Math.max(0, Math.round((end - Date.now()) / SECOND_MS));
  }, SECOND_MS);
  const code = document.querySelector<HTMLImageElement>('#qr');
  if (code !== null) void renew(code);
  void follow();
}
