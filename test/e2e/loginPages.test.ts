import { expect } from 'chai';
import { demoOrganization } from '../../main/cli/demo.ts';
import { until } from '../support/assertions/waiting.ts';
import type { Visitor } from '../support/browser/visitors.ts';
import {
  agree,
  failureOf,
  logInByPush,
  type LoginWorld,
  openLoginWorld,
} from '../support/worlds/loginWorld.ts';
import { expectAccessible } from '../support/worlds/consoleWorld.ts';
import { expectMissingNotice } from '../support/browser/scriptless.ts';
import { scanQrCode } from '../support/browser/qrScan.ts';
import { openAsScripted } from '../support/programs/openAsScripted.ts';

const owner = '110000000001';
const neighbour = '110000000002';
const refusing = '110000000003';
const choosingWrong = '110000000007';
const silent = '110000000008';

describe('The login pages', function () {
  this.timeout(240_000);
  let world: LoginWorld;
  let stop = (): Promise<void> => Promise.resolve();

  before(async function () {
    const answering = [neighbour, refusing, choosingWrong, silent];
    world = (await openLoginWorld(answering, { SVC_SESSION_WINDOW: '15' })) ?? this.skip();
    stop = world.stop;
  });

  afterEach(() => world.leave());
  after(() => stop());

  /** Current content of the QR code on the page. */
  async function scanned({ page }: Visitor): Promise<string> {
    await page.locator('#qr').waitFor();
    const source = `${page.url()}/qr.svg`;
    return scanQrCode(await (await page.request.get(source)).text());
  }

  /** Lets a browser have the answer to the form only after the phone has answered. */
  async function beSlowerThanPhone({ page }: Visitor): Promise<void> {
    const status = `${page.url()}/status`;
    await page.route('**/start', async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      const hasEnded = async () =>
        (await (await page.request.get(status)).text()).includes('ended');
      await until(hasEnded);
      await route.fulfill({ response });
    });
  }

  it('log in by push, ask once for the consent, and not again', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const first = await world.begin(visitor, { scope: 'openid profile', login_hint: owner });
    expect(await page.locator('#id').inputValue(), 'the hint').to.equal(owner);
    await logInByPush(visitor, owner);
    await page.locator('[data-scope=profile] .sensitive').waitFor();
    await agree(visitor);
    const claims = await world.finish(visitor, first);
    expect(claims).to.include({
      given_name: 'Бат-Эрдэнэ',
      acr: 'http://eidas.europa.eu/LoA/high',
    });
    expect(claims['amr']).to.include.members(['pop', 'pin', 'mfa']);

    const again = await world.begin(visitor, { scope: 'openid profile' });
    expect((await world.finish(visitor, again)).sub, 'still logged in').to.equal(claims.sub);

    const elsewhere = await world.visit();
    const third = await world.begin(elsewhere, { scope: 'openid profile' });
    await beSlowerThanPhone(elsewhere);
    await logInByPush(elsewhere, owner);
    expect((await world.finish(elsewhere, third)).sub, 'agreed before').to.equal(claims.sub);
  });

  it('log in in two tabs of a browser, each whoever confirms in it', async () => {
    const one = await world.visit();
    const two = { page: await one.page.context().newPage() };
    const three = { page: await one.page.context().newPage() };
    const wish = { scope: 'openid profile', prompt: 'consent' };
    const begun = [await world.begin(one, wish), await world.begin(two, wish)] as const;
    const other = await world.begin(three, wish);
    await logInByPush(one, owner);
    await one.page.locator('button[value=allow]').waitFor();
    await logInByPush(two, owner);
    await two.page.locator('button[value=allow]').waitFor();
    await agree(one);
    const { sub } = await world.finish(one, begun[0]);
    await agree(two);
    expect(await world.finish(two, begun[1])).to.include({ sub });

    const late = await world.begin(one, wish);
    await one.page.locator('button[value=allow]').waitFor();
    await logInByPush(three, neighbour);
    await agree(three);
    expect((await world.finish(three, other)).sub).not.to.equal(sub);
    await agree(one);
    expect(await failureOf(one), late.state).to.equal('wrongBrowser');
    const again = await world.begin(one, { scope: 'openid' });
    expect((await world.finish(one, again)).sub).not.to.equal(sub);
  });

  it('show what was agreed to before when a client asks for more, and take a part of it', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const begun = await world.begin(visitor, { scope: 'openid profile email documents.read' });
    await logInByPush(visitor, owner);
    await page.locator('[data-scope=profile] .tag', { hasText: 'already allowed' }).waitFor();
    await page.locator('[data-scope="documents.read"] input').uncheck();
    await agree(visitor);
    const claims = await world.finish(visitor, begun);
    expect(claims['name']).to.be.a('string');
  });

  it('log in by a QR code that is renewed, and shows the code to compare', async () => {
    const visitor = await world.visit({ language: 'mn' });
    const { page } = visitor;
    const begun = await world.begin(visitor, { prompt: 'consent' });
    await page.locator('form.qr button').click();
    const first = await scanned(visitor);
    await page.locator('img.qr:not([src$="qr.svg"])').waitFor();
    const second = await scanned(visitor);
    expect(new URL(second).searchParams.get('authCode')).not.to.equal(
      new URL(first).searchParams.get('authCode'),
    );
    const shown = await page.locator('.code').innerText();
    const { request } = await openAsScripted(world.phones.owner, second);
    expect(request.verificationCode).to.equal(shown);
    expect(request.interaction?.text).to.contain('Жишээ портал');
    await agree(visitor);
    expect((await world.finish(visitor, begun))['given_name']).to.equal('Бат-Эрдэнэ');
  });

  it('log in by the app on the same device, in the browser that was sent there alone', async () => {
    const visitor = await world.visit({ width: 360 });
    const { page } = visitor;
    const begun = await world.begin(visitor, { prompt: 'consent' });
    await page.locator('form.app button').click();
    const link = (await page.locator('#open-app').getAttribute('href')) ?? '';
    const { returnTo } = await openAsScripted(world.phones.owner, link);
    await page.getByText('Return to this browser').waitFor();

    const stranger = await world.visit();
    await stranger.page.goto(String(returnTo));
    expect(await failureOf(stranger)).to.equal('wrongBrowser');

    const forged = new URL(String(returnTo));
    forged.searchParams.set('userChallengeVerifier', 'A'.repeat(43));
    await page.goto(forged.href);
    expect(await failureOf(visitor), 'a verifier of another phone').to.equal('wrongBrowser');

    await page.goto(String(returnTo));
    await agree(visitor);
    expect((await world.finish(visitor, begun))['given_name']).to.equal('Бат-Эрдэнэ');
  });

  for (const [what, citizen, failure] of [
    ['a refusal', refusing, 'refused'],
    ['a wrong code', choosingWrong, 'wrongCode'],
    ['no answer', silent, 'timeout'],
  ] as const) {
    it(`say what to do after ${what}, and let try again`, async () => {
      const visitor = await world.visit();
      await world.begin(visitor);
      await logInByPush(visitor, citizen);
      expect(await failureOf(visitor)).to.equal(failure);
      await visitor.page.getByRole('button', { name: 'Try again' }).click();
      await visitor.page.locator('#id').waitFor();
    });
  }

  it('say beside the field what is wrong with a number, and keep what was typed', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const field = page.locator('#id');
    const begun = await world.begin(visitor, { prompt: 'consent' });
    for (const [typed, fault] of [
      ['1100', 'invalidInput'],
      ['199999999999', 'unknownPerson'],
    ] as const) {
      await logInByPush(visitor, typed);
      await page.locator(`#id-fault[data-failure=${fault}]`).waitFor();
      expect(await field.inputValue()).to.equal(typed);
      expect(await field.getAttribute('aria-invalid')).to.equal('true');
      expect(await field.getAttribute('aria-describedby')).to.contain('id-fault');
    }
    await expectAccessible(page);
    await logInByPush(visitor, owner);
    await agree(visitor);
    expect(await world.finish(visitor, begun)).to.include.keys('sub');
  });

  it('say that their scripts did not come', async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    await world.begin(visitor, { scope: 'openid' });
    await expectMissingNotice(page, () => page.locator('form.qr button').click());
  });

  it('go back to the client without a login, and without a consent', async () => {
    const visitor = await world.visit();
    await world.begin(visitor);
    await visitor.page.locator('form[action$="/abort"] button').click();
    expect(await world.refusal(visitor)).to.equal('access_denied');

    await world.begin(visitor, { scope: 'openid directory.read' });
    await logInByPush(visitor, owner);
    await visitor.page.locator('button[value=deny]').click();
    expect(await world.refusal(visitor)).to.equal('access_denied');
  });

  it('ask for whom the citizen acts when the client wants to know', async () => {
    const visitor = await world.visit();
    const begun = await world.begin(visitor, { scope: 'openid profile organization' });
    await logInByPush(visitor, owner);
    await visitor.page.getByText(demoOrganization.name).click();
    await visitor.page.locator('form[action$="/organization"] button').click();
    await agree(visitor);
    expect(await world.finish(visitor, begun)).to.include({
      org_id: `NTRMN-${demoOrganization.register}`,
      org_right: 'ADMIN',
    });
  });

  it('speak the language the client wants, until the reader wants another', async () => {
    const visitor = await world.visit({ language: 'en' });
    const { page } = visitor;
    const heading = page.getByRole('heading', { level: 1 });
    await world.begin(visitor, { ui_locales: 'de mn' });
    expect(await heading.innerText()).to.equal('Жишээ портал системд нэвтрэх');
    await page.getByRole('link', { name: 'English' }).click();
    expect(await heading.innerText()).to.equal('Log in to Example portal');
    await world.begin(visitor, { ui_locales: 'mn' });
    expect(await heading.innerText(), 'chosen before').to.equal('Log in to Example portal');
  });
});
