import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresWebhookOutbox } from '../../infrastructure/postgres/webhooks.ts';
import { EidClient } from '../../client/index.ts';
import { expectAccessible, useConsole } from '../support/worlds/consoleWorld.ts';
import type { SignedInOperator } from '../support/worlds/operatorWorld.ts';
import { call } from '../../main/drill/callers.ts';
import { freePort } from '../../main/drill/freePort.ts';
import { aParty } from '../support/given/wishes.ts';

const register = '6234567';
const etsi = `NTRMN-${register}`;

describe('Relying parties, organizations and approvals in the console', function () {
  this.timeout(180_000);
  const world = useConsole({
    settings: async () => ({
      // Known beforehand: it is in what clients are configured with.
      SVC_PORT: String(await freePort()),
      SVC_ADMIN_REQUIRE_4EYES: 'true',
      SVC_ADMIN_4EYES_COMMANDS: 'relyingParty.rotateSecret',
    }),
  });

  /** Calls the API as the page could, past its buttons. */
  const force = (page: Page, method: string, path: string, body: object = {}) =>
    page.evaluate(
      async ([verb, address, content]) => {
        const response = await fetch(`/v3/admin${address}`, {
          method: verb,
          headers: { 'content-type': 'application/json' },
          body: content,
        });
        return [response.status, ((await response.json()) as { code?: string }).code];
      },
      [method, path, JSON.stringify(body)] as const,
    );

  async function askFor(operator: SignedInOperator, path: string, body: object = {}) {
    const answer = await operator.call('POST', path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    return String(answer.body['id']);
  }

  /** A relying party without permissions, registered on the machine. */
  const registered = (name: string) => world().demo.service.registerRelyingParty(aParty(name, []));

  it('registers a relying party: faults at their fields, the secret once, a file its client works with', async () => {
    const citizen = await world().demo.enrol('110000000001');
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open('/relying-parties');
    await page.getByRole('link', { name: 'Register' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Дэлгүүрийн маш урт нэртэй систем');
    await page.getByRole('textbox', { name: 'Callback hosts' }).fill('shop.example.mn\nnot a/host');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').getByText('INVALID_REQUEST').waitFor();
    expect(
      await page.getByRole('textbox', { name: 'Callback hosts' }).getAttribute('aria-invalid'),
    ).to.equal('true');
    await expectAccessible(page);

    await name.fill("Ширээ's shop");
    await page.getByRole('textbox', { name: 'Callback hosts' }).fill('shop.example.mn');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('You asked for this yourself').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const approver = await world().operator('SUPER_ADMIN');
    await approver.call('POST', `/approvals/${id}/approve`, {});
    await page.getByRole('button', { name: 'Collect the new secret' }).click();
    const secret = (await page.getByTestId('secret').textContent()) ?? '';
    expect(await page.getByTestId('variables').innerText()).to.include(`RP_SECRET='${secret}'`);
    await expectAccessible(page);
    expect(secret).to.match(/^rp_sk_/);
    await expectAccessible(page);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download .env' }).click();
    const text = await readFile(await (await downloading).path(), 'utf8');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('It was carried out.').waitFor({ state: 'attached' });
    expect(await page.content()).not.to.contain(secret);

    const settings = Object.fromEntries(
      [...text.matchAll(/^(\w+)='(.*)'$/gm)].map(([, key, value]) => [
        key,
        (value ?? '').replaceAll(`'\\''`, "'"),
      ]),
    ) as Record<string, string>;
    expect(settings).to.include({ RP_NAME: "Ширээ's shop", RP_SECRET: secret });
    const client = new EidClient({
      baseUrl: settings['RP_API_BASE'] ?? '',
      credentials: {
        rpUUID: settings['RP_UUID'] ?? '',
        rpName: settings['RP_NAME'] ?? '',
        apiSecret: settings['RP_SECRET'] ?? '',
      },
    });
    const session = await client.auth.notificationByDocument(citizen.documentNumber, [
      { type: 'displayTextAndPIN', displayText60: 'Shop' },
    ]);
    expect(session.sessionId).to.be.a('string');
  });

  it('registers a relying party with a link to its secret, under four eyes', async () => {
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open('/relying-parties/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Linked bank');
    await page.getByRole('checkbox', { name: 'by a one-time link' }).check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('You asked for this yourself').waitFor();
    await page.getByText('The requester gets a link').waitFor();
    const approver = await world().operator('SUPER_ADMIN');
    await approver.call('POST', `${new URL(page.url()).pathname}/approve`, {});
    await page.getByRole('button', { name: 'Collect the link' }).click();
    const { origin, hash } = new URL(await page.getByTestId('link').innerText());
    await expectAccessible(page);
    expect(await page.content()).not.to.include('rp_sk_');
    const body = { token: hash.slice(1) };
    const taken = await call(`${origin}/hand-over`, { method: 'POST', body });
    expect(taken.body).to.have.nested.property('variables.RP_NAME', 'Linked bank');
  });

  it('registers a client without a secret under four eyes: there is nothing to collect', async () => {
    await registered('App maker');
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open('/oidc-clients/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('App of nobody');
    await page.getByRole('textbox', { name: 'Redirect' }).first().fill('https://app.example/cb');
    const party = page.getByRole('combobox', { name: 'Relying party' });
    await party.fill('App maker');
    await page.getByRole('option', { name: 'App maker' }).click();
    const choice = page.getByRole('checkbox', { name: 'by a one-time link' });
    await choice.waitFor();
    await page.getByRole('combobox', { name: 'Authentication' }).click();
    await page.getByRole('option', { name: 'none' }).click();
    await choice.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('You asked for this yourself').waitFor();
    await page.getByText('without a secret').waitFor();
    const approver = await world().operator('SUPER_ADMIN');
    await approver.call('POST', `${new URL(page.url()).pathname}/approve`, {});
    await page.getByText('It was carried out.').waitFor({ state: 'attached' });
    expect(await page.getByRole('button', { name: /^Collect/ }).count()).to.equal(0);
  });

  it('shows what its developer will ask for: use, and the problem each refused request got', async () => {
    const { demo } = world();
    const path = '/authentication/notification/etsi/PNOMN-110000000001';
    const { status, headers } = await demo.create(path, {});
    expect(status).to.equal(400);
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open(`/relying-parties/${demo.relyingPartyId}`);
    const refused = page.getByRole('region', { name: 'Last refused requests' });
    const row = refused.getByRole('row', { name: /400 INVALID_REQUEST/u });
    await row.getByText('Read errors: each entry has a pointer').waitFor();
    const text = await row.innerText();
    expect(text).to.include('POST /v3/authentication/notification/etsi/:id');
    expect(text).to.match(/\/rpChallenge is required/u);
    expect(text).to.include((headers.get('x-request-id') ?? '-').slice(0, 8));
    const use = page.getByRole('region', { name: 'Use' });
    await use.getByRole('row', { name: /notification\/etsi\/:id \d+ 1 /u }).waitFor();
    await expectAccessible(page);
    const mongolian = await world().as('SUPPORT', { language: 'mn' });
    await mongolian.open(`/relying-parties/${demo.relyingPartyId}`);
    await mongolian.page.getByText('Хүсэлт буруу байна').waitFor();
  });

  it('says that a command waits for approval, whatever becomes of what is read beside it', async () => {
    const { relyingPartyId } = await registered('Slow bank');
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open(`/relying-parties/${relyingPartyId}`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('to confirm').fill('Slow bank');
    // Never answered: as when the service is busy, or the tab is not looked at.
    const held: Route[] = [];
    await page.route('**/v3/admin/approvals?*', (route) => void held.push(route));
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    const link = page.getByRole('link', { name: 'Open the request' });
    await link.waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.unroute('**/v3/admin/approvals?*');
    for (const route of held) await route.continue().catch(() => undefined);
    // Nothing is left to be decided in other tests.
    const approver = await world().operator('SUPER_ADMIN');
    await approver.call('POST', `${(await link.getAttribute('href')) ?? ''}/approve`, {});
  });

  it('hands a secret over by a link, under four eyes, and says whom to call', async () => {
    const contact = { contactName: 'Help desk', contactPhone: '+976 7000 0000' };
    const party = await world().demo.service.registerRelyingParty({
      ...aParty('Handed over', []),
      ...contact,
    });
    const asker = await world().as('RP_OPERATOR', { language: 'en' });
    const { page } = asker;
    await asker.open(`/relying-parties/${party.relyingPartyId}`);
    for (const text of Object.values(contact)) await page.getByText(text).waitFor();
    await page.getByRole('button', { name: 'Hand over by a link' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('to confirm').fill('Handed over');
    await dialog.getByRole('button', { name: 'Hand over by a link' }).click();
    const request = page.getByRole('link', { name: 'Open the request' });
    await request.waitFor();
    const path = (await request.getAttribute('href')) ?? '';
    const approver = await world().operator('SUPER_ADMIN');
    await approver.call('POST', `${path}/approve`, {});

    await asker.open(path);
    await page.getByText('when somebody uses the link').waitFor();
    await page.getByRole('button', { name: 'Collect the link' }).click();

    const link = await page.getByTestId('link').innerText();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await asker.open(`/relying-parties/${party.relyingPartyId}`);
    await page.getByText('Link to a new secret, valid until').waitFor();
    const { origin, hash } = new URL(link);
    const taken = await call(`${origin}/hand-over`, {
      method: 'POST',
      body: { token: hash.slice(1) },
    });
    expect(taken.body).to.have.nested.property('variables.RP_UUID', party.relyingPartyId);
  });

  it('shows the events a relying party did not take, and sends them again', async () => {
    const { relyingPartyId } = await registered('Салбар банк');
    const pool = createPool({ url: world().demo.databaseUrl });
    const outbox = createPostgresWebhookOutbox(pool);
    // An address that is registered no more: what is sent again ends at once.
    const queue = { relyingPartyId, address: 'https://branch.example/events' };
    const type = 'session.completed';
    const message = { ...queue, id: 'msg_1', subject: 'session-1', type, body: '{}' } as const;
    const now = new Date();
    await outbox.add([message], now);
    await outbox.end(queue, { reason: 'HTTP 500.', before: now }, now);
    await pool.end();
    const auditor = await world().as('AUDITOR', { language: 'en' });
    await auditor.open(`/relying-parties/${relyingPartyId}`);
    const seen = auditor.page.getByRole('region', { name: 'Events sent' });
    await seen.getByRole('row', { name: /session.completed Not delivered HTTP 500\./ }).waitFor();
    expect(await seen.getByRole('button').count()).to.equal(0);
    await expectAccessible(auditor.page);
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open(`/relying-parties/${relyingPartyId}`);
    const events = page.getByRole('region', { name: 'Events sent' });
    await events.getByRole('button', { name: 'Resend undelivered events' }).click();
    await page.getByText('It is being sent again.').waitFor();
    const again = /session.completed Not delivered The address is registered no more\./;
    await events.getByRole('row', { name: again }).waitFor();
  });

  it('shows a relying party as it was, and changes nothing there', async () => {
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open(`/relying-parties/${world().demo.relyingPartyId}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Requests per minute' }).fill('77');
    const before = new Date().toISOString();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('77', { exact: true }).waitFor();

    await open(`/relying-parties/${world().demo.relyingPartyId}?asOf=${before}`);
    await page.getByText('Nothing can be changed here').waitFor();
    await page.getByText('General limit').waitFor();
    for (const name of ['Edit', 'Rotate secret', 'Deactivate']) {
      expect(await page.getByRole('button', { name }).count(), name).to.equal(0);
    }
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('77', { exact: true }).waitFor();
  });

  it('suspends an organization, and its seals are refused', async () => {
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/organizations/new');
    await page.getByRole('textbox', { name: 'Registration number' }).fill(register);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Тамга туршилт ХХК');
    await page.getByRole('textbox', { name: 'Latin name' }).fill('TAMGA TEST LLC');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { level: 1, name: 'Тамга туршилт ХХК' }).waitFor();
    expect(await page.getByRole('button', { name: 'Suspend' }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Issue' }).click();
    await page.getByRole('textbox', { name: /^Type/ }).fill('Тамга туршилт ХХК');
    await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click();
    await page.getByText('QUALIFIED').waitFor();
    await expectAccessible(page);

    const sealer = await world().demo.service.registerRelyingParty(aParty('Seals', ['SEAL']));
    const { relyingPartyId } = sealer;
    await world().demo.service.changeSealing('allow', { relyingPartyId, register });
    const seal = async () => {
      const response = await fetch(`${world().demo.service.origin}/v3/seal/${etsi}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${sealer.apiSecret}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          relyingPartyUUID: sealer.relyingPartyId,
          relyingPartyName: 'Seals',
          digest: Buffer.alloc(32, 7).toString('base64'),
        }),
      });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    expect(await seal()).to.deep.equal([200, undefined]);

    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('textbox', { name: /^Type/ }).fill('Тамга туршилт ХХК');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    expect(await seal()).to.deep.equal([409, 'ORG_NOT_ACTIVE']);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    expect(await seal()).to.deep.equal([200, undefined]);
  });

  it('approves a rotation with the keyboard alone, and who asked collects the secret', async () => {
    const body = await registered('Rotates');
    const asker = await world().as('RP_OPERATOR', { language: 'en' });
    await asker.open(`/relying-parties/${body.relyingPartyId}`);
    await asker.page.getByRole('button', { name: 'Rotate secret' }).click();
    await asker.page.getByRole('textbox', { name: /^Type/ }).fill('Rotates');
    await asker.page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await asker.page.getByRole('link', { name: 'Open the request' }).click();
    await asker.page.getByText('You asked for this yourself').waitFor();

    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/approvals');
    await page.getByRole('link', { name: 'Rotate the secret of a relying party' }).waitFor();
    const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()');
    /** Tabs until the focus is on what says this. */
    async function tabTo(text: string) {
      for (let steps = 0; steps < 80; steps += 1) {
        if ((await focused()) === text) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`The keyboard does not reach “${text}”.`);
    }
    await tabTo('Rotate the secret of a relying party');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Decision' }).waitFor();
    await tabTo('Approve');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo('Approve');
    await page.keyboard.press('Enter');
    await page.getByText('when the requester collects the new secret').waitFor();

    await asker.page.getByRole('button', { name: 'Collect the new secret' }).click();
    const secret = (await asker.page.getByTestId('secret').textContent()) ?? '';
    expect(secret)
      .to.match(/^rp_sk_/)
      .and.not.to.equal(body.apiSecret);
    // The page has read the request again meanwhile; the secret is still there.
    await asker.page.getByText('It was carried out.').waitFor({ state: 'attached' });
    expect(await asker.page.getByTestId('secret').textContent()).to.equal(secret);
    await asker.page.getByRole('button', { name: 'I have kept it' }).click();
  });

  it('F3: sets the names of a relying party under four eyes', async () => {
    const body = await registered('Small Shop');
    const asker = await world().as('RP_OPERATOR', { language: 'en' });
    await asker.open(`/relying-parties/${body.relyingPartyId}`);
    await asker.page.getByText('Any other name is refused.').waitFor();
    await asker.page.getByRole('combobox', { name: 'Aliases' }).fill('The Shop');
    await asker.page.getByRole('checkbox', { name: 'Allow other names' }).check();
    await expectAccessible(asker.page);
    await asker.page.getByRole('button', { name: 'Set names' }).click();
    await asker.page.getByText('Waits for approval').waitFor();

    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open('/approvals');
    await page.getByRole('link', { name: 'Set the names of a relying party' }).click();
    await page.getByText('Relying party Small Shop: Aliases').waitFor();
    await page.getByText('Shown after the registered one').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('It was carried out.').waitFor({ state: 'attached' });

    await asker.page.getByText('Waits for approval').waitFor({ state: 'detached' });
    await asker.page.getByText('Any other name is allowed').waitFor();
    await asker.page.getByText('The Shop').first().waitFor();
  });

  it('rejects with a reason that who asked reads', async () => {
    const body = await registered('Stays');
    const asking = await world().operator('RP_OPERATOR');
    const id = await askFor(asking, `/relying-parties/${body.relyingPartyId}/deactivate`);
    const { page, open } = await world().as('SUPER_ADMIN', { width: 360 });
    await open(`/approvals/${id}`);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Татгалзах' }).click();
    await page.getByRole('textbox', { name: 'Татгалзсан шалтгаан' }).fill('Буруу систем');
    await page.getByRole('dialog').getByRole('button', { name: 'Татгалзах' }).click();
    await page.getByText('Юу ч өөрчлөгдөөгүй').waitFor();

    const asker = await world().as('RP_OPERATOR');
    await asker.open('/approvals?view=mine&status=REJECTED');
    await asker.page.getByRole('link', { name: 'Итгэгч талыг идэвхгүй болгох' }).first().click();
    await asker.page.getByText('Буруу систем').waitFor();
  });

  it('shows a role what it may do, and refuses the rest when forced', async () => {
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    const id = world().demo.relyingPartyId;
    await open(`/relying-parties/${id}`);
    for (const name of ['Edit', 'Rotate secret', 'Deactivate']) {
      expect(await page.getByRole('button', { name }).count(), name).to.equal(0);
    }
    await open('/organizations');
    expect(await page.getByRole('link', { name: 'Register' }).count()).to.equal(0);
    for (const [method, path] of [
      ['POST', '/relying-parties'],
      ['PATCH', `/relying-parties/${id}`],
      ['POST', `/relying-parties/${id}/rotate-secret`],
      ['POST', `/relying-parties/${id}/deactivate`],
      ['POST', '/organizations'],
      ['PATCH', `/organizations/${etsi}`],
    ] as const) {
      const answer = await force(page, method, path);
      expect(answer, `${method} ${path}`).to.deep.equal([403, 'PERMISSION_DENIED']);
    }
  });

  it('tells in words, in the audit, what a request for approval would change', async () => {
    const { relyingPartyId } = await registered('Аудиттай');
    const registrar = await world().operator('RP_OPERATOR');
    await askFor(registrar, `/relying-parties/${relyingPartyId}/rotate-secret`);
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/audit?type=APPROVAL_REQUEST');
    await page.getByRole('table').getByRole('link').first().click();
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText('Secret of relying party', { exact: false }).waitFor();
    expect(await details.textContent()).to.not.include('"target"');
  });
});
