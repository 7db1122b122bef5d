import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresUndelivered } from '../../infrastructure/postgres/undelivered.ts';
import { expectAccessible, useConsole } from '../support/worlds/consoleWorld.ts';
import type { DemoPhone } from '../support/installation/demoInstallation.ts';
import { call } from '../../main/drill/callers.ts';
import { failedVerification, signedDocument } from '../support/installation/populatedPlatform.ts';
import { freePort } from '../../main/drill/freePort.ts';

describe('Identity checks, documents and OpenID clients in the console', function () {
  this.timeout(120_000);
  let phone: DemoPhone;
  /** Configuration of the client. */
  let environment: Readonly<Record<string, string>> = {};
  const world = useConsole({
    settings: async () => ({
      // Known beforehand: it is in what clients are configured with.
      SVC_PORT: String(await freePort()),
      SVC_ADMIN_REQUIRE_4EYES: 'true',
      SVC_ADMIN_4EYES_COMMANDS: 'oidcClient.rotateSecret',
    }),
    prepare: async (world) => {
      phone = await world.demo.enrol('110000000001');
    },
  });

  it('show the reason of a failed identity check, and find successful ones', async () => {
    const id = await failedVerification(world());
    const { page, open } = await world().as('SUPPORT', { language: 'en' });
    await open('/identity-verifications?status=PENDING&method=citizenCard');
    const row = page.getByRole('row', { name: /Citizen card/ });
    await row.getByText('What was said does not match').waitFor();
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Identity check · Citizen card' }).waitFor();
    const happened = page.getByRole('list', { name: 'What happened' });
    await happened.getByText('The attempt failed').waitFor();
    await page
      .getByRole('table', { name: 'Failed attempts' })
      .getByText('What was said does not match')
      .waitFor();
    await expectAccessible(page);

    await open('/identity-verifications?status=VERIFIED');
    const etsi = `PNOMN-${phone.citizen.civilId}`;
    await page.getByRole('row', { name: /Дорж Бат-Эрдэнэ/ }).waitFor();
    expect(await page.getByTitle(id).count()).to.equal(0);

    await open(`/citizens/${etsi}`);
    const checks = page.getByRole('region', { name: 'Identity checks' });
    await checks.getByText('Verified').waitFor();
    await checks.getByRole('link', { name: 'All identity checks' }).click();
    await page.waitForURL((url) => url.searchParams.get('q') === etsi);
    await page.getByRole('table').getByRole('link').click();
    const proof = page.getByRole('region', { name: 'Evidence' });
    await proof.getByText('Identity card').waitFor();
    await page.getByRole('link', { name: 'Дорж Бат-Эрдэнэ' }).click();
    await page.getByRole('heading', { level: 1, name: 'Дорж Бат-Эрдэнэ' }).waitFor();
  });

  it('show a document, its digest and who signed it, down to the certificate', async () => {
    const id = await signedDocument(world(), phone);
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/documents?status=APPROVED');
    await page.getByRole('link', { name: 'Нэвтрүүлэх хүсэлт' }).click();
    await page.waitForURL((url) => url.pathname === `/documents/${id}`);
    const file = page.getByRole('region', { name: 'File', exact: true });
    await file.getByText('request.txt').waitFor();
    await file.getByText('0.008 kB').waitFor();
    await file.getByText('cannot be replaced').waitFor();
    await file.getByText(createHash('sha256').update('Read me.').digest('hex')).waitFor();
    const rails = page.getByRole('region', { name: 'Ways to sign' });
    await rails.getByText('Available', { exact: true }).waitFor();
    await rails.getByText('Not configured in this installation').waitFor();
    const signature = page.getByRole('region', { name: 'Signature 1' });
    await signature.getByText('Detached from the file').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      signature.getByRole('button', { name: 'Download .p7s' }).click(),
    ]);
    // A DER SEQUENCE.
    expect(readFileSync(await download.path())[0]).to.equal(0x30);
    await expectAccessible(page);
    await signature.getByRole('link', { name: /Qualified/ }).click();
    await page.getByRole('heading', { level: 1, name: /^Signature/ }).waitFor();
  });

  it('register a client once a colleague approves, whose secret is shown once and works, and change it', async () => {
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open('/oidc-clients');
    await page.getByRole('link', { name: 'Register' }).click();
    await page.getByRole('combobox', { name: 'Relying party' }).fill('Tamga');
    await page.getByRole('option', { name: 'Tamga Demo' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Portal');
    const addresses = page.getByRole('textbox', { name: /^Redirect URIs/ });
    await addresses.fill('http://plain.example.mn/callback');
    await page.getByRole('button', { name: 'Register' }).click();
    await addresses.and(page.locator('[aria-invalid=true]')).waitFor();
    await page.locator('[id$=-error]', { hasText: 'An https address' }).waitFor();
    await addresses.fill('https://portal.example.mn/callback');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Register' }).click();

    await page.waitForURL(/\/approvals\/[0-9a-f-]{36}$/);
    const approver = await world().operator('SUPER_ADMIN');
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await approver.call('POST', `/approvals/${id}/approve`, {});
    await page.getByRole('button', { name: 'Collect the new secret' }).click();
    const shown = page.getByTestId('secret');
    await shown.waitFor();
    const secret = await shown.innerText();
    expect(secret).to.match(/^oidc_sk_/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /\.env/ }).click(),
    ]);
    environment = variablesIn(readFileSync(await download.path(), 'utf8'));
    expect(environment).to.include({ OIDC_CLIENT_SECRET: secret });
    expect(await refusedWith(environment)).to.equal('invalid_grant');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('It was carried out.').waitFor({ state: 'attached' });
    expect(await page.content()).not.to.contain(secret);
    await open(`/oidc-clients/${String(environment['OIDC_CLIENT_ID'])}`);
    await page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await page
      .getByRole('textbox', { name: /^Redirect URIs/ })
      .fill('https://portal.example.mn/callback\nhttps://portal.example.mn/other');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Open the request' }).waitFor();
    await approve(page, 'OpenID client Portal: Redirect URIs');
    await page.getByText('https://portal.example.mn/other').waitFor();
  });

  it('F6: name who does not take logouts and notices', async () => {
    const clientId = String(environment['OIDC_CLIENT_ID']);
    const pool = createPool({ url: world().demo.databaseUrl });
    const undelivered = createPostgresUndelivered(pool);
    const triedAt = new Date();
    const failed = { clientId, since: triedAt, attempts: 12, reason: 'ECONNREFUSED', triedAt };
    await undelivered.put({ ...failed, kind: 'LOGOUT', id: 'a delivery', isGivenUp: false });
    const push = { ...failed, clientId: null, reason: 'HTTP 503' };
    await undelivered.put({ ...push, kind: 'NOTICE', id: 'a push', isGivenUp: true });
    await pool.end();
    const { page, open } = await world().as('AUDITOR', { language: 'en' });
    await open('/system');
    const section = page.getByRole('region', { name: 'Undelivered' });
    const row = section.getByRole('row', { name: /Logouts .*ECONNREFUSED 12 1 0$/ });
    await row.waitFor();
    await section
      .getByRole('row', { name: /^Push gateway Notices to phones .*HTTP 503 12 0 1$/ })
      .waitFor();
    await expectAccessible(page);
    await row.getByRole('link', { name: clientId }).click();
    await page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor();
  });

  it("rotate a client's secret once a colleague approves; the old one ends", async () => {
    const asker = await world().as('RP_OPERATOR', { language: 'en' });
    await asker.open(`/relying-parties/${world().demo.relyingPartyId}`);
    const clients = asker.page.getByRole('region', { name: 'OpenID clients' });
    await clients.getByRole('link', { name: 'All its OpenID clients' }).click();
    await asker.page.waitForURL((url) => url.pathname === '/oidc-clients');
    await asker.page.getByRole('link', { name: 'Portal' }).click();
    await asker.page.getByRole('link', { name: 'Tamga Demo' }).waitFor();
    await confirm(asker.page, 'Rotate secret');
    await approve(asker.page, 'Secret of OpenID client Portal');
    expect(await refusedWith(environment)).to.equal('invalid_grant');

    await asker.page.getByRole('link', { name: 'Open the request' }).click();
    await asker.page.getByRole('button', { name: 'Collect the new secret' }).click();
    const secret = (await asker.page.getByTestId('secret').textContent()) ?? '';
    expect(await refusedWith(environment)).to.equal('invalid_client');
    environment = { ...environment, OIDC_CLIENT_SECRET: secret };
    expect(await refusedWith(environment)).to.equal('invalid_grant');
    await asker.page.getByRole('button', { name: 'I have kept it' }).click();
  });

  it('end a client once a colleague approves, and let it in again', async () => {
    const { page, open } = await world().as('RP_OPERATOR', { language: 'en' });
    await open(`/oidc-clients/${String(environment['OIDC_CLIENT_ID'])}`);
    await confirm(page, 'Deactivate');
    await approve(page, 'OpenID client Portal');
    const reactivate = page.getByRole('button', { name: 'Reactivate' });
    await reactivate.waitFor();
    expect(await page.getByRole('button', { name: 'Rotate secret' }).count()).to.equal(0);
    expect(await refusedWith(environment)).to.equal('invalid_client');
    await expectAccessible(page);

    const auditor = await world().as('AUDITOR', { language: 'en' });
    await auditor.open('/oidc-clients?active=false');
    await auditor.page.getByRole('link', { name: 'Portal' }).click();
    await auditor.page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor();
    for (const name of ['Edit', 'Rotate secret', 'Deactivate', 'Reactivate']) {
      expect(await auditor.page.getByRole('button', { name }).count(), name).to.equal(0);
    }

    await reactivate.click();
    await page.getByRole('button', { name: 'Deactivate' }).waitFor();
    expect(await refusedWith(environment)).to.equal('invalid_grant');
  });

  /** Asks for a command on the page of the client, typing its name. */
  async function confirm(page: Page, action: string): Promise<void> {
    await page.getByRole('button', { name: action }).click();
    const dialog = page.getByRole('dialog');
    const button = dialog.getByRole('button', { name: action });
    expect(await button.isDisabled()).to.equal(true);
    await dialog.getByRole('textbox', { name: /^Type/ }).fill('Portal');
    await button.click();
    await page.getByRole('link', { name: 'Open the request' }).waitFor();
  }

  /** A colleague approves what was just asked for. @param effect what they read it changes */
  async function approve(asker: Page, effect: string): Promise<void> {
    const request = asker.getByRole('link', { name: 'Open the request' });
    const { page, open } = await world().as('SUPER_ADMIN', { language: 'en' });
    await open((await request.getAttribute('href')) ?? '');
    await page.getByText(effect, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/It was carried out|collects the new secret/).waitFor();
  }
});

/** Variables in an environment file. */
function variablesIn(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/^(\w+)='(.*)'$/gm)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}

/** Error for an invented code of this client: `invalid_grant` once client authentication succeeded. */
async function refusedWith(environment: Readonly<Record<string, string>>): Promise<unknown> {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret } = environment;
  const discovery = await call(`${String(issuer)}/.well-known/openid-configuration`);
  const response = await fetch(String(discovery.body['token_endpoint']), {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${String(id)}:${String(secret)}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'made-up',
      code_verifier: 'v'.repeat(43),
      redirect_uri: 'https://portal.example.mn/callback',
    }),
  });
  return ((await response.json()) as { readonly error?: unknown }).error;
}
