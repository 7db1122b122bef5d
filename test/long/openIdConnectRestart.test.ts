import { expect } from 'chai';
import * as openid from 'openid-client';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { createOidcBrowser, type Shown } from '../support/oidc/oidcBrowser.ts';
import {
  answer,
  beginLogin,
  discoverAs,
  goThroughLogin,
  redirectUri,
  registerClient,
} from '../support/oidc/oidcLogin.ts';
import {
  commonSettings,
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';

const citizen = '110000000001';

describe('OpenID Connect while its process is killed and started again', function () {
  this.timeout(120_000);
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  let provider: ServiceProcess;

  before(async () => {
    demo = await startDemoInstallation({ SVC_SOLE_PROCESS: 'false' });
    phones = startScriptedPhones([await demo.enrol(citizen)]);
    provider = await createServiceProcess({
      ...commonSettings(),
      SVC_DATABASE_URL: demo.databaseUrl,
      SVC_DATA_DIR: demo.directory,
      SVC_ROLES: 'api',
      SVC_LOG_LEVEL: 'info',
    });
    await provider.start();
  });

  after(async () => {
    await provider.kill();
    await phones.stop();
    await demo.stop();
  });

  async function restart(): Promise<void> {
    await provider.kill();
    await provider.start();
  }

  it('loses no login under way, no code, no token and no session', async () => {
    const client = await discoverAs(provider.origin, await registerClient(demo));
    const browser = createOidcBrowser();
    const scope = 'openid profile offline_access';
    const begun = await beginLogin(client, { scope, prompt: 'consent' });
    const choosing = await browser.open(begun.url.href, redirectUri);
    const waiting = await answer(browser, choosing, { citizen });
    await restart();
    let shown: Shown = waiting;
    for (
      let step = 0;
      shown.status === 200 && !shown.text.includes('/consent"') && step < 10;
      step += 1
    ) {
      shown = await answer(browser, shown, { citizen });
    }
    expect(shown.text).to.include('/consent"');
    const callback = new URL((await answer(browser, shown, { citizen })).url);
    await restart();
    const tokens = await openid.authorizationCodeGrant(client, callback, {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
    });
    const sub = tokens.claims()?.sub ?? '';
    expect(await openid.fetchUserInfo(client, tokens.access_token, sub)).to.include({ sub });
    const renewed = await openid.refreshTokenGrant(client, tokens.refresh_token ?? '');
    expect(renewed.access_token).to.be.a('string');
    const again = await beginLogin(client, { scope: 'openid profile', prompt: 'none' });
    const known = await goThroughLogin(browser, again.url, { citizen });
    expect(known.searchParams.get('code')).to.be.a('string');
  });

  it('says what its library has to say in the log, not beside it', () => {
    const lines = provider
      .output()
      .split('\n')
      .filter((line) => line.includes('oidc-provider'));
    for (const line of lines) expect(line.startsWith('{'), line).to.equal(true);
  });

  it('slows down a client that polls one process after the other (CIBA Core §11)', async () => {
    const { documentNumber } = await demo.enrol('110000000002');
    const client = await registerClient(demo, { backchannelTokenDeliveryMode: 'poll' });
    const here = await discoverAs(demo.service.origin, client);
    const there = await discoverAs(provider.origin, client);
    const asked = await openid.initiateBackchannelAuthentication(here, {
      scope: 'openid',
      login_hint: documentNumber,
    });
    const grant = 'urn:openid:params:grant-type:ciba';
    const poll = async (at: openid.Configuration) => {
      const wish = { auth_req_id: asked.auth_req_id };
      const refused = await rejection(openid.genericGrantRequest(at, grant, wish));
      return (refused as openid.ResponseBodyError).error;
    };
    expect(await poll(there)).to.equal('authorization_pending');
    expect(await poll(here)).to.equal('slow_down');
    expect(await poll(there)).to.equal('slow_down');
  });
});
