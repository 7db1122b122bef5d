import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { EidClient, sha256Base64 } from '../../client/index.ts';
import { type BrowserPhone, enrolPhone } from '../support/browserPhone.ts';
import { launchChromium } from '../support/chromium.ts';
import { type DemoInstallation, startDemoInstallation } from '../support/demoInstallation.ts';

/** Where pictures of the pages are left to be looked at. */
const PICTURES = join('dist', 'test-artefacts', 'phone');
const phoneScreen = { width: 360, height: 740 };

describe('The phone in the browser', function () {
  this.timeout(120_000);
  let browser: Browser;
  let demo: DemoInstallation;
  let client: EidClient;
  let phone: BrowserPhone;
  let stop = (): Promise<void> => Promise.resolve();
  const complaints: string[] = [];
  const strangers: string[] = [];
  const citizen = 'PNOMN-110000000010';

  before(async function () {
    const launched = await launchChromium();
    if (launched === null) {
      console.log('    chromium is missing (package chromium): skipped');
      this.skip();
    }
    browser = launched;
    stop = () => browser.close();
    await mkdir(PICTURES, { recursive: true });
    demo = await startDemoInstallation();
    stop = async () => {
      await browser.close();
      await demo.stop();
    };
    const trust = await demo.service.writeTrustFiles(join(demo.directory, 'trust'));
    client = new EidClient({
      baseUrl: demo.service.origin,
      credentials: {
        rpUUID: demo.relyingPartyId,
        rpName: 'Tamga Demo',
        apiSecret: demo.apiSecret,
      },
      trust: {
        trustAnchorsPem: await readFile(trust.anchorsPem, 'utf8'),
        intermediatesPem: await readFile(trust.intermediatesPem, 'utf8'),
      },
    });
    phone = await enrolPhone(await newPage(), demo.service.origin);
  });

  after(() => stop());

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      locale: 'en-GB',
      viewport: phoneScreen,
      ...options,
    });
    const page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== demo.service.origin) strangers.push(request.url());
    });
    return page;
  }

  const shoot = (page: Page, name: string) =>
    page.screenshot({ path: join(PICTURES, `${name}.png`) });

  it('confirms a login with PIN1, which the client library validates', async () => {
    const session = await client.auth.notificationByEtsi(citizen, [
      { type: 'displayTextAndPIN', displayText60: 'Log in to the library' },
    ]);
    const text = await phone.awaitRequest();
    expect(text).to.contain('Tamga Demo').and.to.contain('Log in to the library');
    expect(await phone.code()).to.equal(session.vc.value);
    await shoot(phone.page, 'login');
    await phone.confirm();
    expect(await phone.result()).to.equal('OK');
    await shoot(phone.page, 'login-done');
    const answer = await client.session.waitForResult(session.sessionId);
    const { subject } = client.validator.validateAuth(answer, session.rpChallenge);
    expect(subject.serialNumber).to.equal(citizen);
    await phone.home();
    await shoot(phone.page, 'home');
  });

  it('signs a digest with PIN2, which the client library validates', async () => {
    const digest = sha256Base64('I order 3 goats.');
    const session = await client.sign.digestByEtsi(citizen, digest, [
      { type: 'displayTextAndPIN', displayText60: 'Sign the order of 3 goats' },
    ]);
    await phone.awaitRequest();
    expect(await phone.code()).to.equal(session.vc.value);
    await shoot(phone.page, 'signature');
    await phone.confirm();
    expect(await phone.result()).to.equal('OK');
    const answer = await client.session.waitForResult(session.sessionId);
    expect(client.validator.validateSign(answer, digest).signatureAlgorithm).to.equal(
      'ecdsa-with-SHA256',
    );
    await phone.home();
  });

  it('complains of nothing and asks nobody else', () => {
    expect(complaints).to.deep.equal([]);
    expect(strangers).to.deep.equal([]);
  });
});
