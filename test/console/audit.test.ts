import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { picture } from '../support/browser/pictures.ts';
import type { Page } from 'playwright-core';
import { eventually } from '../support/assertions/eventually.ts';
import { aParty } from '../support/given/wishes.ts';
import { expectAccessible, useConsole } from '../support/worlds/consoleWorld.ts';

describe('The audit in the console', function () {
  this.timeout(120_000);
  const world = useConsole({
    prepare: async (world) => {
      await world.demo.enrol('110000000001');
      const auditor = await world.operator('AUDITOR');
      await auditor.call('POST', '/audit/tree-head');
    },
  });

  async function enrolment(page: Page): Promise<void> {
    const row = page.getByRole('row', { name: /Citizen enrolled/ });
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Citizen enrolled' }).waitFor();
  }

  const enrolments = '/audit?type=CITIZEN_ENROL&subject=PNOMN-110000000001';

  it('proves in the browser that an entry is in the signed tree, and says so when the answer was altered', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open(enrolments);
    await enrolment(page);
    const proof = page.getByRole('region', { name: 'Proof that it is in the log' });
    await proof.getByText('Verified', { exact: true }).waitFor();
    await proof.getByText('Root of the tree', { exact: true }).waitFor();
    await expectAccessible(page);

    await page.route('**/audit/proof/inclusion?*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { leafHash: string };
      const altered = Buffer.from(body.leafHash, 'base64');
      altered[0] = (altered[0] ?? 0) ^ 1;
      await route.fulfill({ response, json: { ...body, leafHash: altered.toString('base64') } });
    });
    await page.reload();
    await proof.getByText('Not verified').waitFor();
    await page.unroute('**/audit/proof/inclusion?*');

    await page.route('**/audit/tree-head', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { treeSize: number };
      await route.fulfill({ response, json: { ...body, treeSize: body.treeSize - 1 } });
    });
    await page.reload();
    await proof.getByText('The signature of the tree head is wrong', { exact: false }).waitFor();
  });

  it('R1: believes no key without a certificate of the Root CA, and no other root than the first', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    const given = '**/audit/tree-keys';
    await page.route(given, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { keys: { certificate: string | null }[] };
      const keys = body.keys.map((key) => ({ ...key, certificate: null }));
      await route.fulfill({ response, json: { ...body, keys } });
    });
    await open('/audit/tree');
    await page.getByText('a key that the Root CA did not certify', { exact: false }).waitFor();
    await page.unroute(given);
    await page.route(given, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { keys: { certificate: string }[] };
      await route.fulfill({
        response,
        json: { ...body, rootCertificate: body.keys[0]?.certificate },
      });
    });
    await page.reload();
    await page.getByText('not the one this browser saw first', { exact: false }).waitFor();
  });

  it('shows that a later head continues the one seen before', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/audit/tree');
    await page.getByText('This browser sees it for the first time', { exact: false }).waitFor();
    await (await world().operator('AUDITOR')).call('GET', '/users?q=дорж');
    await page.getByRole('button', { name: 'Sign a head now' }).click();
    await page.getByText(/^The tree of \d+ events begins with/).waitFor();
    await expectAccessible(page);
  });

  it('is taken away as CSV of what is filtered, and as JSON Lines of everything', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open(enrolments);
    await page.getByRole('row', { name: /Citizen enrolled/ }).waitFor();
    await expectAccessible(page);
    const csv = await downloaded(page, 'All rows, codes only (CSV)');
    const [header = '', ...rows] = csv.trim().split(/\r?\n/);
    expect(header).to.contain('type');
    expect(rows).to.have.length(1);
    expect(rows[0]).to.contain('CITIZEN_ENROL').and.to.contain('PNOMN-110000000001');
    const events = (await downloaded(page, 'All events (JSONL)')).trim().split('\n');
    const types = events.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).to.include.members(['CitizenEnrolled', 'CertificateIssued']);
  });

  it('is read from the oldest on by the header of its times, page by page, with the order in the address', async () => {
    const { call } = await world().operator('AUDITOR');
    const path = '/audit?reads=false&limit=25&sort=at';
    const { items, total } = (await call('GET', path)).body as Readonly<{
      items: readonly { readonly eventId: string }[];
      total: number;
    }>;
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/audit');
    const header = page.getByRole('columnheader', { name: 'When' });
    const firstLink = page.getByRole('table').getByRole('link').first();
    await header.getByRole('button').click();
    await page.locator(`tbody a[href$="/audit/${items[0]?.eventId}"]`).waitFor();
    expect(await header.getAttribute('aria-sort')).to.equal('ascending');
    expect(new URL(page.url()).searchParams.get('sort')).to.equal('at');
    const last = page.getByRole('table').getByRole('link').last();
    expect(await last.getAttribute('href')).to.contain(items.at(-1)?.eventId);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText(/^26–/u).waitFor();
    expect(total).to.be.above(25);
    const next = (await call('GET', `${path}&offset=25`)).body as { items: typeof items };
    expect(await firstLink.getAttribute('href')).to.contain(next.items[0]?.eventId);
    expect(new URL(page.url()).searchParams.get('sort')).to.equal('at');
    await expectAccessible(page);
  });

  it('leaves reads out until they are asked for, and keeps filters under a name', async () => {
    await (await world().operator('AUDITOR')).call('GET', '/users?q=дорж');
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/audit');
    await page.getByRole('row', { name: /Citizen enrolled/ }).waitFor();
    const reads = page.getByRole('row', { name: /Read by an operator/ });
    expect(await reads.count()).to.equal(0);
    await page.getByRole('switch', { name: 'Reads by operators' }).check();
    await reads.first().waitFor();
    const saved = page.getByRole('button', { name: 'Saved filters' });
    await saved.click();
    await page.getByLabel('Name of the filters').fill('With reads');
    await page.getByRole('button', { name: 'Save these filters' }).click();
    await page.getByRole('button', { name: 'With reads', exact: true }).waitFor();
    await expectAccessible(page);
    await open('/audit');
    await saved.click();
    await page.getByRole('button', { name: 'With reads', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('reads') === 'true');
    await reads.first().waitFor();
    const csv = await downloaded(page, 'All rows, codes only (CSV)', 'audit-codes.csv');
    expect(csv).to.include('OPERATOR_READ');
    await page.getByRole('switch', { name: 'Reads by operators' }).uncheck();
    await page.waitForURL((url) => !url.searchParams.has('reads'));
    expect(
      await downloaded(page, 'All rows, codes only (CSV)', 'audit-codes-without-reads.csv'),
    ).not.to.include('OPERATOR_READ');
  });

  it('takes days in the language of the console, typed or from a calendar', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'mn' });
    await open('/audit');
    const from = page.getByLabel('Эхлэх өдөр');
    expect(await from.getAttribute('placeholder')).to.equal('жжжж-сс-өө');
    await from.fill('2026-02-03');
    await page.waitForURL((url) => url.searchParams.get('from') === '2026-02-03');
    const calendar = page.locator('[data-dates-dropdown]');
    await calendar.getByRole('button', { name: 'Дараа сар' }).waitFor();
    await calendar.getByText('2026 Хоёрдугаар сар').waitFor();
    await expectAccessible(page);
    await picture(page, 'audit-calendar');
    await calendar.getByRole('button', { name: /сар 5$/u }).click();
    await page.waitForURL((url) => url.searchParams.get('from') === '2026-02-05');
    expect(await from.inputValue()).to.equal('2026-02-05');
    await page.getByRole('button', { name: 'Огноог арилгах' }).click();
    await page.waitForURL((url) => !url.searchParams.has('from'));
    // Rejects what is no day.
    await from.fill('03/02/2026');
    await from.blur();
    expect(await from.inputValue()).to.equal('');
    expect(new URL(page.url()).searchParams.has('from')).to.equal(false);
  });

  it('V8: is linked from a citizen and a certificate with what operators read of them', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    const reads = page.getByRole('row', { name: /Read by an operator/ });
    await open('/citizens/PNOMN-110000000001');
    await page.getByRole('link', { name: 'Whole audit' }).click();
    await page.waitForURL((url) => url.pathname === '/audit');
    await reads.first().waitFor({ timeout: 10_000 });

    await open('/certificates?status=VALID&q=PNOMN-110000000001');
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('region', { name: 'Status in OCSP and CRL' }).waitFor();
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.waitForURL((url) => url.searchParams.get('reads') === 'true');
  });

  it('says why a command was refused in words, whatever the reason, in both languages', async () => {
    const officer = await world().operator('SECURITY_OFFICER');
    const refused = await officer.call('POST', '/certificates/0123456789abcdef/revoke', {
      reason: 1,
    });
    expect(refused.body['code']).to.equal('CERTIFICATE_NOT_FOUND');
    const auditor = await world().operator('AUDITOR');
    const found = await eventually(async () => {
      const { body } = await auditor.call('GET', '/audit?type=COMMAND_DENIED');
      const [newest] = body['items'] as readonly {
        readonly eventId: string;
        readonly details: object;
      }[];
      expect(newest?.details).to.include({ code: 'CERTIFICATE_NOT_FOUND' });
      return newest?.eventId ?? '';
    });
    for (const [language, words] of [
      ['en', 'Certificate not found'],
      ['mn', 'Гэрчилгээ олдсонгүй'],
    ] as const) {
      const { page, open } = await world().as('AUDITOR', { language });
      await open(`/audit/${found}`);
      const shown = page.getByText(words, { exact: true });
      await shown.waitFor();
      expect(await shown.getAttribute('title')).to.equal('CERTIFICATE_NOT_FOUND');
    }
  });

  it('does not say that nothing was changed when what it never shows was: a secret', async () => {
    const { relyingPartyId } = await world().demo.service.registerRelyingParty(
      aParty('Нууцтай', []),
    );
    const registrar = await world().operator('RP_OPERATOR');
    const rotated = await registrar.call(
      'POST',
      `/relying-parties/${relyingPartyId}/rotate-secret`,
      {},
    );
    expect(rotated.status, JSON.stringify(rotated.body)).to.equal(200);
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open(`/audit?type=RP_SECRET_ROTATE&subject=${relyingPartyId}`);
    await page
      .getByRole('table')
      .getByRole('link', { name: /rotated/u })
      .first()
      .click();
    const changes = page.getByRole('region', { name: 'What changed' });
    await changes.getByText('never shows secrets', { exact: false }).waitFor();
    expect(await changes.getByText('No state was changed').count()).to.equal(0);
  });

  it('links an entry to the pages of its subject and of its citizen', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/audit?type=CERT_ISSUE&subject=PNOMN-110000000001');
    await page.getByRole('table').getByRole('link').first().click();
    await page.locator('a[href="/citizens/PNOMN-110000000001"]').waitFor();
    await page.locator('a[href^="/certificates/"]').click();
    await page.getByRole('region', { name: 'Status in OCSP and CRL' }).waitFor();
  });

  it('is open to an auditor, who is shown nothing that changes anything and is refused when forcing it', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/certificates?status=VALID&q=PNOMN-110000000001');
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('region', { name: 'Status in OCSP and CRL' }).waitFor();
    expect(await page.getByRole('button', { name: /Revoke|Put on hold/ }).count()).to.equal(0);
    const serial = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const refused = await page.request.post(
      `${world().origin}/v3/admin/certificates/${serial}/revoke`,
      { data: { reason: 1 }, headers: { origin: world().origin } },
    );
    expect(refused.status()).to.equal(403);
  });
});

async function downloaded(page: Page, name: string, fileName?: string): Promise<string> {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name }).click();
  const download = await waiting;
  if (fileName !== undefined) expect(download.suggestedFilename()).to.equal(fileName);
  return readFile(await download.path(), 'utf8');
}
