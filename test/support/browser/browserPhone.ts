import type { Locator, Page } from 'playwright-core';
import { spareCitizens } from '../../../infrastructure/registry/demo/spareCitizens.ts';

/** A citizen as the card has it. */
export interface CitizenCard {
  /** Civil id or registration number. */
  readonly identifier: string;
  readonly cardNumber: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
}

/** The PINs browser phones are given. */
export const pins = { pin1: '2580', pin2: '97531' } as const;

/** The phone in a browser page, as the citizen uses it: nothing but what is on the screen. */
export interface BrowserPhone {
  readonly page: Page;
  /** Waits until a request is shown. @returns its text as a whole */
  awaitRequest(): Promise<string>;
  /** The code on the screen, once it is there. */
  code(): Promise<string>;
  /** Goes past a confirmation message. */
  accept(): Promise<void>;
  /** Picks one of three codes. */
  chooseCode(code: string): Promise<void>;
  /** A code of the three that is not this one. */
  wrongCode(right: string): Promise<string>;
  /** Types a PIN; default the one that was chosen for what is asked. */
  confirm(pin?: string): Promise<void>;
  /** Says no; default: the citizen did not ask for it. */
  refuse(reason?: 'plain' | 'notMe' | 'code' | 'document'): Promise<void>;
  /** Waits for the end. @returns the session's end result */
  result(): Promise<string>;
  /** Leaves the result, or what else covers the home screen. */
  home(): Promise<void>;
  /** Opens a link of any form by the address of the page. */
  openLink(link: string): Promise<void>;
  /** Opens the link in a picture of a QR code. @param png or another form browsers read */
  openPicture(png: Buffer): Promise<void>;
}

/** The card of a citizen who has no phone yet. */
export function spareCitizen(index = 0): CitizenCard {
  const citizen = spareCitizens[index];
  if (citizen === undefined) throw new Error('There are not so many citizens without a phone.');
  return citizen;
}

/**
 * Enrols a phone in a page of the browser; the page is opened at `/phone` of `origin`.
 *
 * @param citizen default the first one without a phone
 */
export async function enrolPhone(
  page: Page,
  origin: string,
  citizen: CitizenCard = spareCitizen(),
): Promise<BrowserPhone> {
  await page.goto(`${origin}/phone`);
  const offered = page.locator(`[data-citizen="${citizen.identifier}"]`);
  const form = page.locator('form.card');
  await page.locator('ul.choices, form.card').first().waitFor();
  if (await offered.isVisible()) await offered.click();
  else {
    if (!(await form.isVisible())) await page.locator('button.quiet').click();
    await form.locator('[name=identifier]').fill(citizen.identifier);
    await form.locator('[name=cardNumber]').fill(citizen.cardNumber);
    await form.locator('[name=birthDate]').fill(citizen.birthDate);
    await form.locator('button[type=submit]').click();
  }
  for (const [name, pin] of [
    ['PIN1', pins.pin1],
    ['PIN2', pins.pin2],
  ] as const) {
    for (const turn of ['choose', 'repeat']) {
      await page.locator(`[data-step="${turn}-${name}"]`).waitFor();
      await typePin(page, pin);
    }
  }
  await page.locator('main.end.good button.first').click();
  await page.locator('[data-connection=connected]').waitFor();
  return usePhone(page);
}

/** The phone that is in a page already. */
export function usePhone(page: Page): BrowserPhone {
  const request = page.locator('main.request');
  const ending = page.locator('main.end[data-result]');
  const press = (locator: Locator) => locator.click();
  return {
    page,
    awaitRequest: async () => {
      await request.waitFor();
      return request.innerText();
    },
    code: async () => (await page.locator('[data-code]').getAttribute('data-code')) ?? '',
    accept: () => press(page.locator('main.request.at-message .actions .first')),
    chooseCode: (code) => press(page.locator('.code-choice button', { hasText: code })),
    wrongCode: async (right) => {
      await page.locator('.code-choice button').first().waitFor();
      const codes = await page.locator('.code-choice button').allInnerTexts();
      return codes.find((code) => code !== right) ?? '';
    },
    confirm: async (pin) => {
      await page.locator('main.request .keys button:enabled').first().waitFor();
      const length = await page.locator('main.request .dots i').count();
      await typePin(page, pin ?? (length === pins.pin1.length ? pins.pin1 : pins.pin2));
    },
    refuse: async (reason = 'plain') => {
      await press(page.locator('main.request [data-action=refuse]'));
      const order = { plain: 0, notMe: 1, code: 2, document: 3 } as const;
      await press(page.locator('dialog.sheet button.second').nth(order[reason]));
    },
    // Waits and reads at once: a good result goes away by itself.
    result: async () => (await ending.getAttribute('data-result')) ?? '',
    home: async () => {
      const close = ending.locator('button.first');
      // A good result goes away by itself.
      if (await close.isVisible()) await close.click({ timeout: 2_000 }).catch(() => undefined);
      // Scanning a picture leaves the scanning page.
      await press(page.locator('nav.tabs button').first());
      await page.locator('main.home').waitFor();
    },
    openLink: async (link) => {
      await page.goto(`${new URL(page.url()).origin}/phone?link=${encodeURIComponent(link)}`);
    },
    openPicture: async (png) => {
      await press(page.locator('nav.tabs button').nth(1));
      const picture = { name: 'qr.png', mimeType: 'image/png', buffer: png };
      await page.locator('.pick input').setInputFiles(picture);
    },
  };
}

/** By keyboard, as on a desk. */
async function typePin(page: Page, pin: string): Promise<void> {
  for (const digit of pin) await page.keyboard.press(`Digit${digit}`);
}
