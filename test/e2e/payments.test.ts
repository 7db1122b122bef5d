import { expect } from 'chai';
import * as openid from 'openid-client';
import { type PhoneRequest } from '../../apps/phone/session.ts';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { logInSecurely, registerFapiClient } from '../support/oidc/fapiClient.ts';
import { createOidcBrowser, type OidcBrowser } from '../support/oidc/oidcBrowser.ts';
import {
  beginLogin,
  discoverAs,
  logIn,
  redirectUri,
  registerClient,
} from '../support/oidc/oidcLogin.ts';
import { asking, payment } from '../support/oidc/payments.ts';

const citizen = '110000000001';
const authorizationDetailsTypes = ['payment_initiation'] as const;

describe('A payment, authorized with authorization details (RFC 9396)', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  let issued: IssuedClientSecret;
  let client: openid.Configuration;
  /** Requests the phone has answered. */
  const asked: PhoneRequest[] = [];

  before(async () => {
    demo = await startDemoInstallation({});
    phones = startScriptedPhones([await demo.enrol(citizen)], (_phone, event) => {
      if (event.type === 'answered') asked.push(event.request);
    });
    issued = await registerClient(demo, { authorizationDetailsTypes });
    client = await discoverAs(demo.service.origin, issued);
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  beforeEach(() => asked.splice(0));

  async function shownFor(
    parameters: Readonly<Record<string, string>>,
    {
      as = client,
      browser = createOidcBrowser(),
    }: { as?: typeof client; browser?: OidcBrowser } = {},
  ) {
    const { url } = await beginLogin(as, parameters);
    const shown = await browser.open(url.href, redirectUri);
    return { ...shown, back: new URL(shown.url).searchParams };
  }

  it('is shown on the phone, which signs what it shows, and on the pages; the token carries it', async () => {
    const first = await shownFor(asking());
    expect(first.text).to.include('125,000.00 MNT').and.include('Номин дэлгүүр');
    const browser = createOidcBrowser();
    const { tokens } = await logIn(client, { citizen, browser, parameters: asking() });
    const [request] = asked;
    expect(request?.interaction?.text)
      .to.include('125,000.00 MNT')
      .and.include('Номин дэлгүүр')
      .and.include(payment.creditorAccount.iban)
      .and.include('Нэхэмжлэх 2041');
    // Nothing shorter to fall back on, which would not show it all.
    expect(request?.interactions.map(({ type }) => type)).to.deep.equal([
      'confirmationMessageAndVerificationCodeChoice',
    ]);
    expect(tokens['authorization_details']).to.deep.equal([payment]);
    const known = await openid.tokenIntrospection(client, tokens.access_token);
    expect(known['authorization_details']).to.deep.equal([payment]);
  });

  it('needs the phone each time: a login of before authorizes nothing, and nobody is asked unseen', async () => {
    const browser = createOidcBrowser();
    await logIn(client, { citizen, browser, parameters: asking() });
    const again = await shownFor(asking(), { browser });
    expect(again.text).to.include('/start"');
    const unseen = await shownFor({ ...asking(), prompt: 'none' }, { browser });
    expect(unseen.back.get('error')).to.equal('login_required');
    const other = asking({ instructedAmount: { currency: 'MNT', amount: '125000.01' } });
    const { tokens } = await logIn(client, { citizen, browser, parameters: other });
    expect(asked).to.have.length(2);
    expect(asked[1]?.interaction?.text).to.include('125,000.01 MNT');
    expect(tokens['authorization_details']).to.have.nested.property(
      '[0].instructedAmount.amount',
      '125000.01',
    );
  });

  it('is paid once: not when refreshing, and not as another than was authorized', async () => {
    const parameters = { ...asking(), scope: 'openid offline_access', prompt: 'consent' };
    const { tokens } = await logIn(client, { citizen, parameters });
    expect(tokens['authorization_details']).to.deep.equal([payment]);
    const again = await openid.refreshTokenGrant(client, tokens.refresh_token ?? '');
    expect(again).not.to.have.property('authorization_details');
    const more = asking({ instructedAmount: { currency: 'MNT', amount: '900000' } });
    const other = await rejection(
      openid.refreshTokenGrant(client, again.refresh_token ?? '', {
        authorization_details: more.authorization_details,
      }),
    );
    expect(other).to.include({ error: 'invalid_authorization_details' });
  });

  it('is asked by clients that are registered for it, and of a type that is known', async () => {
    const stranger = await discoverAs(demo.service.origin, await registerClient(demo));
    for (const [what, { parameters, as }] of Object.entries({
      'another client': { parameters: asking(), as: stranger },
      'another type': {
        parameters: { scope: 'openid', authorization_details: '[{"type":"account_information"}]' },
        as: client,
      },
      'no amount': {
        parameters: { scope: 'openid', authorization_details: '[{"type":"payment_initiation"}]' },
        as: client,
      },
      'two payments': {
        parameters: { scope: 'openid', authorization_details: JSON.stringify([payment, payment]) },
        as: client,
      },
      'no list': { parameters: { scope: 'openid', authorization_details: '{' }, as: client },
    })) {
      const { back } = await shownFor(parameters, { as });
      expect(back.get('error'), what).to.equal('invalid_authorization_details');
    }
  });

  it('goes with a pushed request and a bound token under FAPI 2.0', async () => {
    const bank = await registerFapiClient(demo, { authorizationDetailsTypes });
    const { tokens } = await logInSecurely(bank, { citizen, parameters: asking() });
    expect(tokens['authorization_details']).to.deep.equal([payment]);
    const known = await openid.tokenIntrospection(bank.configuration, tokens.access_token);
    expect(known).to.have.nested.property('cnf.jkt');
    expect(known['authorization_details']).to.deep.equal([payment]);
  });
});
