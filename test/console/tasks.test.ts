import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import { newChallenge } from '../support/installation/demoInstallation.ts';
import { useConsole } from '../support/worlds/consoleWorld.ts';

/** Counts the steps of an operator: each click and each text typed. */
function stepsOn(page: Page) {
  let count = 0;
  return {
    count: () => count,
    click: async (target: Locator) => {
      count += 1;
      await target.click();
    },
    type: async (target: Locator, text: string) => {
      count += 1;
      await target.fill(text);
    },
    /** Opens a page of the navigation. */
    menu: async (name: string) => {
      count += 1;
      await page.getByRole('navigation').getByRole('link', { name }).click();
    },
  };
}

describe('Tasks of operators', function () {
  this.timeout(120_000);
  const refusing = '110000000007';
  const world = useConsole({
    settings: () => ({ SVC_ADMIN_REQUIRE_4EYES: 'true' }),
    prepare: async ({ demo }) => {
      const phones = [await demo.enrol('110000000001'), await demo.enrol(refusing)];
      const scripted = startScriptedPhones(phones);
      for (const { citizen } of phones) {
        const path = `/authentication/notification/etsi/PNOMN-${citizen.civilId}`;
        const { body } = await demo.create(path, newChallenge());
        await demo.poll(body['sessionID']);
      }
      await scripted.stop();
    },
  });

  it('find a citizen in 2 steps', async () => {
    const { page, open } = await world().as('SUPPORT', { language: 'en' });
    await open('/account');
    const steps = stepsOn(page);
    await steps.menu('Citizens');
    await steps.type(page.getByRole('searchbox'), 'Бат-Эрдэнэ');
    await page.getByRole('link', { name: 'Дорж Бат-Эрдэнэ' }).waitFor();
    expect(steps.count()).to.be.at.most(2);
  });

  it('see why a login failed, what to tell the citizen and what to do, in 3 steps', async () => {
    const { body } = await (await world().operator('SUPPORT')).call('GET', `/users/${refusing}`);
    const { page, open } = await world().as('SUPPORT', { language: 'en' });
    await open('/account');
    const steps = stepsOn(page);
    await steps.menu('Sessions');
    await steps.type(page.getByRole('searchbox'), String(body['firstName']));
    const row = page.getByRole('row', { name: /Wrong verification code/ });
    await page.getByRole('row', { name: /Confirmed/ }).waitFor({ state: 'hidden' });
    await steps.click(row.getByRole('link'));
    const why = page.getByRole('region', { name: 'Why' });
    await why
      .getByText(/not the one sent/i)
      .first()
      .waitFor();
    await why.getByText('What to tell the citizen').waitFor();
    await why.getByText('What the relying party should do').waitFor();
    expect(steps.count()).to.be.at.most(3);
  });

  it('revoke a certificate in 5 steps of who asks and 4 of who approves', async () => {
    const asker = await world().as('SECURITY_OFFICER', { language: 'en' });
    await asker.open('/account');
    const asking = stepsOn(asker.page);
    await asking.menu('Certificates');
    await asking.type(asker.page.getByRole('searchbox'), 'Бат-Эрдэнэ');
    const row = asker.page.getByRole('row', { name: /^Дорж Бат-Эрдэнэ Signature/ });
    await row.waitFor();
    await asking.click(row.getByRole('button', { name: 'Revoke' }));
    const dialog = asker.page.getByRole('dialog');
    await asking.type(dialog.getByRole('textbox', { name: /^Type/ }), 'Дорж Бат-Эрдэнэ');
    await asking.click(dialog.getByRole('button', { name: 'Revoke' }));
    await asker.page.getByRole('link', { name: 'Open the request' }).waitFor();
    expect(asking.count()).to.be.at.most(5);

    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/account');
    const deciding = stepsOn(page);
    await deciding.menu('Approvals');
    await deciding.click(page.getByRole('link', { name: 'Revoke a certificate' }));
    await deciding.click(page.getByRole('button', { name: 'Approve' }));
    await deciding.click(page.getByRole('dialog').getByRole('button', { name: 'Approve' }));
    await page.getByText('It was carried out.').waitFor();
    expect(deciding.count()).to.be.at.most(4);
  });

  it('register a relying party in 5 steps', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/account');
    const steps = stepsOn(page);
    await steps.menu('Relying parties');
    await steps.click(page.getByRole('link', { name: 'Register', exact: true }));
    await steps.type(page.getByRole('textbox', { name: /^Name/ }), 'Six tasks');
    await steps.click(page.getByRole('checkbox').first());
    await steps.click(page.getByRole('button', { name: 'Register' }));
    await page.getByText('You asked for this yourself').waitFor();
    expect(steps.count()).to.be.at.most(5);
  });

  it('take the audit of one person away in 3 steps, by name', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/account');
    const steps = stepsOn(page);
    await steps.menu('Audit');
    await steps.type(page.getByRole('textbox', { name: /^To what/ }), 'Бат-Эрдэнэ');
    await page.waitForURL((url) => url.searchParams.has('subject'));
    // Rows of everybody stay until those of the person are there.
    await page.getByRole('row', { name: /Citizen enrolled .*Бат-Эрдэнэ/ }).waitFor();
    const waiting = page.waitForEvent('download');
    await steps.click(page.getByRole('button', { name: 'CSV', exact: true }));
    const csv = await (await (await waiting).createReadStream()).toArray();
    const [, ...rows] = Buffer.concat(csv as Buffer[])
      .toString('utf8')
      .trim()
      .split(/\r?\n/);
    // Rows about their approvals are theirs, too, and name nobody.
    expect(rows.some((row) => row.includes('PNOMN-110000000001'))).to.equal(true);
    expect(rows.filter((row) => /PNOMN-(?!110000000001)/.test(row))).to.deep.equal([]);
    expect(steps.count()).to.be.at.most(3);
  });

  it('see in 1 step whether all is well', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/account');
    const steps = stepsOn(page);
    await steps.menu('Dashboard');
    const state = page.getByRole('region', { name: 'Health' });
    await state.getByText(/^(Everything works|Something needs attention)/).waitFor();
    const box = await state.boundingBox();
    expect(box?.y).to.be.lessThan(800);
    expect(steps.count()).to.be.at.most(1);
  });
});
