import { expect } from 'chai';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type Apache,
  apacheAddresses,
  hasApache,
  startApache,
} from '../support/programs/apache.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { createOidcBrowser, type Shown } from '../support/oidc/oidcBrowser.ts';
import { answer, registerClient } from '../support/oidc/oidcLogin.ts';
import { freePort } from '../../main/drill/freePort.ts';

const citizen = '110000000001';

describe('OpenID Connect, with the module of Apache as Debian has it', function () {
  this.timeout(120_000);
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  let apache: Apache;
  let stop = (): Promise<void> => Promise.resolve();

  before(async function () {
    if (!hasApache()) {
      process.stdout.write('libapache2-mod-auth-openidc is missing: Apache logs nobody in.\n');
      this.skip();
    }
    demo = await startDemoInstallation();
    phones = startScriptedPhones([await demo.enrol(citizen)]);
    const port = await freePort();
    const { redirectUri, loggedOut } = apacheAddresses(port);
    const { clientId, clientSecret } = await registerClient(demo, {
      redirectUris: [redirectUri],
      postLogoutRedirectUris: [loggedOut],
      requirePkce: false,
    });
    const issuer = demo.service.origin;
    apache = await startApache({ issuer, clientId, clientSecret: String(clientSecret), port });
    stop = async () => {
      await apache.stop();
      await phones.stop();
      await demo.stop();
    };
  });

  after(() => stop());

  it('logs a citizen in, gets the claims, renews its tokens, and logs out', async () => {
    const browser = createOidcBrowser();
    const isPrivate = ({ url }: Shown) => url.startsWith(apache.origin);
    let shown = await browser.open(apache.page);
    expect(shown.url, `sent to log in, not ${shown.status} ${shown.text}`).to.match(/\/login\//);
    for (let step = 0; !isPrivate(shown) && step < 12; step += 1) {
      shown = await answer(browser, shown, { citizen }, 'nowhere');
    }
    expect(shown).to.include({ status: 200, text: '<h1>Private</h1>' });
    const headers = apache.arrived.at(-1);
    // Header values are bytes; claims are UTF-8.
    const claim = (name: string) =>
      Buffer.from(String(headers?.[`oidc_claim_${name}`]), 'latin1').toString('utf8');
    expect(claim('given_name')).to.equal('Бат-Эрдэнэ');
    expect(claim('ge_id')).to.equal('200001');
    expect(claim('acr')).to.equal('http://eidas.europa.eu/LoA/high');
    expect(claim('sub')).to.have.length.greaterThan(20);

    const accessToken = () => String(apache.arrived.at(-1)?.['oidc_access_token']);
    const before = accessToken();
    const renewal = new URLSearchParams({ refresh: apache.page, access_token: before });
    const renewed = await browser.open(`${apache.page}callback?${renewal.toString()}`);
    expect(renewed).to.include({ url: apache.page, status: 200 });
    expect(accessToken()).to.have.length.greaterThan(20).and.not.equal(before);

    const goodbye = new URLSearchParams({ logout: `${apache.origin}/bye` });
    const question = await browser.open(`${apache.page}callback?${goodbye.toString()}`);
    expect(question.text).to.contain('name="logout"');
    const [, action = ''] = /action="([^"]+)"/.exec(question.text) ?? [];
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(question.text) ?? [];
    const address = new URL(action, question.url).href;
    const bye = await browser.submit(address, { xsrf, logout: 'yes' });
    expect(bye.url).to.match(/\/bye/);

    const again = await browser.open(apache.page);
    expect(again.url, 'has to log in again').to.match(/\/login\//);
    expect(again.text).to.contain('/start"');
  });
});
