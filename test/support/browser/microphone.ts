import type { BrowserContext, Page } from 'playwright-core';

/** Chromium with a microphone that beeps, which every page may use that asks for it. */
export const microphoneSwitches = [
  ...['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'],
] as const;

/** Runs in the page: notes on the document whether the recording that is under way holds something. */
const listening = `
  const { start } = MediaRecorder.prototype;
  MediaRecorder.prototype.start = function () {
    delete document.documentElement.dataset.heard;
    this.addEventListener('dataavailable', ({ data }) => {
      if (data.size > 0) document.documentElement.dataset.heard = 'true';
    });
    start.call(this, 100);
  };
`;

/** Lets pages of this origin listen, and tests wait until they heard something. */
export async function allowMicrophone(context: BrowserContext, origin: string): Promise<void> {
  await context.grantPermissions(['microphone'], { origin });
  await context.addInitScript(listening);
}

/** Resolves when the recording that is under way holds something. */
export async function untilHeard(page: Page): Promise<void> {
  await page.locator('html[data-heard]').waitFor();
}

/** Runs in the page: nobody listens to the tests. */
export const hurriedSpeech = `
  const { play } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.play = function () {
    this.playbackRate = globalThis.speechRate ?? 16;
    globalThis.player = this;
    return play.call(this);
  };
`;
