import { expect } from 'chai';
import type { BrowserContext } from 'playwright-core';
import { type BrowserPhone, enrolPhone, usePhone } from '../support/browser/browserPhone.ts';
import type { Visitor } from '../support/browser/visitors.ts';
import {
  type DemoBankWorld,
  failureOf,
  logInByPush,
  openDemoBankWorld,
} from '../support/worlds/demoBankWorld.ts';

/** The first citizen of the demo's registry without a phone. */
const CIVIL_ID = '110000000010';

describe('The phone in the browser and Demo Bank together', function () {
  this.timeout(180_000);
  let world: DemoBankWorld;
  let stop = (): Promise<void> => Promise.resolve();
  let phoneContext: BrowserContext;
  let phone: BrowserPhone;

  before(async function () {
    // Short, for the one who does not answer.
    world = (await openDemoBankWorld({ SVC_SESSION_WINDOW: '25' })) ?? this.skip();
    stop = world.stop;
    phoneContext = await world.browser.newContext({
      locale: 'en-GB',
      viewport: { width: 360, height: 740 },
    });
    phone = await enrolPhone(await phoneContext.newPage(), world.service.origin);
  });

  afterEach(() => world.leave());
  after(() => stop());

  /** Answers what is on the phone with its PIN, once its code is the bank's. */
  async function confirm({ page }: Visitor): Promise<void> {
    await phone.awaitRequest();
    const shown = await page.locator('output.code').innerText();
    if (await phone.page.locator('main.request.at-message').isVisible()) await phone.accept();
    const choice = phone.page.locator('.code-choice');
    await choice.or(phone.page.locator('[data-code]')).first().waitFor();
    if (await choice.isVisible()) await phone.chooseCode(shown);
    else expect(await phone.code()).to.equal(shown);
    await phone.confirm();
    expect(await phone.result()).to.equal('OK');
    await phone.home();
  }

  async function customer(): Promise<Visitor> {
    const visitor = await world.visit();
    await logInByPush(visitor, CIVIL_ID);
    await confirm(visitor);
    await visitor.page.locator('#identity').waitFor();
    return visitor;
  }

  it('log in by push: the phone shows who asks, what for, and the bank’s code', async () => {
    const visitor = await world.visit();
    await logInByPush(visitor, CIVIL_ID);
    expect(await phone.awaitRequest())
      .to.contain('Tamga Demo')
      .and.to.contain('Log in to Demo Bank');
    await confirm(visitor);
    await visitor.page.locator('#identity').waitFor();
  });

  it('log in by QR code, which the phone takes as a picture', async () => {
    const visitor = await world.visit();
    await visitor.page.getByRole('button', { name: 'Show the code' }).click();
    await visitor.page.locator('#qr svg').waitFor();
    await phone.openPicture(await visitor.page.locator('#qr').screenshot({ scale: 'css' }));
    await confirm(visitor);
    await visitor.page.locator('#identity').waitFor();
  });

  it('sign a payment by push, reading it on the phone', async () => {
    const visitor = await customer();
    await visitor.page.getByRole('button', { name: 'Sign the payment' }).click();
    expect(await phone.awaitRequest()).to.contain('pay 125,000 ₮ to Altai Cashmere LLC');
    await confirm(visitor);
    await visitor.page.getByRole('heading', { name: 'Payment signed' }).waitFor();
  });

  it('sign a document by QR code, and stamp it', async () => {
    const visitor = await customer();
    const { page } = visitor;
    await page.locator('#documents').getByLabel('QR code').check();
    await page.getByRole('button', { name: 'Sign the document' }).click();
    await page.locator('#qr svg').waitFor();
    await phone.openPicture(await page.locator('#qr').screenshot({ scale: 'css' }));
    await confirm(visitor);
    await page.getByRole('button', { name: 'Stamp it' }).click();
    await page.getByRole('heading', { name: 'Document stamped' }).waitFor();
  });

  it('log in and sign on the same device: from the bank to the phone and back', async () => {
    const page = await phoneContext.newPage();
    await page.goto(`${world.service.origin}/demo`);
    await page.getByRole('button', { name: 'Open the app' }).click();
    await page.locator('#open-app').click();
    const here = usePhone(page);
    await here.awaitRequest();
    await here.confirm();
    await page.locator('#identity').waitFor();
    expect(await page.locator('#identity').innerText()).to.contain('app on the same device');

    await page.locator('#payment').getByLabel('app on this device').check();
    await page.getByRole('button', { name: 'Sign the payment' }).click();
    await page.locator('#open-app').click();
    await here.awaitRequest();
    await here.accept();
    await here.confirm();
    await page.getByRole('heading', { name: 'Payment signed' }).waitFor();
    await page.close();
  });

  it('shows a refusal and a wrong code, with the remedy', async () => {
    for (const [reason, kind] of [
      ['plain', 'refused'],
      ['code', 'wrongCode'],
    ] as const) {
      const visitor = await world.visit();
      await logInByPush(visitor, CIVIL_ID);
      await phone.awaitRequest();
      await phone.refuse(reason);
      expect(await failureOf(visitor)).to.equal(kind);
      await phone.home();
    }
  });

  it('nobody answers: the bank waits as long as the service does, then says so', async () => {
    const visitor = await world.visit();
    await logInByPush(visitor, CIVIL_ID);
    await phone.awaitRequest();
    await visitor.page
      .locator('[data-failure=timeout][data-code=TIMEOUT]')
      .waitFor({ timeout: 45_000 });
  });
});
