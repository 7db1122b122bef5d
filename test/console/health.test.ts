import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, useConsole } from '../support/worlds/consoleWorld.ts';

const eventId = '00000000-0000-4000-8000-000000000001';

type Answer = Record<string, Record<string, unknown>[]>;

/** The system's answer with these faults in it. */
async function withFaults(page: Page): Promise<void> {
  await page.route('**/v3/admin/system', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as Answer;
    const alter = (list: string, name: string, fields: object) =>
      body[list]?.map((each) => (each['name'] === name ? { ...each, ...fields } : each)) ?? [];
    const fault = { error: 'TypeError', eventId };
    await route.fulfill({
      response,
      json: {
        ...body,
        projections: alter('projections', 'sessions', { state: 'FAILED', fault, lagSeconds: 0 }),
        dependencies: alter('dependencies', 'keyVault', { state: 'down', reason: 'No token.' }),
        parked: [{ projection: 'audit', rows: 1 }],
        parkedEvents: [
          {
            projection: 'audit',
            eventId,
            error: 'error 23514 broken',
            events: 3,
            attempts: 2,
            since: new Date().toISOString(),
          },
        ],
      },
    });
  });
}

/** Names that only the program knows. */
const raw = /soleProcess|eventsKept|RUNNING|STANDBY|OCSP_PERSONAL|citizenSearch|keyVault/u;

describe('The health of the service in the console', function () {
  this.timeout(120_000);
  const world = useConsole();

  it('stands first, and says of what is not well what follows and what to do', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await withFaults(page);
    await open('/');
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByText('Something needs attention').waitFor();
    await health.getByText('Key store').waitFor();
    const items = await health.getByRole('listitem').allInnerTexts();
    expect(items).to.have.length(3);
    expect(items[0]).to.match(
      /^Audit trail\s+Rows waiting: 1\s+The database refused a value \(23514 broken\)\. These rows show an old state/u,
    );
    expect(items[1]).to.match(/^Key store\s+Down\s+No token\. No certificate is issued/u);
    // Stopped, though its delay is 0.
    expect(items[2]).to.match(
      /^Sessions\s+Stopped\s+Stopped at an event \(TypeError\).*tamga rebuild sessions/u,
    );
    const first = page.getByRole('main').getByRole('region').first();
    expect(await first.getAttribute('aria-label')).to.equal('Health');
    await expectAccessible(page);
  });

  it('shows each event at fault with its error and the buttons for it, in words alone', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await withFaults(page);
    await open('/system');
    const events = page.getByRole('region', { name: 'Events that cannot be projected' });
    await events
      .getByRole('row', {
        name: /^Audit trail Open in audit The database refused a value \(23514 broken\) Just now 3 2/u,
      })
      .waitFor();
    expect(await events.getByRole('link').getAttribute('href')).to.equal(`/audit/${eventId}`);
    await page
      .getByRole('region', { name: 'The platform’s signing certificates' })
      .getByRole('row')
      .nth(1)
      .waitFor();
    expect(await page.getByRole('main').innerText()).not.to.match(raw);
    const health = page.getByRole('region', { name: 'Health' }).getByRole('listitem');
    expect(await health.filter({ hasText: 'Audit trail' }).count(), 'said once').to.equal(1);
    await expectAccessible(page);
    await events.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Retrying.').waitFor();
    await events.getByRole('button', { name: 'Skip' }).click();
    await page.getByRole('dialog').getByText('This cannot be undone.').waitFor();
    await expectAccessible(page);
  });

  it('says the same in Mongolian', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'mn' });
    await withFaults(page);
    await open('/system');
    const health = page.getByRole('region', { name: 'Эрүүл байдал' });
    await health.getByText('Түлхүүрийн хадгалалт').waitFor();
    expect(await page.getByRole('main').innerText()).not.to.match(raw);
  });
});
