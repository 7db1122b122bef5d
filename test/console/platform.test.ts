import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ConsoleWorld, expectAccessible, openConsoleWorld } from '../support/consoleWorld.ts';
import type { DemoPhone } from '../support/demoInstallation.ts';
import { failedVerification, signedDocument } from '../support/populatedPlatform.ts';

describe('Identity checks and documents in the console', function () {
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

  it('show a document, its digest and who signed it, down to the certificate', async () => {
    const id = await signedDocument(world, phone);
    const { page, open } = await world.as('AUDITOR', { language: 'en' });
    await open('/documents?status=APPROVED');
    await page.getByRole('link', { name: 'Нэвтрүүлэх хүсэлт' }).click();
    await page.waitForURL((url) => url.pathname === `/documents/${id}`);
    const file = page.getByRole('region', { name: 'File', exact: true });
    await file.getByText('request.txt').waitFor();
    await file.getByText('cannot be replaced').waitFor();
    const signature = page.getByRole('region', { name: 'Signature 1' });
    await signature.getByText('Detached from the file').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      signature.getByRole('button', { name: 'Download .p7s' }).click(),
    ]);
    // A DER SEQUENCE.
    expect(readFileSync(await download.path())[0]).to.equal(0x30);
    await expectAccessible(page);
    await signature.getByRole('link', { name: /Qualified/ }).click();
    await page.getByRole('heading', { level: 1, name: /^Signature/ }).waitFor();
  });
});
