import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sha256Base64 } from '../../client/index.ts';
import {
  type BrowserPhone,
  enrolPhone,
  pins,
  spareCitizen,
} from '../support/browser/browserPhone.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { expectScriptlessNotices } from '../support/browser/scriptless.ts';
import { expectAccessible } from '../support/worlds/consoleWorld.ts';
import { openPhoneWorld, type PhoneWorld } from '../support/worlds/phoneWorld.ts';
import { anOrganization, aRight } from '../support/given/wishes.ts';

const register = '5512345';
const long = {
  type: 'confirmationMessage',
  displayText200:
    'Саран Дорж нэртэй 5001 2345 67 дугаарын данс руу 1 250 000 ₮ шилжүүлнэ. Гүйлгээний утга: «тавдугаар сарын түрээс».',
} as const;
const short = { type: 'displayTextAndPIN', displayText60: '1 250 000 ₮ шилжүүлэх' } as const;
const choice = { ...long, type: 'confirmationMessageAndVerificationCodeChoice' } as const;

describe('Every screen of the phone in the browser', function () {
  this.timeout(180_000);
  let world: PhoneWorld;
  let page: Page;
  let phone: BrowserPhone;
  let documentNumber: string;

  before(async function () {
    world = (await openPhoneWorld()) ?? this.skip();
  });

  after(() => (world as PhoneWorld | undefined)?.stop());

  it('says what to do where scripts are off or do not come', () =>
    expectScriptlessNotices(world.browser, `${world.origin}/phone`));

  // Themes are changed in the page that is loaded; only colours depend on them.
  for (const [language, colorScheme] of [
    ['mn', 'light'],
    ['en', 'dark'],
  ] as const) {
    describe(`in ${language}, ${colorScheme}`, () => {
      /** Accessible, and no wider than the screen. */
      async function expectFine(name: string): Promise<void> {
        await expectAccessible(page);
        const other = colorScheme === 'light' ? 'dark' : 'light';
        await page.emulateMedia({ colorScheme: other });
        await expectAccessible(page, ['color-contrast', 'link-in-text-block']);
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).to.equal(360);
        expect(await page.evaluate('document.documentElement.lang')).to.equal(language);
        await world.picture(page, `${language}-${colorScheme}-${name}`);
      }

      const tab = (index: number) => page.locator('nav.tabs button').nth(index).click();

      before(async () => {
        const locale = language === 'mn' ? 'mn-MN' : 'en-GB';
        page = await world.visit({ locale, colorScheme });
      });

      after(async () => {
        await page.context().close();
        world.expectNoFaults();
      });

      it('before it is set up', async () => {
        await page.goto(`${world.origin}/phone`);
        await page.locator('ul.choices').waitFor();
        await expectFine('welcome');
        await page.locator('button.quiet').click();
        await page.locator('form.card button[type=submit]').click();
        await page.locator('form.card em').first().waitFor();
        await expectFine('card');
        await page.locator('button.quiet').click();
        await page.locator('ul.choices button').first().click();
        await page.locator('[data-step=choose-PIN1]').waitFor();
        for (const digit of '1111') await page.keyboard.press(digit);
        await page.locator('.problem').waitFor();
        await expectFine('pin-choice');
        phone = await enrolPhone(page, world.origin, spareCitizen());
        await expectFine('home');
      });

      it('of its bar', async () => {
        await tab(1);
        await expectFine('scan');
        await tab(2);
        await expectFine('history-empty');
        await tab(3);
        await page.locator('.rows dd.good').first().waitFor();
        documentNumber = await page.locator('dd.mono').first().innerText();
        await expectFine('account');
        await page.locator('button.danger').click();
        await page.locator('dialog input').waitFor();
        await expectFine('remove');
        await page.keyboard.press('Escape');
        await tab(0);
      });

      it('of a login', async () => {
        await world.client.auth.notificationByDocument(documentNumber, [short]);
        await phone.awaitRequest();
        await expectFine('login');
        await phone.confirm();
        await phone.result();
        await expectFine('login-done');
        await phone.home();
      });

      it('of a signature on behalf of an organization, with everything there is', async () => {
        const { organizations } = world.service;
        const name = 'Тамга Демо ХХК';
        await organizations.register(anOrganization(register, name, 'TAMGA DEMO'));
        await organizations.grant(
          register,
          spareCitizen().identifier,
          aRight('ADMIN', 'Гүйцэтгэх захирал'),
        );
        await world.client.sign.digestByDocument(documentNumber, sha256Base64('x'), [short], {
          onBehalfOf: `NTRMN-${register}`,
          subsystem: 'Цахим гэрээ',
          fileName: 'Түрээсийн гэрээ 2026-05 (эцсийн хувилбар).pdf',
        });
        const text = await phone.awaitRequest();
        for (const shown of [name, `NTRMN-${register}`, 'Гүйцэтгэх захирал', 'Цахим гэрээ']) {
          expect(text).to.contain(shown);
        }
        await expectFine('signature');
        await page.locator('main.request [data-action=refuse]').click();
        await page.locator('dialog.sheet').waitFor();
        await expectFine('refusing');
        await page.keyboard.press('Escape');
        await phone.confirm('00001');
        await page.locator('main[aria-busy=false] [data-problem]').waitFor();
        await expectFine('wrong-pin');
        await phone.refuse();
        await phone.result();
        await expectFine('refused');
        await phone.home();
      });

      it('F2: of a document that can do more than show its pages', async () => {
        const catalog = '/OpenAction<</S/JavaScript/JS(x)>>/OCProperties<</D<</OFF[7 0 R]>>>>';
        const pdf = onePage({ catalog, more: { 7: '<</Type/OCG/Name(x)>>' } });
        const prepared = await world.client.stamp.prepare({ documentNumber }, pdf);
        const warnings = ['JAVASCRIPT', 'OPEN_ACTION', 'HIDDEN_LAYERS'];
        expect(prepared.warnings).to.deep.equal(warnings);
        await world.client.sign.digestByDocument(documentNumber, prepared.digestB64, [short]);
        const text = await phone.awaitRequest();
        expect(text).to.contain(language === 'mn' ? 'далд давхарга' : 'hidden layers');
        const shown = page.locator(`[data-warnings="${warnings.join(' ')}"]`);
        expect(await shown.isVisible()).to.equal(true);
        await expectFine('warnings');
        await phone.refuse();
        await phone.result();
        await phone.home();
      });

      it('of a long text, and of the choice of a code', async () => {
        const options = { generation: 'G2' } as const;
        await world.client.auth.notificationByDocument(documentNumber, [choice, short], options);
        await phone.awaitRequest();
        await expectFine('message');
        await phone.accept();
        await page.locator('.code-choice').waitFor();
        await expectFine('code-choice');
        await phone.refuse();
        await phone.result();
        await phone.home();
        await tab(2);
        await page.locator('.entries li').nth(2).waitFor();
        await page.locator('.entries summary').first().click();
        await expectFine('history');
      });
    });
  }

  it('can be given another language and other colours, which stay', async () => {
    page = await world.visit();
    await enrolPhone(page, world.origin, spareCitizen(1));
    await page.locator('nav.tabs button').nth(3).click();
    await page.locator('input[value=mn]').check();
    await page.locator('input[value=dark]').check();
    await page.reload();
    await page.getByText('Хүсэлт хүлээн авахад бэлэн').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).to.equal('mn');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(
      'rgb(13, 19, 20)',
    );
    await page.context().close();
  });

  it('stands on a desk as a phone', async () => {
    page = await world.visit({ viewport: { width: 1280, height: 900 } });
    phone = await enrolPhone(page, world.origin, spareCitizen(2));
    await world.picture(page, 'desk-home');
    await world.client.auth.notificationByEtsi(`PNOMN-${spareCitizen(2).identifier}`, [short]);
    await phone.awaitRequest();
    await world.picture(page, 'desk-login');
    await phone.confirm();
    await phone.result();
    await page.context().close();
    world.expectNoFaults();
  });

  describe('being set up', () => {
    afterEach(() => world.expectNoFaults());

    it('by hand with a card, at touch, refusing PINs that are guessed first', async () => {
      const page = await world.visit({ locale: 'mn-MN', hasTouch: true });
      const { identifier, cardNumber, birthDate } = spareCitizen(1);
      const touch = async (pin: string) => {
        for (const digit of pin) {
          await page.locator('.keys').getByRole('button', { name: digit, exact: true }).tap();
        }
      };
      await page.goto(`${world.origin}/phone`);
      await page.locator('ul.choices').waitFor();
      await world.picture(page, 'welcome-mn');
      await page.getByRole('button', { name: 'Өөр иргэн' }).tap();
      await page.getByRole('button', { name: 'Үргэлжлүүлэх' }).tap();
      await page.getByText('Энэ талбарыг бөглөнө үү.').first().waitFor();
      await world.picture(page, 'card-mn');
      await page.locator('[name=identifier]').fill(identifier);
      await page.locator('[name=cardNumber]').fill(cardNumber.toLowerCase());
      await page.locator('[name=birthDate]').fill(birthDate);
      await page.getByRole('button', { name: 'Үргэлжлүүлэх' }).tap();
      for (const weak of ['1111', '1212', '1234', '9876', '2005', '0813']) {
        await touch(weak);
        await page.locator('.problem').waitFor();
        expect(await page.locator('[data-step=choose-PIN1]').count(), weak).to.equal(1);
      }
      await world.picture(page, 'weak-pin-mn');
      await touch(pins.pin1);
      await page.locator('[data-step=repeat-PIN1]').waitFor();
      await touch('8462');
      await page.getByText('Хоёр код таарсангүй').waitFor();
      await touch(pins.pin1);
      await page.locator('[data-step=repeat-PIN1]').waitFor();
      await touch(pins.pin1);
      await page.locator('[data-step=choose-PIN2]').waitFor();
      await touch(`${pins.pin1}1`);
      await page.getByText('ПИН2 дотор ПИН1 орж болохгүй').waitFor();
      await touch(pins.pin2);
      await page.locator('[data-step=repeat-PIN2]').waitFor();
      await touch(pins.pin2);
      await page.getByText('Таны утас бэлэн боллоо').waitFor();
    });

    it('with a card that is not in the registry', async () => {
      const page = await world.visit();
      const stranger = { identifier: '110000000099', cardNumber: 'X', birthDate: '2000-01-01' };
      const enrolled = rejection(enrolPhone(page, world.origin, stranger));
      await page.getByText('The card does not match the registry').waitFor();
      await page.context().close();
      await enrolled;
    });
  });
});
