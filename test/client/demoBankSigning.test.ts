import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  comeBack,
  type DemoBankWorld,
  failureOf,
  openDemoBankWorld,
} from '../support/worlds/demoBankWorld.ts';
import { expectSound } from '../support/pdf/pdfChecks.ts';
import { scanQrCode } from '../support/browser/qrScan.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { openAsScripted } from '../support/programs/openAsScripted.ts';

describe('Demo Bank: signing', function () {
  this.timeout(120_000);
  let world: DemoBankWorld;
  let stop = (): Promise<void> => Promise.resolve();
  let directory = '';

  before(async function () {
    world = (await openDemoBankWorld()) ?? this.skip();
    stop = world.stop;
    directory = await mkdtemp(join(tmpdir(), 'tamga-bank-'));
  });

  afterEach(() => world.leave());
  after(async () => {
    await stop();
    if (directory !== '') await rm(directory, { recursive: true });
  });

  const order = (page: Page) => page.locator('#payment');
  const sign = (page: Page) => page.getByRole('button', { name: 'Sign the payment' }).click();

  /** The page the platform shows to anybody who asks about the signature. */
  async function verificationPage(page: Page): Promise<string> {
    const opening = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the verification page' }).click();
    const popup = await opening;
    await popup.locator('.verdict').waitFor();
    return popup.locator('.verdict').getAttribute('class').then(String);
  }

  /** Stamps the signed document of the page and downloads it. */
  async function stamped(page: Page): Promise<{ pdf: Buffer; name: string }> {
    await page.getByRole('button', { name: 'Stamp it' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the stamped PDF' }).click();
    const download = await downloading;
    const path = join(directory, 'stamped.pdf');
    await download.saveAs(path);
    return { pdf: await readFile(path), name: download.suggestedFilename() };
  }

  it('a payment by push, on behalf of the organization', async () => {
    const { page } = await world.customer();
    await order(page).getByLabel('To', { exact: true }).fill('Хөвсгөл <b>Мод</b> ХХК');
    await order(page).getByLabel('Amount').fill('250000');
    await order(page).getByLabel('Acting for').selectOption({ index: 1 });
    await sign(page);
    await page.getByRole('heading', { name: 'Payment signed' }).waitFor();
    expect(await page.locator('.text').innerText())
      .to.contain('To: Хөвсгөл <b>Мод</b> ХХК')
      .and.to.contain('Amount: 250,000 ₮');
    expect(await page.locator('.facts').innerText()).to.contain('Бат-Эрдэнэ Дорж');
    expect(await page.locator('#panel').innerText())
      .to.contain('client.sign.digestByEtsi(')
      .and.to.contain('client.validator.validateSign(');
    expect(await verificationPage(page)).to.contain('passed');
    await page.getByRole('link', { name: 'To the account' }).click();
    expect(await page.locator('.movements .signed').innerText()).to.contain('-250,000 ₮');
    expect(await page.locator('.balance').innerText()).to.contain('8,162,650 ₮');
  });

  it('nothing that is left to the next one who logs in here', async () => {
    const { page } = await world.customer();
    await sign(page);
    await page.getByRole('heading', { name: 'Payment signed' }).waitFor();
    const receipt = page.url();
    await page.evaluate(`
      const form = document.querySelector('form.who');
      const id = document.createElement('input');
      id.name = 'id';
      id.value = '${world.phones.owner.citizen.civilId}';
      form.append(id);
      form.action = '/demo/login/push';
      form.submit();
    `);
    await page.locator('#identity').waitFor();
    expect(await page.locator('.movements .signed').count()).to.equal(0);
    await page.goto(receipt);
    expect(await page.locator('[data-done]').count()).to.equal(0);
  });

  it('a payment by QR code', async () => {
    const { page } = await world.customer();
    await order(page).getByLabel('QR code').check();
    await sign(page);
    await page.locator('#qr svg').waitFor();
    const code = await page.locator('output.code').innerText();
    const link = scanQrCode(await page.locator('#qr').innerHTML());
    const { request } = await openAsScripted(world.phones.owner, link);
    expect(request).to.include({ kind: 'SIGNATURE', verificationCode: code });
    expect(request.interaction?.text).to.contain('Demo Bank: pay 125,000 ₮ to Altai Cashmere LLC');
    await page.getByRole('heading', { name: 'Payment signed' }).waitFor();
  });

  it('a payment with the app on the same device', async () => {
    const { page } = await world.customer();
    await order(page).getByLabel('app on this device').check();
    await sign(page);
    const link = (await page.locator('#open-app').getAttribute('href')) ?? '';
    const { returnTo } = await openAsScripted(world.phones.owner, link);
    await comeBack(page, returnTo);
    await page.getByRole('heading', { name: 'Payment signed' }).waitFor();
  });

  it('a payment for an organization one may not act for comes to nothing', async () => {
    const visitor = await world.customer();
    const { page } = visitor;
    await page.evaluate("document.querySelector('#order-behalf option').value = 'NTRMN-9999999'");
    await sign(page);
    expect(await failureOf(visitor)).to.equal('notRepresentative');
    await page.getByRole('link', { name: 'To the account' }).click();
    expect(await page.locator('.movements .signed').count()).to.equal(0);
  });

  it('the sample contract, which is stamped, kept and can be verified', async () => {
    const { page } = await world.customer();
    await page.getByRole('button', { name: 'Sign the document' }).click();
    await page.getByRole('heading', { name: 'Document signed' }).waitFor();
    expect(await verificationPage(page)).to.contain('passed');
    const { pdf, name } = await stamped(page);
    expect(name).to.equal('Sample contract.signed.pdf');
    const original = await readFile('client/examples/demo-bank/public/contract.pdf');
    await expectSound(directory, pdf, { original, signatures: 1, newPages: 1 });
    expect(await page.locator('#panel').innerText()).to.contain('client.stamp.pdf(');
  });

  it('a document of one’s own', async () => {
    const { page } = await world.customer();
    const original = onePage();
    const path = join(directory, 'Миний <гэрээ>.pdf');
    await writeFile(path, original);
    await page.locator('#file').setInputFiles(path);
    await page.getByRole('button', { name: 'Sign the document' }).click();
    await page.getByRole('heading', { name: 'Document signed' }).waitFor();
    expect(await page.locator('.file').innerText()).to.equal('Миний <гэрээ>.pdf');
    const { pdf } = await stamped(page);
    await expectSound(directory, pdf, { original, signatures: 1, newPages: 1 });
  });

  it('nothing that is no PDF, or too large', async () => {
    for (const content of [Buffer.from('no PDF'), onePage({ padding: 6 * 1024 * 1024 })]) {
      const visitor = await world.customer();
      const { page } = visitor;
      const file = { name: 'x.pdf', mimeType: 'application/pdf', buffer: content };
      await page.locator('#file').setInputFiles(file);
      await page.getByRole('button', { name: 'Sign the document' }).click();
      expect(await failureOf(visitor)).to.equal('documentRefused');
    }
  });

  it('is for customers alone', async () => {
    const { page } = await world.visit();
    for (const path of ['account', 'contract', 'orders/x', 'contract/file']) {
      const response = await page.request.get(`${world.service.origin}/demo/${path}`);
      expect(response.status() === 404 || response.url().endsWith('/demo/'), path).to.equal(true);
    }
  });
});
