import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as openid from 'openid-client';
import { answerAsScripted } from '../../apps/phone/scripted.ts';
import { call } from '../../main/drill/callers.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { type Given, given } from '../support/given/given.ts';
import type { DemoPhone } from '../support/installation/demoInstallation.ts';
import { discoverAs, logIn, registerClient } from '../support/oidc/oidcLogin.ts';

const grantType = 'urn:openid:params:grant-type:ciba';

/** Answer to a request (OpenID Connect CIBA Core §7.3), with the code to display. */
type Asked = openid.BackchannelAuthenticationResponse & { readonly verification_code?: string };

async function oauthErrorOf(work: Promise<unknown>): Promise<string> {
  const error = await rejection(work);
  return error instanceof openid.ResponseBodyError ? error.error : String(error);
}

describe('Citizens asked on their phones by an OpenID Connect client (CIBA)', function () {
  this.timeout(60_000);
  let world: Given<'citizen' | 'another'>;
  let client: openid.Configuration;
  let citizen: DemoPhone;

  before(async () => {
    world = await given({ phones: { citizen: '110000000001', another: '110000000002' } });
    citizen = world.phones.citizen;
    client = await clientOf({ backchannelTokenDeliveryMode: 'poll' });
  });

  after(() => world.stop());

  async function clientOf(settings: Parameters<typeof registerClient>[1]) {
    return discoverAs(world.service.origin, await registerClient(world, settings));
  }

  const ask = (parameters: Readonly<Record<string, string>>, asking = client): Promise<Asked> =>
    openid.initiateBackchannelAuthentication(asking, {
      scope: 'openid',
      login_hint: citizen.citizen.civilId,
      ...parameters,
    });

  /** One poll, without the library's waiting. */
  const poll = (asked: Asked, asking = client) =>
    openid.genericGrantRequest(asking, grantType, { auth_req_id: asked.auth_req_id });

  /** The phone has the question, and answers it. @returns what it showed */
  async function answered(
    outcome: DemoPhone['outcome'] = 'OK',
    phone: DemoPhone = citizen,
  ): Promise<{ readonly text: string; readonly code: string }> {
    const [sessionId = ''] = await phone.phone.inbox({ timeoutMs: 10_000 });
    const request = await phone.phone.open(sessionId);
    await answerAsScripted({ ...phone, outcome }, request);
    return { text: JSON.stringify(request.interaction), code: request.verificationCode };
  }

  const isAudited = () =>
    eventually(async () => {
      const { body } = await call(`${world.service.origin}/v3/admin/audit?limit=50`);
      const items = body['items'] as readonly { type: string }[];
      expect(items.filter(({ type }) => type === 'OIDC_LOGIN')).to.have.length(1);
    }, 20_000);

  it('are shown the binding message and pick the code that the client displays', async () => {
    const asked = await ask({ binding_message: 'Дуудлагын төв: 4821' });
    expect(asked).to.include({ interval: 5 });
    expect(asked.expires_in).to.be.within(1, 600);
    const shown = await answered();
    expect(shown.text).to.include('Дуудлагын төв: 4821');
    expect(asked.verification_code).to.equal(shown.code);
    const tokens = await poll(asked);
    const claims = tokens.claims();
    expect(claims).to.include({ acr: 'http://eidas.europa.eu/LoA/high' });
    const { sub = '' } = claims ?? {};
    expect(await openid.fetchUserInfo(client, tokens.access_token, sub)).to.include({ sub });
    await isAudited();
    expect(await oauthErrorOf(poll(asked)), 'used up').to.equal('invalid_grant');
    const again = openid.fetchUserInfo(client, tokens.access_token, sub);
    expect(await rejection(again), 'its tokens end with it').to.be.instanceOf(Error);
  });

  it('are the same to the client as in a browser, and consented there to what it learns', async () => {
    const [{ tokens: before }] = await Promise.all([
      logIn(client, { citizen: '110000000002', parameters: { scope: 'openid profile' } }),
      answered('OK', world.phones.another),
    ]);
    const hint = { login_hint: '110000000002', scope: 'openid profile email' };
    const asked = await ask(hint);
    await answered('OK', world.phones.another);
    const tokens = await poll(asked);
    expect(tokens.claims()?.sub).to.equal(before.claims()?.sub);
    expect(tokens.scope, 'nobody was asked about email').to.equal('openid profile');
    expect(tokens.claims()).to.include.keys('given_name').and.not.to.include.keys('email');
  });

  it('get their client a refresh token where they agreed to it, not where it merely asks', async () => {
    const other = await clientOf({ backchannelTokenDeliveryMode: 'poll' });
    const hint = { login_hint: '110000000002', scope: 'openid offline_access' };
    const given: boolean[] = [];
    for (const scope of ['openid profile', 'openid profile offline_access']) {
      await Promise.all([
        logIn(other, { citizen: '110000000002', parameters: { scope, prompt: 'consent' } }),
        answered('OK', world.phones.another),
      ]);
      const asked = await ask(hint, other);
      await answered('OK', world.phones.another);
      given.push((await poll(asked, other)).refresh_token !== undefined);
    }
    expect(given).to.deep.equal([false, true]);
  });

  it('are known by civil id, registration number and the document number of a phone', async () => {
    for (const hint of [
      `PNOMN-${citizen.citizen.civilId}`,
      citizen.citizen.regNo,
      citizen.documentNumber,
    ]) {
      await ask({ login_hint: hint });
      expect((await answered('USER_REFUSED')).text, hint).to.include('Жишээ портал');
    }
    for (const hint of ['110000000099', 'УУ00000000', 'PNOMN-nobody', ' ']) {
      expect(await oauthErrorOf(ask({ login_hint: hint })), hint).to.match(
        /unknown_user_id|invalid_request/,
      );
    }
  });

  it('refuse, and the client is told; while it waits it is told to slow down', async () => {
    const asked = await ask({});
    expect(await oauthErrorOf(poll(asked))).to.equal('authorization_pending');
    expect(await oauthErrorOf(poll(asked))).to.equal('slow_down');
    await answered('USER_REFUSED');
    const refused = await rejection(openid.pollBackchannelAuthenticationGrant(client, asked));
    expect(refused).to.include({ error: 'access_denied' });
    expect((refused as openid.ResponseBodyError).error_description).to.include('USER_REFUSED');
  });

  it('are not asked by clients that may not, nor with texts that mislead', async () => {
    const web = await clientOf({});
    const withToken = { client_notification_token: 'any' };
    expect(await oauthErrorOf(ask(withToken, web))).to.equal('unauthorized_client');
    for (const message of ['a'.repeat(201), 'Pay\u202e', 'Раураl']) {
      const error = await oauthErrorOf(ask({ binding_message: message }));
      expect(error, message).to.equal('invalid_binding_message');
    }
    const details = JSON.stringify([{ type: 'payment_initiation' }]);
    expect(await oauthErrorOf(ask({ authorization_details: details }))).to.match(/invalid_/);
    expect(await citizen.phone.inbox({ timeoutMs: 0 })).to.deep.equal([]);
  });

  it('give nothing to another client that has the number of the request', async () => {
    const other = await clientOf({ backchannelTokenDeliveryMode: 'poll' });
    const asked = await ask({});
    await answered();
    expect(await oauthErrorOf(poll(asked, other))).to.equal('invalid_grant');
  });

  it('are asked by signed requests alone where FAPI-CIBA demands it', async () => {
    for (const alg of ['ES256', 'EdDSA'] as const) await expectSigned(alg);
  });

  async function expectSigned(alg: 'ES256' | 'EdDSA') {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const { kty = '', crv = '', x = '', y } = await exportJWK(publicKey);
    const issued = await registerClient(world, {
      redirectUris: ['https://bank.example/callback'],
      scopes: ['openid', 'profile'],
      authMethod: 'private_key_jwt',
      keys: [{ kty, crv, x, ...(y !== undefined && { y }), kid: 'one', use: 'sig' }],
      securityProfile: 'fapi2',
      backchannelTokenDeliveryMode: 'poll',
    });
    const { clientId } = issued;
    const { origin } = world.service;
    const sign = (claims: object) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg, kid: 'one' })
        .setIssuer(clientId)
        .setAudience(origin)
        .setJti(crypto.randomUUID())
        .setIssuedAt()
        .setNotBefore('0s')
        .setExpirationTime('1m')
        .sign(privateKey);
    const send = async (fields: Readonly<Record<string, string>>) => {
      const response = await fetch(`${origin}/oidc/backchannel`, {
        method: 'POST',
        body: new URLSearchParams({
          ...fields,
          client_id: clientId,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await sign({ sub: clientId }),
        }),
      });
      return (await response.json()) as Readonly<Record<string, unknown>>;
    };
    const question = { scope: 'openid', login_hint: citizen.citizen.civilId };
    expect(await send(question), alg).to.include({ error: 'invalid_request' });
    const taken = await send({ request: await sign(question) });
    expect(taken, alg).to.include.keys('auth_req_id', 'verification_code');
    await answered();
  }

  describe('by a client that is pinged', () => {
    let receiver: Server;
    const pings: { readonly authorization: string | undefined; readonly body: string }[] = [];
    /** Statuses of the next answers; 204 afterwards. */
    const statuses: number[] = [];

    before(async () => {
      receiver = createServer((request, response) => {
        void bodyOf(request).then((body) => {
          pings.push({ authorization: request.headers.authorization, body });
          response.writeHead(statuses.shift() ?? 204).end();
        });
      });
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    });

    after(() => receiver.close());

    it('let it know once they have answered, again until it takes it', async () => {
      const { port } = receiver.address() as AddressInfo;
      const pinged = await clientOf({
        redirectUris: [],
        postLogoutRedirectUris: [],
        backchannelTokenDeliveryMode: 'ping',
        backchannelClientNotificationEndpoint: `http://127.0.0.1:${port}/ping`,
      });
      statuses.push(500);
      const token = 'a-bearer-token-of-the-client';
      const asked = await ask({ client_notification_token: token }, pinged);
      expect(pings).to.deep.equal([]);
      await answered();
      await eventually(() => {
        expect(pings).to.have.length(2);
        return Promise.resolve();
      }, 20_000);
      for (const ping of pings) {
        expect(ping.authorization).to.equal(`Bearer ${token}`);
        expect(JSON.parse(ping.body)).to.deep.equal({ auth_req_id: asked.auth_req_id });
      }
      const tokens = await poll(asked, pinged);
      expect(decodeJwt(tokens.id_token ?? '').aud).to.equal(pinged.clientMetadata().client_id);
    });
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
