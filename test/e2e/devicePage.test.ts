import { expect } from 'chai';
import * as openid from 'openid-client';
import { firstLook, looksAt } from '../support/browser/pageLooks.ts';
import {
  agree,
  logInByPush,
  type LoginWorld,
  openLoginWorld,
} from '../support/worlds/loginWorld.ts';

const citizen = '110000000001';

const words = {
  mn: {
    title: 'Төхөөрөмж холбох',
    other: 'English',
    connected: 'Төхөөрөмж холбогдлоо',
    scope: 'openid profile',
  },
  // Asks for another consent than the walk before.
  en: {
    title: 'Connect a device',
    other: 'Монгол',
    connected: 'The device is connected',
    scope: 'openid email',
  },
};

describe('The page where a device is connected', function () {
  this.timeout(120_000);
  let world: LoginWorld;
  let stop = (): Promise<void> => Promise.resolve();
  let television: openid.Configuration;

  before(async function () {
    world = (await openLoginWorld()) ?? this.skip();
    stop = world.stop;
    television = await world.another({
      name: 'Зурагт',
      nameEn: 'Television',
      deviceFlow: true,
      redirectUris: [],
      postLogoutRedirectUris: [],
      authMethod: 'none',
    });
  });

  afterEach(() => world.leave());
  after(() => stop());

  for (const language of ['mn', 'en'] as const) {
    it(`is accessible and fits from the code to the end: ${language}`, async () => {
      const visitor = await world.visit(firstLook[language]);
      const { page } = visitor;
      const look = looksAt(page, 'device', language);
      const { user_code: code } = await openid.initiateDeviceAuthorization(television, {
        scope: words[language].scope,
      });
      await page.goto(`${world.origin}/device`);
      await page.getByRole('heading', { name: words[language].title }).waitFor();
      await look('code');
      await page.locator('#user_code').fill('BBBB-BBBB');
      await page.locator('button.primary').click();
      await page.locator('#fault').waitFor();
      await look('fault');
      await page.locator('#user_code').fill(code);
      await page.locator('button.primary').click();
      await page.locator('button[name=confirm]').waitFor();
      await look('confirm');
      await page.locator('button[name=confirm]').click();
      await logInByPush(visitor, citizen);
      await page.locator('button[value=allow]').waitFor();
      await agree(visitor);
      await page.getByRole('heading', { name: words[language].connected }).waitFor();
      await look('connected');
    });

    it(`switches its language, and the pages after it: ${language}`, async () => {
      const { page } = await world.visit(firstLook[language]);
      const other = language === 'mn' ? 'en' : 'mn';
      await page.goto(`${world.origin}/device`);
      await page.getByRole('link', { name: words[language].other }).click();
      await page.getByRole('heading', { name: words[other].title }).waitFor();
      expect(await page.locator('html').getAttribute('lang')).to.equal(other);
      await page.locator('#user_code').fill('BBBB-BBBB');
      await page.locator('button.primary').click();
      await page.locator('#fault').waitFor();
      expect(await page.locator('html').getAttribute('lang')).to.equal(other);
    });
  }

  it('is opened with the code by a QR code', async () => {
    const { page } = await world.visit();
    const begun = await openid.initiateDeviceAuthorization(television, { scope: 'openid' });
    await page.goto(begun.verification_uri_complete ?? '');
    await page.getByText(begun.user_code, { exact: true }).waitFor();
    await page.locator('button[name=abort]').click();
    await page.getByRole('heading', { name: 'The device was not connected' }).waitFor();
  });
});
