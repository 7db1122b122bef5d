import { type ConsoleWorld, expectAccessible, openConsoleWorld } from '../support/consoleWorld.ts';
import type { DemoPhone } from '../support/demoInstallation.ts';

describe('Citizens, devices and certificates in the console', function () {
  this.timeout(120_000);
  let world: ConsoleWorld;
  let phone: DemoPhone;

  before(async function () {
    const opened = await openConsoleWorld({ SVC_ADMIN_REQUIRE_4EYES: 'true' });
    if (opened === null) return this.skip();
    world = opened;
    phone = await world.demo.enrol('110000000001');
  });

  afterEach(() => world.leave());
  after(() => world.stop());

  for (const registrationNumber of ['УБ85031512', 'уб85031512']) {
    it(`lead from the registration number ${registrationNumber} over the citizen and the device to a certificate`, async () => {
      const { page, open } = await world.as('SUPPORT', { language: 'en' });
      await open('/citizens');
      await page.getByRole('searchbox', { name: 'Find a citizen' }).fill(registrationNumber);
      await page.waitForURL((url) => url.searchParams.get('q') === registrationNumber);
      await page.getByRole('link', { name: 'Дорж Бат-Эрдэнэ' }).click();
      await page.getByRole('heading', { level: 1, name: 'Дорж Бат-Эрдэнэ' }).waitFor();
      await page.getByText('УБ85031512').waitFor();
      await page.getByRole('link', { name: phone.documentNumber }).click();

      await page.getByRole('heading', { level: 1, name: /^Device/ }).waitFor();
      const certificates = page.getByRole('table', { name: 'Certificates' });
      await certificates
        .getByRole('row', { name: /Signature/ })
        .getByRole('link')
        .click();
      await page.getByRole('heading', { level: 1, name: /^Signature/ }).waitFor();
      await page.getByText(phone.documentNumber).waitFor();
      const happened = page.getByRole('list', { name: 'What happened' });
      await happened.getByText('Requested').waitFor();
      await happened.getByText('Issued').waitFor();
    });
  }

  it('are accessible in both languages and themes.', async () => {
    const { page, open } = await world.as('SECURITY_OFFICER', { language: 'en' });
    const other = await world.as('SECURITY_OFFICER', { width: 360 });
    for (const path of [
      '/citizens?q=дорж',
      '/citizens/PNOMN-110000000001',
      '/devices',
      `/devices/${phone.documentNumber}`,
      '/certificates?status=VALID',
      '/sessions',
    ]) {
      await open(path);
      await expectAccessible(page);
      await other.open(path);
      await expectAccessible(other.page);
    }
  });
});
