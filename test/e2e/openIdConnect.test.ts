import { expect } from 'chai';
import * as openid from 'openid-client';
import { type ScriptedPhones, startScriptedPhones } from '../../phone/scripted.ts';
import { type DemoInstallation, startDemoInstallation } from '../support/demoInstallation.ts';
import { discoverAs, logIn, registerClient } from '../support/oidcLogin.ts';

const citizen = '110000000001';

describe('OpenID Connect, with a certified client library', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  let configuration: openid.Configuration;

  before(async () => {
    demo = await startDemoInstallation();
    phones = startScriptedPhones([await demo.enrol(citizen)]);
    const issued = await registerClient(demo);
    configuration = await discoverAs(demo.service.origin, issued);
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  it('logs a citizen in and delivers the claims', async () => {
    const { tokens } = await logIn(configuration, { citizen });
    const claims = tokens.claims();
    expect(claims).to.deep.include({
      name: 'Дорж Бат-Эрдэнэ',
      given_name: 'Бат-Эрдэнэ',
      acr: 'http://eidas.europa.eu/LoA/high',
    });
    const told = await openid.fetchUserInfo(configuration, tokens.access_token, claims?.sub ?? '');
    expect(told).to.include({ sub: claims?.sub, name: 'Дорж Бат-Эрдэнэ', ge_id: 200001 });
  });
});
