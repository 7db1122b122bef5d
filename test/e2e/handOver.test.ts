import { expect } from 'chai';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { call } from '../../main/drill/callers.ts';
import { freePort } from '../../main/drill/freePort.ts';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';
import { expectScriptlessNotices } from '../support/browser/scriptless.ts';
import { visitorOf } from '../support/browser/visitors.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { type Given, given } from '../support/given/given.ts';
import { registerClient } from '../support/oidc/oidcLogin.ts';
import { expectAccessible } from '../support/worlds/consoleWorld.ts';

type Json = Record<string, unknown>;

/** A value of a row, whatever it is, as text. */
function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

describe('A secret that is handed over by a link', function () {
  this.timeout(60_000);
  let world: Given;
  let database: pg.Client;

  before(async () => {
    const SVC_DATABASE_URL = await migratedDatabase();
    // The port is known beforehand: it is in what programs are configured with.
    const SVC_PORT = String(await freePort());
    world = await given({
      settings: { SVC_DATABASE_URL, SVC_SOLE_PROCESS: 'false', SVC_PORT },
    });
    database = new pg.Client(SVC_DATABASE_URL);
    await database.connect();
  });

  after(async () => {
    await database.end();
    await world.stop();
  });

  async function operator(method: 'GET' | 'POST', path: string, body: object = {}): Promise<Json> {
    const answer = await world.operators.call(method, path, method === 'GET' ? undefined : body);
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
    return answer.body;
  }

  async function aParty() {
    const body = { relyingPartyName: `Банк ${Math.random().toString(36).slice(2, 8)}` };
    const party = await operator('POST', '/relying-parties', body);
    const id = String(party['relyingPartyUUID']);
    return { id, secret: String(party['apiSecret']), path: `/relying-parties/${id}` };
  }

  async function linkOf(path: string): Promise<string> {
    return String((await operator('POST', `${path}/hand-over-secret`))['handOverPath']);
  }

  const take = (link: string) =>
    call(`${world.origin}/hand-over`, { method: 'POST', body: { token: link.split('#')[1] } });

  async function isLetIn(secret: string): Promise<boolean> {
    const { status } = await call(`${world.origin}/v3/rp/requests`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(status).to.be.oneOf([200, 401]);
    return status === 200;
  }

  it('is told to who presses the button first; looking at the page uses nothing up', async () => {
    const party = await aParty();
    const link = await linkOf(party.path);
    for (const look of ['GET', 'HEAD', 'GET']) {
      expect((await fetch(`${world.origin}${link}`, { method: look })).status).to.equal(200);
    }
    expect(await isLetIn(party.secret)).to.equal(true);
    expect(await operator('GET', party.path))
      .to.have.property('handOverUntil')
      .that.is.a('string');

    const { status, body } = await take(link);

    expect(status).to.equal(200);
    const variables = body['variables'] as Readonly<Record<string, string>>;
    expect(variables).to.include({ RP_API_BASE: world.origin, RP_UUID: party.id });
    expect(body['name']).to.equal(variables['RP_NAME']);
    const secret = variables['RP_SECRET'] ?? '';
    expect(await isLetIn(secret)).to.equal(true);
    await eventually(async () => expect(await isLetIn(party.secret)).to.equal(false));
    expect(await operator('GET', party.path)).to.include({ handOverUntil: null });
    const again = await take(link);
    expect([again.status, again.body['code']]).to.deep.equal([404, 'NOT_FOUND']);
    expect(await isLetIn(secret)).to.equal(true);
  });

  it('is in the audit with its link, and neither in the database', async () => {
    const party = await aParty();
    const link = await linkOf(party.path);
    const { body } = await take(link);
    const secret = (body['variables'] as Readonly<Record<string, string>>)['RP_SECRET'] ?? '';

    const audited = async (type: string) => {
      const { items } = await operator('GET', `/audit?type=${type}&subject=${party.id}`);
      return items as readonly Json[];
    };
    await eventually(async () => expect(await audited('RP_SECRET_ROTATE')).to.have.length(1));
    expect(await audited('RP_SECRET_OFFER')).to.have.length(1);
    expect((await audited('RP_SECRET_ROTATE'))[0]).to.have.nested.property('actor.kind', 'unknown');
    const tables = ['event', 'audit_view', 'relying_party_view', 'relying_party_refusal'];
    let text = '';
    for (const table of tables) {
      const { rows } = await database.query<Json>(`select * from ${table}`);
      text += rows.flatMap(Object.values).map(textOf).join(' ');
    }
    for (const random of [link.split('.')[2], secret.slice('rp_sk_'.length)]) {
      expect(text).not.to.include(random);
    }
  });

  it('opens no more once another link was made, the secret rotated, or its holder deactivated', async () => {
    const ends: readonly ((path: string) => Promise<unknown>)[] = [
      linkOf,
      (path) => operator('POST', `${path}/rotate-secret`),
      (path) => operator('POST', `${path}/deactivate`),
    ];
    for (const end of ends) {
      const party = await aParty();
      const link = await linkOf(party.path);
      await end(party.path);
      expect((await take(link)).status).to.equal(404);
    }
    for (const wrong of ['', 'rp.1.2', `rp.${world.relyingPartyId}.${'A'.repeat(43)}`]) {
      expect((await take(`#${wrong}`)).status, wrong).to.equal(404);
    }
  });

  it('is told to one of two who press at once', async () => {
    const party = await aParty();
    const link = await linkOf(party.path);
    const answers = await Promise.all([take(link), take(link), take(link)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404, 404]);
  });

  it('is an OpenID client’s, too', async () => {
    const { clientId } = await registerClient(world);
    const link = await linkOf(`/oidc-clients/${clientId}`);
    const { body } = await take(link);
    expect(body['variables']).to.include({ OIDC_ISSUER: world.origin, OIDC_CLIENT_ID: clientId });
    expect(body)
      .to.have.nested.property('variables.OIDC_CLIENT_SECRET')
      .that.matches(/^oidc_sk_/);
    expect((await take(link)).status).to.equal(404);
  });

  it('is the first one of a registration, told to nobody before', async () => {
    const name = 'Linked bank';
    const party = await operator('POST', '/relying-parties', {
      relyingPartyName: name,
      byLink: true,
    });
    expect(JSON.stringify(party)).not.to.include('rp_sk_');
    expect(party).to.have.property('handOverUntil', party['until']);
    const { body } = await take(String(party['handOverPath']));
    const variables = body['variables'] as Readonly<Record<string, string>>;
    expect(variables).to.include({ RP_UUID: party['relyingPartyUUID'], RP_NAME: name });
    expect(await isLetIn(variables['RP_SECRET'] ?? '')).to.equal(true);

    const wished = {
      relyingPartyUUID: party['relyingPartyUUID'],
      name,
      redirectUris: ['https://linked.example/callback'],
      byLink: true,
    };
    const client = await operator('POST', '/oidc-clients', wished);
    expect(client).not.to.have.property('clientSecret');
    const taken = await take(String(client['handOverPath']));
    expect(taken.body)
      .to.have.nested.property('variables.OIDC_CLIENT_SECRET')
      .that.matches(/^oidc_sk_/);
    const without = { ...wished, authMethod: 'none' };
    const refused = await world.operators.call('POST', '/oidc-clients', without);
    expect([refused.status, refused.body['code']]).to.deep.equal([409, 'CONFLICT']);
  });

  describe('in Chromium', () => {
    let browser: Browser;

    before(async function () {
      const launched = await launchChromium();
      if (launched === null) return this.skip();
      browser = launched;
    });

    after(() => leaveChromium(browser));

    it('is shown once, with what a program is configured with; afterwards the page says what to do', async () => {
      const party = await aParty();
      const link = await linkOf(party.path);
      const visitor = await visitorOf(browser, world.origin, { language: 'en', width: 360 });
      const { page } = visitor;
      await visitor.open(link);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Show the secret' }).click();
      const shown = page.getByRole('region', { name: "Your program's settings" });
      await shown.waitFor();
      await expectAccessible(page);
      expect(await shown.innerText()).to.match(/^RP_API_BASE='[^']+'\nRP_UUID='[^']+'\n/);
      const [, secret = ''] = /RP_SECRET='([^']+)'/.exec(await shown.innerText()) ?? [];
      expect(await isLetIn(secret)).to.equal(true);
      expect(visitor.faults).to.deep.equal([]);

      await page.reload();
      await page.getByRole('button', { name: 'Show the secret' }).click();
      await page.getByRole('alert').getByText('Ask for a new one.').waitFor();
      await expectAccessible(page);
      expect(await shown.isVisible()).to.equal(false);

      await page.goto(`${world.origin}/hand-over?lang=mn`);
      await page.getByRole('alert').getByText('Холбоос дутуу байна').waitFor();
      await visitor.leave();
    });

    it('says what to do where scripts are off or do not come', () =>
      expectScriptlessNotices(browser, `${world.origin}/hand-over`));
  });
});
