import type { Page } from 'playwright-core';

/** Chromium whose microphone, which beeps, and camera every page may use that asks for them. */
export const recordingSwitches = ['--use-fake-ui-for-media-stream'] as const;

/** Runs in the page: notes on the document whether the recording that is under way holds something. */
const listening = `(() => {
  const { start } = MediaRecorder.prototype;
  MediaRecorder.prototype.start = function () {
    delete document.documentElement.dataset.heard;
    this.addEventListener('dataavailable', ({ data }) => {
      if (data.size > 0) document.documentElement.dataset.heard = 'true';
    });
    start.call(this, 100);
  };
})()`;

/** Lets the page that is shown listen, and tests wait until it heard something. */
export async function allowMicrophone(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  await page.context().grantPermissions(['microphone'], { origin });
  await page.evaluate(listening);
}

/** Resolves when the recording that is under way holds something. */
export async function untilHeard(page: Page): Promise<void> {
  await page.locator('html[data-heard]').waitFor();
}

/** Runs in the page that is shown: nobody listens to the tests. */
export const hurriedSpeech = `(() => {
  const { play } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.play = function () {
    this.playbackRate = globalThis.speechRate ?? 16;
    globalThis.player = this;
    return play.call(this);
  };
})()`;
