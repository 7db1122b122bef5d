import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { expectAccessible, useConsole } from '../support/worlds/consoleWorld.ts';
import type { DemoPhone } from '../support/installation/demoInstallation.ts';
import { openOcspStatus } from '../support/installation/ocspStatus.ts';

describe('Citizens, devices and certificates in the console', function () {
  this.timeout(120_000);
  let phone: DemoPhone;
  const world = useConsole({
    settings: () => ({ SVC_ADMIN_REQUIRE_4EYES: 'true' }),
    prepare: async (world) => {
      phone = await world.demo.enrol('110000000001');
      await world.demo.enrol('110000000002');
    },
  });

  for (const registrationNumber of ['УБ85031512', 'уб85031512']) {
    it(`lead from the registration number ${registrationNumber} over the citizen and the device to a certificate`, async () => {
      const { page, open } = await world().as('SUPPORT', { language: 'en' });
      await open('/citizens');
      await page.getByRole('searchbox', { name: 'Find a citizen' }).fill(registrationNumber);
      await page.waitForURL((url) => url.searchParams.get('q') === registrationNumber);
      await page.getByRole('link', { name: 'Дорж Бат-Эрдэнэ' }).click();
      await page.getByRole('heading', { level: 1, name: 'Дорж Бат-Эрдэнэ' }).waitFor();
      await page.getByText('УБ85031512').waitFor();
      await page.locator(`a[href="/devices/${phone.documentNumber}"]`).click();

      await page.getByRole('heading', { level: 1, name: /^Device/ }).waitFor();
      const certificates = page.getByRole('table', { name: 'Certificates' });
      await certificates
        .getByRole('row', { name: /Signature/ })
        .getByRole('link')
        .click();
      await page.getByRole('heading', { level: 1, name: /^Signature/ }).waitFor();
      await page.getByRole('link', { name: 'Simulated phone · Дорж Бат-Эрдэнэ' }).waitFor();
      const happened = page.getByRole('list', { name: 'What happened' });
      await happened.getByText('Requested').waitFor();
      await happened.getByText('Issued').waitFor();
    });
  }

  it('show a certificate decoded, and give it as PEM and DER, when they are asked', async () => {
    const { page, open } = await world().as('SUPPORT', { language: 'en' });
    await open('/certificates?q=PNOMN-110000000001&status=VALID');
    await page
      .getByRole('row', { name: /Signature/ })
      .getByRole('link')
      .click();
    const itself = page.getByRole('region', { name: 'The certificate itself' });
    await itself.getByRole('button', { name: 'Show it decoded' }).click();
    await itself.getByText('nonRepudiation').waitFor();
    await expectAccessible(page);
    const saved = async (name: string) => {
      const waiting = page.waitForEvent('download');
      await itself.getByRole('button', { name }).click();
      return new X509Certificate(await readFile(await (await waiting).path()));
    };
    const [pem, der] = [await saved('Download PEM'), await saved('Download DER')];
    expect(pem.raw.equals(der.raw)).to.equal(true);
    const serial = new URL(page.url()).pathname.split('/').at(-1);
    expect(der.serialNumber.toLowerCase()).to.equal(serial);
    await itself.getByText((der.serialNumber.match(/../gu) ?? []).join(':')).waitFor();
  });

  it('are revoked from the page of the certificate once a second operator approves; OCSP and the page say so', async () => {
    const { origin } = world().demo.service;
    const asker = await world().as('SECURITY_OFFICER', { language: 'en' });
    await asker.open('/certificates?status=VALID&q=PNOMN-110000000002');
    await asker.page
      .getByRole('row', { name: /Signature/ })
      .getByRole('link')
      .click();
    const revoke = asker.page.getByRole('button', { name: 'Revoke' });
    await revoke.click();
    const holder = 'Ганбаатар Сарангэрэл';
    const serial = new URL(asker.page.url()).pathname.split('/').at(-1) ?? '';
    const statusAt = await openOcspStatus(origin);
    const dialog = asker.page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled()).to.equal(true);
    await dialog.getByText(`Signature ·`).waitFor();
    await dialog.getByRole('textbox', { name: /^Reason/ }).fill('Reported stolen');
    await dialog.getByRole('textbox', { name: /^Type/ }).fill(holder);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await asker.page.getByText('Waiting for approval').waitFor();
    await asker.page.getByRole('link', { name: 'Open the request' }).click();
    await asker.page.getByText('You asked for this yourself').waitFor();
    expect(await asker.page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);
    const { email, call } = await world().operator('SECURITY_OFFICER');
    const forced = await call('POST', `${new URL(asker.page.url()).pathname}/approve`, {});
    expect([forced.status, forced.body['code']]).to.deep.equal([403, 'ErrSelfApproval']);
    expect(await statusAt(origin, serial)).to.equal(0);

    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/approvals');
    await page.getByRole('link', { name: 'Approvals 1' }).waitFor();
    await page.getByRole('link', { name: 'Revoke a certificate' }).click();
    await page.getByText('Reported stolen', { exact: true }).waitFor();
    await page.getByText(`Certificate Signature · ${holder}`).waitFor();
    await page.getByText('Revoked: key compromise').first().waitFor();
    await page.getByText(email, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('It was carried out.').waitFor();

    expect(await statusAt(origin, serial)).to.equal(1);
    await asker.page.getByText('It was carried out.').waitFor();
    await asker.open(`/certificates/${serial}`);
    const answers = asker.page.getByRole('region', { name: 'Status in OCSP and CRL' });
    await answers.getByText('On the list', { exact: true }).waitFor();
    await answers.getByText('1 · key compromise').waitFor();
    expect(await revoke.count()).to.equal(0);
  });
});
