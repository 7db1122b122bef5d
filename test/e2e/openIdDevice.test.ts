import { expect } from 'chai';
import * as openid from 'openid-client';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { type Given, given } from '../support/given/given.ts';
import { createOidcBrowser, type OidcBrowser, type Shown } from '../support/oidc/oidcBrowser.ts';
import { answer, discoverAs, registerClient } from '../support/oidc/oidcLogin.ts';

const citizen = '110000000001';
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

describe('A device without a browser (RFC 8628)', function () {
  this.timeout(60_000);
  let demo: Given<'citizen'>;
  let device: openid.Configuration;

  before(async () => {
    demo = await given({ phones: { citizen }, answering: ['citizen'] });
    device = await clientOf({ deviceFlow: true, redirectUris: [], authMethod: 'none' });
  });

  after(() => demo.stop());

  async function clientOf(settings: Partial<OidcClientSettings>) {
    const named = { name: 'Зурагт', nameEn: 'Television', postLogoutRedirectUris: [] };
    return discoverAs(demo.service.origin, await registerClient(demo, { ...named, ...settings }));
  }

  const ask = () => openid.initiateDeviceAuthorization(device, { scope: 'openid profile' });

  /** Asks for the tokens once. @returns them, or the OAuth error */
  async function poll({ device_code: code }: openid.DeviceAuthorizationResponse) {
    const response = await fetch(`${demo.service.origin}/oidc/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: device.clientMetadata().client_id,
        grant_type: grantType,
        device_code: code,
      }),
    });
    return (await response.json()) as Readonly<Record<string, unknown>>;
  }

  const page = () => `${demo.service.origin}/device`;
  const xsrfIn = ({ text }: Shown) => /name="xsrf"\s+value="([^"]+)"/.exec(text)?.[1] ?? '';

  /** Types a code. @returns what is asked or said then */
  async function type(browser: OidcBrowser, code: string): Promise<Shown> {
    const shown = await browser.open(page());
    return browser.submit(page(), { xsrf: xsrfIn(shown), user_code: code });
  }

  /** Answers the question of a device with yes, and goes through login and consent. */
  async function connect(browser: OidcBrowser, asked: Shown, code: string): Promise<Shown> {
    let shown = await browser.submit(page(), {
      xsrf: xsrfIn(asked),
      user_code: code,
      confirm: 'yes',
    });
    for (let step = 0; step < 12 && shown.url.includes('/login/'); step += 1) {
      shown = await answer(browser, shown, { citizen });
    }
    return shown;
  }

  it('logs in who types its code, whatever they write between the letters, and once', async () => {
    const begun = await ask();
    expect(begun.user_code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(begun.verification_uri).to.equal(page());
    expect(begun.expires_in).to.equal(600);
    expect(await poll(begun)).to.include({ error: 'authorization_pending' });
    const browser = createOidcBrowser();
    const asked = await type(browser, begun.user_code.replace('-', ' ').toLowerCase());
    expect(asked.text).to.include('Зурагт').and.to.include(begun.user_code);
    const done = await connect(browser, asked, begun.user_code);
    expect(done.text).to.include('Төхөөрөмж холбогдлоо');
    const tokens = await openid.pollDeviceAuthorizationGrant(device, { ...begun, interval: 5 });
    expect(tokens.claims()).to.include({ given_name: 'Бат-Эрдэнэ' });
    const { sub = '' } = tokens.claims() ?? {};
    const told = await openid.fetchUserInfo(device, tokens.access_token, sub);
    expect(told).to.include({ acr: 'http://eidas.europa.eu/LoA/high' });
    const again = await type(createOidcBrowser(), begun.user_code);
    expect(again.text).to.include('id="fault"');
  });

  it('asks at its pace, whichever process it asks', async () => {
    const begun = await ask();
    expect(await poll(begun)).to.include({ error: 'authorization_pending' });
    expect(await poll(begun)).to.include({ error: 'slow_down' });
    expect(await poll(await ask())).to.include({ error: 'authorization_pending' });
  });

  it('is connected by nobody who did not say yes, the code in the address notwithstanding', async () => {
    const begun = await ask();
    const browser = createOidcBrowser();
    const opened = await browser.open(begun.verification_uri_complete ?? '');
    const asked = await browser.submit(page(), {
      xsrf: xsrfIn(opened),
      user_code: begun.user_code,
    });
    expect(asked.text).to.include('name="confirm"');
    const refused = await browser.submit(page(), {
      xsrf: xsrfIn(asked),
      user_code: begun.user_code,
      abort: 'yes',
    });
    expect(refused.text).to.include('Төхөөрөмж холбогдсонгүй');
    expect(await poll(begun)).to.include({ error: 'access_denied' });
  });

  it('takes no answer of another page', async () => {
    const begun = await ask();
    const forged = await createOidcBrowser().submit(page(), {
      user_code: begun.user_code,
      confirm: 'yes',
    });
    expect(forged.status).to.equal(400);
    expect(await poll(begun)).to.include({ error: 'authorization_pending' });
  });

  it('is of clients registered for it alone', async () => {
    const other = await clientOf({});
    const response = await fetch(`${demo.service.origin}/oidc/device_authorization`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${other.clientMetadata().client_id}:wrong`)}` },
      body: new URLSearchParams({ scope: 'openid' }),
    });
    expect(response.status).to.equal(401);
    const refused = await openid
      .initiateDeviceAuthorization(other, { scope: 'openid' })
      .catch((error: unknown) => error);
    expect(refused).to.include({ error: 'unauthorized_client' });
  });

  it('has a code that nobody guesses: attempts are counted', async () => {
    const browser = createOidcBrowser();
    const unknown = await type(browser, 'BBBB-BBBB');
    expect(unknown.text).to.include('id="fault"');
    let status = unknown.status;
    for (let attempt = 0; attempt < 20 && status === 200; attempt += 1) {
      ({ status } = await type(browser, 'CCCC-CCCC'));
    }
    expect(status).to.equal(429);
    const typed = { xsrf: xsrfIn(unknown), user_code: 'CCCC-CCCC' };
    expect((await browser.submit(`${page()}/`, typed)).status, 'with a slash').to.equal(429);
  });
});
