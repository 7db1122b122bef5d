import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventually } from '../support/assertions/eventually.ts';
import { expectLook } from '../support/browser/pageLooks.ts';
import { codesSeen } from '../support/browser/codesSeen.ts';
import { picture } from '../support/browser/pictures.ts';
import { settled } from '../support/browser/settledPage.ts';
import { populate } from '../support/installation/populatedConsole.ts';
import { useConsole } from '../support/worlds/consoleWorld.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const HEX = /\b[0-9a-f]{32}\b/gi;

/** Ids that a reader of the page sees. */
async function idsSeen(page: Page): Promise<readonly string[]> {
  await settled(page);
  const text = await page.evaluate<string>('document.body.innerText');
  return [...(text.match(UUID) ?? []), ...(text.match(HEX) ?? [])];
}

interface Row {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
}

/** Pages without a name in their address. */
const wholePages = [
  ...['/', '/statistics', '/system', '/admins', '/account', '/registers', '/relying-parties'],
  ...['/citizens', '/organizations', '/documents', '/oidc-clients', '/relying-parties/new'],
  ...['/organizations/new', '/oidc-clients/new', '/audit/tree', '/assistant'],
];
/** Lists whose first row has a page that is looked at. */
const wordedLists = [
  ...['/relying-parties', '/citizens', '/devices', '/certificates', '/organizations'],
  ...['/documents', '/oidc-clients', '/identity-verifications', '/approvals?view=all'],
];

