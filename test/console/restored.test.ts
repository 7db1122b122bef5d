import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/assertions/eventually.ts';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';
import { type Visitor, visitorOf } from '../support/browser/visitors.ts';
import {
  type RestoredInstallation,
  startRestored,
} from '../support/installation/restoredInstallation.ts';
import { steadyPort } from '../support/programs/ports.ts';
import { expectAccessible } from '../support/worlds/consoleWorld.ts';
import type { TestOperator } from '../support/worlds/operatorWorld.ts';

describe('A restored installation, in the console', function () {
  this.timeout(120_000);
  let browser: Browser | null;
  let restored: RestoredInstallation;
  const visitors: Visitor[] = [];

  before(async function () {
    browser = await launchChromium();
    if (browser === null) return this.skip();
    restored = await startRestored({
      SVC_ROLES: 'api,projector,worker,console',
      SVC_CONSOLE_PORT: String(await steadyPort('console')),
    });
  });

  after(async () => {
    for (const visitor of visitors) await visitor.leave();
    if (browser === null) return;
    await leaveChromium(browser);
    await restored.service.stop();
  });

  async function visit(): Promise<Visitor> {
    if (browser === null) throw new Error('There is a browser while tests run.');
    const origin = restored.service.consoleOrigin ?? '';
    const visitor = await visitorOf(browser, origin, { language: 'en' });
    visitors.push(visitor);
    return visitor;
  }

  async function signIn(page: Page, operator: TestOperator): Promise<void> {
    await page.getByLabel('E-mail').fill(operator.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(operator.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    const code = restored.operators.nextCode(operator);
    await page.getByRole('textbox', { name: 'Code' }).fill(code);
    await page.getByRole('heading', { name: 'To be done, or lost' }).waitFor();
  }

  it('is told on the first page, asked for by one operator and accepted by another', async () => {
    const [first, second] = [await visit(), await visit()];
    await first.open('/certificates');
    await first.page.getByRole('alert').getByText('Restored from a backup').waitFor();
    await expectAccessible(first.page);
    await restored.settle();
    await eventually(async () => {
      expect((await restored.asBefore('/account')).status, 'of a session of before').to.equal(401);
    });

    await signIn(first.page, restored.admin);
    expect(new URL(first.page.url()).pathname).to.equal('/restored');
    await first.page.getByText('3 × DeviceEnrolled is lost').waitFor();
    await expectAccessible(first.page);
    await first.page.getByRole('button', { name: 'Ask for acceptance' }).click();
    await first.page.getByText('You asked for acceptance').waitFor();
    expect(await first.page.getByRole('button', { name: 'Accept' }).count()).to.equal(0);

    await second.open('/');
    await signIn(second.page, restored.officer);
    await second.page.getByText(`${restored.admin.email} asked for acceptance.`).waitFor();
    await second.page.getByRole('button', { name: 'Accept', exact: true }).click();
    await second.page.getByText('Accepted. The installation serves within seconds.').waitFor();
    await eventually(async () => {
      expect((await fetch(`${restored.service.origin}/readyz`)).status).to.equal(200);
    });
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    await second.page.getByRole('heading', { level: 1 }).waitFor();
    expect(visitors.flatMap(({ faults }) => faults)).to.deep.equal([]);
  });
});
