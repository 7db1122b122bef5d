import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { kilobytesOf, transferred } from '../support/browser/transferred.ts';
import { picture } from '../support/browser/pictures.ts';
import { useConsole } from '../support/worlds/consoleWorld.ts';

const HOUR_MS = 3_600_000;

/** A busy day as the API tells of one: what a real installation has after weeks. */
function busyDay(url: string): object {
  const query = new URL(url).searchParams;
  const [from, to] = [new Date(query.get('from') ?? ''), new Date(query.get('to') ?? '')];
  const hours = Array.from({ length: (to.getTime() - from.getTime()) / HOUR_MS }, (_, index) => {
    const hour = new Date(from.getTime() + index * HOUR_MS);
    // Local time of the test's browser: UTC+8.
    const busy = Math.max(0, Math.sin((((hour.getUTCHours() + 8) % 24) / 24) * Math.PI)) ** 2;
    const sessions = Math.round(400 + 5200 * busy);
    const failed = Math.round(sessions * (0.05 + 0.03 * Math.sin(index)));
    const running = hour.getTime() === to.getTime() - HOUR_MS ? 42 : 0;
    const p50 = 5200 + 900 * Math.sin(index / 3);
    return {
      hour: hour.toISOString(),
      sessions,
      succeeded: sessions - failed - running,
      running,
      enrolments: Math.round(60 * busy),
      certificatesIssued: Math.round(120 * busy),
      certificatesRevoked: Math.round(9 * busy),
      seals: Math.round(340 * busy),
      sealsRefused: index % 5,
      latency: { count: sessions, p50, p90: p50 * 2, p95: p50 * 2.6, p99: p50 * 4 },
    };
  });
  const latency = { count: 61_000, p50: 5300, p90: 10_800, p95: 14_100, p99: 21_000 };
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    sessions: [],
    relyingParties: [],
    latency,
    enrolments: [],
    devices: { active: 1_284_310, deactivated: 90_212 },
    certificates: [{ type: 'AUTH', status: 'VALID', count: 2_568_114 }],
    hours,
  };
}

/** The dashboard with known numbers in it. */
async function withBusyDay(page: Page): Promise<void> {
  await page.route('**/v3/admin/stats?*', (route) =>
    route.fulfill({ json: busyDay(route.request().url()) }),
  );
}

describe('The dashboard', function () {
  this.timeout(120_000);
  const world = useConsole();

  it('draws what the API counted, and says the same in tables', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await withBusyDay(page);
    await open('/');
    const sessions = page.getByRole('figure').filter({ hasText: 'Sessions by outcome' });
    await sessions.locator('svg rect').first().waitFor();
    await sessions.getByText('Show as a table').click();
    // 13:00 in Ulaanbaatar is 05:00 UTC.
    const row = sessions.getByRole('row').filter({ hasText: '13:00' });
    const cells = await row.getByRole('cell').allTextContents();
    const noon = Math.round(400 + 5200 * Math.sin((13 / 24) * Math.PI) ** 2);
    const said = cells.map((text) => Number(text.replaceAll(',', '')));
    expect(said.reduce((sum, each) => sum + each, 0)).to.equal(noon);

    await page.getByTitle('1,284,310').getByText('1.28M').waitFor();
    await page.getByText('14.1 s').waitFor();
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await sessions.getByText('Show as a table').click();
    // The menu is as high as the window.
    await page.setViewportSize({ width: 1280, height: 1150 });
    await picture(page, 'readme-dashboard');
  });

  it('leads to the sessions it counts: from a bar, and from a number of the table by keyboard', async () => {
    const started = new Date().getUTCHours();
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await withBusyDay(page);
    await open('/');
    const sessions = page.getByRole('figure').filter({ hasText: 'Sessions by outcome' });
    const shown = async () => {
      await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
      const { searchParams } = new URL(page.url());
      const [since = '', until = ''] = [searchParams.get('since'), searchParams.get('until')].map(
        String,
      );
      return [
        Date.parse(until) - Date.parse(since),
        new Date(since).getUTCHours(),
        searchParams.get('outcome'),
      ];
    };
    // Bars of the second series, from the 25th rectangle on; 24 of each.
    const bar = sessions.locator('svg rect[data-row="1"]').nth(12);
    await bar.click();
    const [length, hour, outcome] = await shown();
    expect([length, outcome]).to.deep.equal([HOUR_MS, 'UNSUCCESSFUL']);
    expect(hour).to.be.oneOf([started, new Date().getUTCHours()].map((now) => (now + 13) % 24));
    await page.getByRole('button', { name: / – / }).click();
    await page.waitForURL((url) => !url.searchParams.has('since'));

    await open('/');
    const table = sessions.getByText('Show as a table');
    await table.press('Enter');
    // 13:00 in Ulaanbaatar is 05:00 UTC.
    const row = sessions.getByRole('row').filter({ hasText: '13:00' });
    await row.getByRole('link').first().press('Enter');
    expect(await shown()).to.deep.equal([HOUR_MS, 5, 'OK']);
  });

  it('is followed by a filter of sessions for one relying party, by name and from the address', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/sessions');
    const filter = page.getByRole('combobox', { name: 'Relying party' });
    await filter.fill('Tamga D');
    await page.getByRole('option', { name: 'Tamga Demo', exact: true }).click();
    await page.waitForURL(
      (url) => url.searchParams.get('relyingParty') === world().demo.relyingPartyId,
    );
    await page.reload();
    await filter.and(page.locator('[value="Tamga Demo"]')).waitFor();
  });

  it('weighs at most 300 kB', async () => {
    const { page, open } = await world().newAs('SUPER_ADMIN');
    const loaded = await transferred(page, () => open('/'));
    expect(kilobytesOf(loaded), JSON.stringify(loaded.slice(0, 12))).to.be.below(300);
  });

  it('keeps the window of time in its address', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/');
    await page.getByRole('figure').first().waitFor();
    const answered = page.waitForResponse((response) => response.url().includes('/stats?'));
    await page.getByText('7 days').click();
    const asked = new URL((await answered).url()).searchParams;
    const days = Date.parse(asked.get('to') ?? '') - Date.parse(asked.get('from') ?? '');
    expect(days).to.equal(7 * 24 * HOUR_MS);
    expect(new URL(page.url()).search).to.equal('?window=week');
    await page.reload();
    await page.getByRole('radio', { name: '7 days', checked: true }).waitFor({ state: 'attached' });
  });

  it('says what failed, under which request id, and tries again when asked', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    let isBroken = true;
    await page.route('**/v3/admin/stats?*', (route) =>
      isBroken
        ? route.fulfill({
            status: 503,
            contentType: 'application/problem+json',
            headers: { 'x-request-id': 'request-1' },
            json: { code: 'DEPENDENCY_UNAVAILABLE', title: 'x', detail: 'y' },
          })
        : route.continue(),
    );
    await open('/');
    const alert = page.getByRole('alert').filter({ hasText: 'request-1' });
    await alert.waitFor();
    isBroken = false;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sessions by outcome' }).waitFor();
    expect(await alert.count()).to.equal(0);
  });
});
