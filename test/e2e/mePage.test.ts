import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import { firstLook, looksAt } from '../support/browser/pageLooks.ts';
import type { Visitor } from '../support/browser/visitors.ts';
import {
  agree,
  logInByPush,
  type LoginWorld,
  openLoginWorld,
} from '../support/worlds/loginWorld.ts';

const owner = '110000000001';
const second = '110000000002';
const fourth = '110000000004';

describe('The page of a citizen', function () {
  this.timeout(240_000);
  let world: LoginWorld;
  let stop = (): Promise<void> => Promise.resolve();
  let address: string;

  before(async function () {
    const settings = { SVC_PUSH_BLOCK_HOURS: '24', SVC_HELP_LINE: '1800-1882' };
    world = (await openLoginWorld([second], settings)) ?? this.skip();
    stop = world.stop;
    address = `${world.origin}/me`;
  });

  afterEach(() => world.leave());
  after(() => stop());

  async function logInHere({ page }: Visitor, id: string): Promise<void> {
    await page.goto(address);
    await page.locator('#log-in').click();
    await logInByPush({ page }, id);
    await page.locator('#phones').waitFor();
  }

  /** Status of a request by the browser of a visitor. */
  async function statusOf({ page }: Visitor, path: string, form?: Record<string, string>) {
    const sent = { maxRedirects: 0, failOnStatusCode: false };
    const answer =
      form === undefined
        ? await page.request.get(`${world.origin}${path}`, sent)
        : await page.request.post(`${world.origin}${path}`, { ...sent, form });
    return answer.status();
  }

  const hrefOf = async ({ page }: Visitor, selector: string) =>
    (await page.locator(selector).first().getAttribute('href')) ?? '';

  for (const language of ['mn', 'en'] as const) {
    it(`is accessible and fits in both themes and widths: ${language}`, async () => {
      const visitor = await world.visit(firstLook[language]);
      const { page } = visitor;
      const look = looksAt(page, 'me', language);
      await page.goto(address);
      await look('before');
      await page.locator('#log-in').click();
      await logInByPush(visitor, owner);
      await page.locator('#phones').waitFor();
      await look('overview');
      await page.locator('a[href^="/me/history/"]').first().click();
      await page.locator('dl').first().waitFor();
      await look('session');
      await page.goto(`${address}/history`);
      await look('history');
      await page.goto(address);
      await page.locator('[data-phone] a').first().click();
      await page.locator('fieldset').waitFor();
      await look('phone');
    });
  }

  it('shows phones, certificates, rights and who asked what, in words', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    await logInHere(visitor, owner);
    const { documentNumber } = world.phones.owner;
    expect(await page.locator(`[data-phone="${documentNumber}"]`).innerText()).to.include(
      'set up on',
    );
    expect(await page.locator('main').innerText()).to.include('Бат-Эрдэнэ');
    expect(await page.locator('section:has(#certificates) li').count()).to.be.at.least(2);
    expect(await page.locator('section:has(#rights) li').innerText()).to.include('Захирал');
    const newest = page.locator('section:has(#history) li').first();
    expect(await newest.innerText())
      .to.include('Login')
      .and.to.include('Confirmed');
    await newest.locator('a').click();
    expect(await page.locator('dl').first().innerText()).to.include('Login to My page');
  });

  it('withdraws a consent: the service is gone from the page, and asks again', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const asked = () => page.locator('button[value=allow]');
    const begun = await world.begin(visitor, { prompt: 'consent', scope: 'openid profile' });
    await logInByPush(visitor, owner);
    await asked().or(page.locator('.pick')).first().waitFor();
    await agree(visitor);
    await world.finish(visitor, begun);
    await page.goto(address);
    const consents = page.locator('section:has(#services) [data-client]');
    await consents.first().waitFor();
    const before = await consents.count();

    await consents
      .first()
      .getByRole('button', { name: /^Withdraw/ })
      .click();

    await page.getByRole('status').waitFor();
    await page.goto(address);
    await page.locator('#services').waitFor();
    expect(await consents.count()).to.equal(before - 1);
  });

  it('ends a phone once PIN1 was given for exactly that, on another phone', async () => {
    const lost = await world.enrol(owner);
    const visitor = await world.visit();
    const { page } = visitor;
    await logInHere(visitor, owner);
    await page.locator(`[data-phone="${lost.documentNumber}"] a`).click();
    await page.getByLabel('lost or stolen').check();
    await page.getByRole('button', { name: 'Confirm with PIN1' }).click();
    await page.getByText('The phone was deactivated').waitFor();
    expect(await page.locator(`[data-phone="${lost.documentNumber}"] a`).count()).to.equal(0);
    const status = await lost.phone.status().catch((error: unknown) => error);
    expect(JSON.stringify(status)).not.to.include('"active":true');
  });

  it('N6: lets no phone that was just set up end an older one', async () => {
    const sixth = '110000000006';
    const older = await world.enrol(sixth);
    const newer = await world.enrol(sixth);
    const answering = startScriptedPhones([{ ...newer, outcome: 'OK' }]);
    const visitor = await world.visit();
    const { page } = visitor;
    await logInHere(visitor, sixth);
    const end = page.locator(`[data-phone="${older.documentNumber}"] a`);
    await end.click();
    await page.getByRole('button', { name: 'Confirm with PIN1' }).click();
    await page.locator('[data-failure=tooNew]').waitFor();
    await answering.stop();
    await page.goto(address);
    expect(await end.count()).to.equal(1);
  });

  it('leaves the phone as it is when the citizen refuses', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const silent = await world.enrol(fourth);
    const answering = startScriptedPhones([{ ...silent, outcome: 'OK' }]);
    await logInHere(visitor, fourth);
    await answering.stop();
    await page.locator('[data-phone] a').first().click();
    await page.getByRole('button', { name: 'Confirm with PIN1' }).click();
    await page.locator('.code').waitFor();
    const code = await page.locator('.code').innerText();
    const [sessionId = ''] = await silent.phone.inbox({ timeoutMs: 5000 });
    const request = await silent.phone.open(sessionId);
    expect(request.verificationCode).to.equal(code);
    expect(request.interaction?.text).to.include('Deactivate this phone?');
    await silent.phone.refuse(sessionId, 'USER_REFUSED');
    await page.locator('[data-failure=notConfirmed]').waitFor();
    await page.goto(address);
    expect(await page.locator('[data-phone] a').count()).to.equal(1);
  });

  it('tells after "It was not me" what is blocked until when, and lets it be undone', async () => {
    const fifth = '110000000005';
    const phone = await world.enrol(fifth);
    const client = world.client();
    const ask = () =>
      client.auth.notificationByEtsi(`PNOMN-${fifth}`, [
        { type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' },
      ]);
    const answering = startScriptedPhones([{ ...phone, outcome: 'OK' }]);
    const visitor = await world.visit();
    const { page } = visitor;
    await logInHere(visitor, fifth);
    await answering.stop();
    const { documentNumber } = phone;
    expect(await page.locator('main').innerText()).not.to.include(documentNumber);
    const { sessionId } = await ask();
    await phone.phone.open(sessionId);
    await phone.phone.refuse(sessionId, 'USER_REFUSED_NOT_ME');
    // The limits of pushes are told by the read model that the list is made of.
    await until(async () => {
      await page.goto(`${address}/history`);
      return (await page.locator('[data-result=USER_REFUSED_NOT_ME]').count()) > 0;
    });
    expect(await rejection(ask())).to.include({ code: 'RATE_LIMITED' });
    await page.goto(`${address}/history/${sessionId}`);
    const block = page.locator('[data-blocked]');
    expect(await block.innerText()).to.match(/cannot send you requests until \d{4}-\d\d-\d\d/);
    expect(await block.locator('a').getAttribute('href')).to.include(phone.documentNumber);
    expect(await block.innerText()).to.include('1800-1882');
    const other = await world.visit();
    await logInHere(other, second);
    expect(await statusOf(other, `/me/history/${sessionId}/allow`, {})).to.equal(404);
    await page.getByRole('button', { name: 'Allow its requests again' }).click();
    await page.locator('[data-blocked=no]').waitFor();
    expect((await ask()).sessionId).to.be.a('string');
  });

  it('leads back from the login to the page that a link named, and to no page of others', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    await logInHere(visitor, owner);
    const opened = await hrefOf(visitor, 'a[href^="/me/history/"]');
    const anew = await world.visit();
    await anew.page.goto(`${world.origin}${opened}`);
    await anew.page.locator('#log-in').click();
    await logInByPush(anew, owner);
    await anew.page.locator('dl').first().waitFor();
    expect(new URL(anew.page.url()).pathname).to.equal(opened);
    const elsewhere = ['https://evil.example/', '//evil.example', '/me/../oidc/logout', '/mean'];
    for (const state of elsewhere) {
      const path = `/me/return?state=${encodeURIComponent(state)}`;
      const answer = await page.request.get(`${world.origin}${path}`, { maxRedirects: 0 });
      expect(answer.headers()['location'], state).to.equal('/me');
    }
  });

  it('names phones and certificates by when they were set up, and one further phone once', async () => {
    const seventh = '110000000007';
    const first = await world.enrol(seventh);
    await world.enrol(seventh);
    const answering = startScriptedPhones([{ ...first, outcome: 'OK' }]);
    const visitor = await world.visit();
    const { page } = visitor;
    await logInHere(visitor, seventh);
    await answering.stop();
    const named = /Phone in the browser, set up on \d{4}-\d\d-\d\d \d\d:\d\d/u;
    expect(await page.locator('[data-phone]').first().innerText()).to.match(named);
    expect(await page.locator('section:has(#certificates) li').first().innerText()).to.match(named);
    const notices = await page.locator('section:has(#notices) li').allInnerTexts();
    expect(notices.map((each) => named.exec(each)?.[0] ?? each)).to.have.length(1);
    const text = await page.locator('main').innerText();
    expect(text).not.to.match(/[\da-f]{8}-[\da-f]{4}-/u);
  });

  it('opens nothing of another citizen: it is not there', async () => {
    const first = await world.visit();
    await logInHere(first, owner);
    const session = await hrefOf(first, 'a[href^="/me/history/"]');
    const phone = `/me/phones/${world.phones.owner.documentNumber}`;
    expect(await statusOf(first, session)).to.equal(200);
    expect(await statusOf(first, phone)).to.equal(200);
    const sent = { maxRedirects: 0, form: { reason: 'unused' } };
    const asked = await first.page.request.post(`${world.origin}${phone}/end`, sent);
    const ending = asked.headers()['location'] ?? '';
    expect(ending).to.match(/^\/me\/phones\/.+\/end\/.+$/);

    const other = await world.visit();
    await logInHere(other, second);
    for (const path of [session, phone, ending, `${phone}/end/${randomUUID()}`]) {
      expect(await statusOf(other, path), path).to.equal(404);
    }
    expect(await statusOf(other, `${phone}/end`, { reason: 'lost' })).to.equal(404);
    expect(await statusOf(other, `${ending}/status`)).to.equal(404);
  });

  it('shows who is not logged in nothing but the way to log in, and takes no form of another site', async () => {
    const stranger = await world.visit();
    const phone = `/me/phones/${world.phones.owner.documentNumber}`;
    for (const path of ['/me', '/me/history', `/me/history/${randomUUID()}`, phone]) {
      const answer = await stranger.page.request.get(`${world.origin}${path}`);
      const text = await answer.text();
      expect(text).to.include('id="log-in"');
      expect(text).not.to.include('data-phone').and.not.to.include('<form');
    }
    const visitor = await world.visit();
    await logInHere(visitor, owner);
    const foreign = await visitor.page.request.post(`${world.origin}${phone}/end`, {
      form: { reason: 'lost' },
      headers: { origin: 'https://evil.example' },
    });
    expect(foreign.status()).to.equal(403);
  });
});