describe('Names in the console', function () {
  this.timeout(180_000);
  const world = useConsole({
    settings: () => ({ SVC_ADMIN_REQUIRE_4EYES: 'true' }),
    prepare: async (world) => {
      await populate(world);
      const asker = await world.operator('SECURITY_OFFICER');
      await eventually(async () => {
        const { body } = await asker.call('GET', '/certificates?q=PNOMN-110000000001');
        const [, certificate] = body['items'] as readonly { readonly serial: string }[];
        expect(certificate, 'a certificate in the list').not.to.equal(undefined);
        const asked = await asker.call(
          'POST',
          `/certificates/${String(certificate?.serial)}/revoke`,
          {
            reason: 1,
            comment: 'Reported stolen',
          },
        );
        expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
      });
    },
  });

  async function rows(path: string): Promise<readonly Row[]> {
    const { body } = await (await world().operator('SUPER_ADMIN')).call('GET', path);
    return body['items'] as readonly Row[];
  }

  async function expectNames(page: Page, where: string): Promise<void> {
    expect(await idsSeen(page), where).to.deep.equal([]);
    expect(await codesSeen(page), where).to.deep.equal([]);
  }

  for (const language of ['en', 'mn'] as const) {
    it(`stand wherever an id stands in lists and on pages of people, sessions, audit and approvals (${language})`, async () => {
      const { page, open } = await world().as('SUPER_ADMIN', { language });
      for (const list of [
        'sessions',
        'audit',
        'devices',
        'certificates',
        'identity-verifications',
      ]) {
        await open(`/${list}`);
        await page.getByRole('table').getByRole('link').first().waitFor();
        await expectNames(page, list);
      }
      await open('/approvals?view=all');
      await page.getByRole('table').getByRole('link').first().waitFor();
      await expectNames(page, 'approvals');
      const one = new Map((await rows('/audit?limit=200')).map((row) => [row.type, row]));
      for (const { eventId, type } of one.values()) {
        await open(`/audit/${eventId}`);
        await expectNames(page, type);
      }
      const sessions = await rows('/audit?type=SESSION_START&limit=200');
      for (const { subject } of sessions.slice(0, 3)) {
        await open(`/sessions/${subject}`);
        await expectNames(page, `session ${subject}`);
      }
    });
  }

  it('tell the results of Ctrl-K apart by kind, status, time and whose they are', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/sessions');
    await page.keyboard.press('Control+K');
    const field = page.getByRole('combobox', { name: /^People, phones/u });
    for (const [q, group, told] of [
      ['Бат-Эрдэнэ', 'Certificates', /Дорж Бат-Эрдэнэ\s*(Authentication|Signature) · Valid · Ends/],
      ['Бат-Эрдэнэ', 'Devices', /Дорж Бат-Эрдэнэ\s*Simulated phone · Active · /],
      ['Tamga Demo', 'Sessions', /Tamga Demo\s*Authentication · .+ · \d+ \w+ 20\d\d/],
      ['Tamga Demo', 'Relying parties', /Tamga Demo\s*Active · /],
      ['security.officer', 'Operators', /security.officer@\S+\s*Security officer · Active/],
    ] as const) {
      await field.fill(q);
      const options = page.getByRole('group', { name: group }).getByRole('option');
      await options.filter({ hasText: told }).first().waitFor();
      await expectNames(page, `${group} for ${q}`);
      const texts = await options.allInnerTexts();
      expect(new Set(texts).size, `${group}: ${texts.join('; ')}`).to.equal(texts.length);
    }
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  it('have words beside them instead of codes on every other page too', async () => {
    for (const language of ['en', 'mn'] as const) {
      const { page, open } = await world().as('SUPER_ADMIN', { language });
      const expectWords = async (where: string) =>
        expect(await codesSeen(page), `${language} ${where}`).to.deep.equal([]);
      for (const path of wholePages) {
        await open(path);
        await expectWords(path);
      }
      for (const list of wordedLists) {
        await open(list);
        const first = page.getByRole('table').getByRole('link').first();
        await first.click();
        await first.waitFor({ state: 'detached' });
        await expectWords(`the first of ${list}`);
      }
    }
  });

  it('stand in the request for approval and in its dialogs', async () => {
    const [approval] = await rows('/approvals');
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open(`/approvals/${String(approval?.id)}`);
    await page.getByText('Дорж Бат-Эрдэнэ').first().waitFor();
    await page.getByText('security.officer@tamga.example', { exact: true }).waitFor();
    await expectNames(page, 'the approval');
    for (const name of ['Approve', 'Reject']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor();
      await expectNames(page, name);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
  });

  it('stand in the dialogs that end certificates and phones, and confirm them', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    for (const [list, button] of [
      ['/certificates?status=VALID&q=PNOMN-110000000002', 'Revoke'],
      ['/devices?q=PNOMN-110000000002', 'Deactivate'],
    ] as const) {
      await open(list);
      await page.getByRole('table').getByRole('link').first().click();
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog');
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      await dialog.getByRole('textbox', { name: new RegExp(`^Type .*Сарангэрэл”`) }).waitFor();
      await dialog.getByText(new RegExp(` · .*20\\d\\d.* · …${id.slice(-6)}`)).waitFor();
      expect((await dialog.innerText()).match(UUID) ?? [], list).to.deep.equal([]);
      expect((await dialog.innerText()).match(HEX) ?? [], list).to.deep.equal([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }
  });

  it('say in the request what will be true afterwards: whose, what ends with it, who asked and why', async () => {
    const [approval] = await rows('/approvals');
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open(`/approvals/${String(approval?.id)}`);
    const region = page.getByRole('region', { name: 'What happens if you approve' });
    await region.getByText(/^The certificate “\w+ · Дорж Бат-Эрдэнэ” is revoked at once/).waitFor();
    await region
      .getByText(/These end with it: Simulated phone · Дорж Бат-Эрдэнэ, \w+ · Дорж/)
      .waitFor();
    await region.getByText(/Asked by security.officer@tamga.example: “Reported stolen”/).waitFor();
  });

  it('find requests for approval by a name and by the e-mail of who asked', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    for (const q of ['Бат-Эрдэнэ', 'security.officer@tamga.example']) {
      await open(`/approvals?view=all&q=${encodeURIComponent(q)}`);
      await page.getByRole('row', { name: /Дорж Бат-Эрдэнэ.*Pending/ }).waitFor();
    }
    await open('/approvals?view=all&q=nobody@tamga.example');
    await page.getByText('Nothing matches').waitFor();
  });

  it('say on the page of the thing that it waits; its buttons are off and nothing is asked for twice', async () => {
    const [approval] = await rows('/approvals');
    const { page, open } = await world().as('SECURITY_OFFICER', { language: 'en' });
    await open(`/certificates/${String(approval?.subject)}`);
    await page.getByText('Waits for approval, asked by security.officer@tamga.example').waitFor();
    for (const name of ['Revoke', 'Put on hold']) {
      expect(await page.getByRole('button', { name }).isDisabled(), name).to.equal(true);
    }
    const asker = await world().operator('SUPER_ADMIN');
    const again = await asker.call('POST', `/certificates/${String(approval?.subject)}/revoke`, {
      reason: 1,
    });
    expect([again.status, again.body['code']]).to.deep.equal([409, 'CONFLICT']);
    expect(String(again.body['detail'])).to.contain(String(approval?.id));
  });

  it('count for decision what the viewer may decide', async () => {
    for (const [role, count] of [
      ['SECURITY_OFFICER', '0'],
      ['SUPER_ADMIN', '1'],
      ['AUDITOR', '0'],
    ] as const) {
      const { page, open } = await world().as(role, { language: 'en' });
      await open('/');
      const tile = page.getByText('Requests to decide').locator('..');
      await tile.getByText(count, { exact: true }).waitFor();
    }
  });

  it('are accessible on the page of what waits, in the dark and at 360 px', async () => {
    const [approval] = await rows('/approvals');
    const setup = { language: 'mn', theme: 'dark', width: 360 } as const;
    const { page, open } = await world().newAs('SUPER_ADMIN', setup);
    for (const path of [
      `/certificates/${String(approval?.subject)}`,
      `/approvals/${String(approval?.id)}`,
    ]) {
      await open(path);
      await page.getByText('Дорж Бат-Эрдэнэ').first().waitFor();
      await expectLook(page, path, { width: 360, axe: true });
      await picture(page, `waits-${path.split('/')[1] ?? ''}`);
    }
  });

  it('stand for what is to be registered, in requests, in the audit and to find it by', async () => {
    const asker = await world().operator('SUPER_ADMIN');
    const asked = await asker.call('POST', '/relying-parties', {
      relyingPartyName: 'Шинэ Банк',
      permissions: ['AUTH'],
    });
    expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open(`/approvals?view=all&q=${encodeURIComponent('шинэ')}`);
    await page.getByRole('row', { name: /Register a relying party.*Шинэ Банк/ }).waitFor();
    expect(await page.getByRole('row').count()).to.equal(2);
    await open('/audit?type=APPROVAL_REQUEST');
    await page.getByRole('row', { name: /Register a relying party · Шинэ Банк/ }).waitFor();
    await page.getByRole('row', { name: /Revoke a certificate · Дорж Бат-Эрдэнэ/ }).waitFor();
    const found = await world().as('SUPER_ADMIN', { language: 'en' });
    await found.open('/sessions');
    await found.page.keyboard.press('Control+K');
    await found.page.getByRole('combobox', { name: /^People, phones/u }).fill('Шинэ Б');
    const request = found.page.getByRole('group', { name: 'Approvals' }).getByRole('option');
    await request.filter({ hasText: /Шинэ Банк\s*Register a relying party · Pending/ }).waitFor();
    await expectNames(found.page, 'the search');
    await found.page.keyboard.press('Escape');
    await request.first().waitFor({ state: 'detached' });
  });

  it('and words stand in files of lists, without buttons and without what only their reader understands', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    const exported = async (path: string, kind = 'CSV') => {
      await open(path);
      await page.getByRole('table').getByRole('link').first().waitFor();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: kind, exact: true }).click();
      const file = await downloading;
      const text = await readFile(await file.path(), 'utf8');
      return { name: file.suggestedFilename(), lines: text.trimEnd().split('\r\n') };
    };
    const certificates = await exported('/certificates');
    expect(certificates.lines[0]).to.match(/^\uFEFF?Holder,Use,Status,Ends,serial,/u);
    const approvals = await exported('/approvals?view=all');
    const own = 'super.admin@tamga.example; 20';
    expect(approvals.lines.filter((line) => line.includes(own))).to.have.length(1);
    expect(approvals.lines.filter((line) => line.includes('You'))).to.deep.equal([]);
    const audit = await exported('/audit?type=APPROVAL_REQUEST');
    const entry = 'Approval requested,Done,Register a relying party · Шинэ Банк,';
    expect(audit.lines.filter((line) => line.startsWith(entry))).to.have.length(1);
    expect(audit.lines[0]).to.match(/^What,Outcome,To what,Who,When,eventId,/u);
    const forExcel = await exported('/audit?type=APPROVAL_REQUEST', 'CSV for Excel');
    expect([audit.name, forExcel.name]).to.deep.equal(['Audit.csv', 'Audit (Excel).csv']);
  });

  it('are decided by keyboard alone, under a title that tells what became of the request', async () => {
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open('/approvals');
    await page.getByRole('row', { name: /Шинэ Банк/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'What happens if you approve' }).waitFor();
    await page.keyboard.press('Alt+R');
    await page.getByRole('dialog', { name: 'Reject the request' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('Alt+A');
    await page.getByRole('dialog', { name: 'Approve this?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'What it changes' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const asker = await world().operator('SUPER_ADMIN');
    const collected = await asker.call('POST', `/approvals/${id}/collect`);
    expect(collected.status, JSON.stringify(collected.body['code'])).to.equal(200);
    await page.getByRole('region', { name: 'What it changed' }).waitFor();
  });
});
