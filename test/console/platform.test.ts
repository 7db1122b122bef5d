import { expect } from 'chai';
import { type ConsoleWorld, expectAccessible, openConsoleWorld } from '../support/consoleWorld.ts';
import type { DemoPhone } from '../support/demoInstallation.ts';
import { failedVerification } from '../support/populatedPlatform.ts';

describe('Identity checks in the console', function () {
  this.timeout(120_000);
  let world: ConsoleWorld;
  let phone: DemoPhone;

  before(async function () {
    const opened = await openConsoleWorld();
    if (opened === null) return this.skip();
    world = opened;
    phone = await world.demo.enrol('110000000001');
  });

  afterEach(() => world.leave());
  after(() => world.stop());

  it('tell what an identity check failed on, and find those that succeeded', async () => {
    const id = await failedVerification(world);
    const { page, open } = await world.as('SUPPORT', { language: 'en' });
    await open('/identity-verifications?status=PENDING&method=citizenCard');
    const row = page.getByRole('row', { name: new RegExp(id) });
    await row.getByText('What was said does not match').waitFor();
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Identity check · Citizen card' }).waitFor();
    const happened = page.getByRole('list', { name: 'What happened' });
    await happened.getByText('The attempt failed').waitFor();
    await page
      .getByRole('table', { name: 'Failed attempts' })
      .getByText('What was said does not match')
      .waitFor();
    await expectAccessible(page);

    await open('/identity-verifications?status=VERIFIED');
    await page.getByText(`PNOMN-${phone.citizen.civilId}`).waitFor();
    expect(await page.getByText(id).count()).to.equal(0);
  });
});
