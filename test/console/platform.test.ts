import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ConsoleWorld, expectAccessible, openConsoleWorld } from '../support/consoleWorld.ts';
import type { DemoPhone } from '../support/demoInstallation.ts';
import { failedVerification, signedDocument } from '../support/populatedPlatform.ts';

describe('Identity checks, documents and OpenID clients in the console', function () {
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

  it('register a client whose secret is shown once, change it, and end it', async () => {
    const { page, open } = await world.as('RP_OPERATOR', { language: 'en' });
    await open('/oidc-clients');
    await page.getByRole('link', { name: 'Register' }).click();
    await page.getByRole('textbox', { name: 'Relying party' }).fill('Tamga');
    await page.getByRole('option', { name: 'Tamga Demo' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Portal');
    const addresses = page.getByRole('textbox', { name: /^Redirect URIs/ });
    await addresses.fill('http://plain.example.mn/callback');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('An https address').first().waitFor();
    await addresses.fill('https://portal.example.mn/callback');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Register' }).click();

    const shown = page.getByTestId('secret');
    await shown.waitFor();
    const secret = await shown.innerText();
    expect(secret).to.match(/^oidc_sk_/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /\.env/ }).click(),
    ]);
    const environment = readFileSync(await download.path(), 'utf8');
    expect(environment).to.contain(`OIDC_CLIENT_SECRET='${secret}'`).and.contain('OIDC_ISSUER=');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor();
    expect(await page.getByText(secret).count()).to.equal(0);

    await page.getByRole('button', { name: 'Edit' }).click();
    await page
      .getByRole('textbox', { name: /^Redirect URIs/ })
      .fill('https://portal.example.mn/callback\nhttps://portal.example.mn/other');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('https://portal.example.mn/other').waitFor();

    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('textbox', { name: /^Type/ }).fill('Portal');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await shown.waitFor();
    expect(await shown.innerText()).not.to.equal(secret);
    await page.getByRole('button', { name: 'I have kept it' }).click();

    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('textbox', { name: /^Type/ }).fill('Portal');
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('button', { name: 'Reactivate' }).waitFor();
    await expectAccessible(page);
  });

  it('offer no change to who may only read', async () => {
    const { page, open } = await world.as('AUDITOR', { language: 'en' });
    await open('/oidc-clients?active=false');
    await page.getByRole('link', { name: 'Portal' }).click();
    await page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor();
    for (const name of ['Register', 'Edit', 'Rotate secret', 'Deactivate', 'Reactivate']) {
      expect(await page.getByRole('button', { name, exact: true }).count(), name).to.equal(0);
    }
  });
});
