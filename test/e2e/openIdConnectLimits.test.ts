import { expect } from 'chai';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { aParty } from '../support/given/wishes.ts';
import { discoverAs, logIn, registerClient } from '../support/oidc/oidcLogin.ts';

const MOST = 20;
const citizen = '110000000001';

describe('Limits of the OpenID Connect provider', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;

  beforeEach(async () => {
    demo = await startDemoInstallation({ SVC_OIDC_REQUESTS_PER_MINUTE: String(MOST) });
  });

  afterEach(() => demo.stop());

  /** Asks about a token that nobody has. */
  async function introspect({ clientId, clientSecret }: IssuedClientSecret, secret = clientSecret) {
    const response = await fetch(`${demo.service.origin}/oidc/introspect`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${String(secret)}`).toString('base64')}`,
      },
      body: new URLSearchParams({ token: 'a token of nobody' }),
    });
    const body = (await response.json()) as Readonly<Record<string, string>>;
    return { status: response.status, body, retryAfter: response.headers.get('retry-after') };
  }

  async function times(count: number, ask: () => ReturnType<typeof introspect>) {
    const statuses = new Set<number>();
    for (let n = 0; n < count; n += 1) statuses.add((await ask()).status);
    return [...statuses];
  }

  it('count per client, so that clients behind one address have one minute each', async () => {
    const one = await registerClient(demo);
    const other = await registerClient(demo, { name: 'Other portal', nameEn: null });
    expect(await times(MOST, () => introspect(one))).to.deep.equal([200]);

    const refused = await introspect(one);

    expect(refused.status).to.equal(429);
    expect(refused.body).to.include({ error: 'temporarily_unavailable' });
    expect(refused.body['error_description']).to.match(
      /^More than 20 requests of this client a minute\. Limited by SVC_OIDC_REQUESTS_PER_MINUTE until \d{4}-/,
    );
    expect(Number(refused.retryAfter)).to.be.within(1, 60);
    expect(await times(MOST / 2, () => introspect(one))).to.deep.equal([429]);
    expect(await times(MOST, () => introspect(other))).to.deep.equal([200]);
  });

  /** Logs in at the client, and asks at UserInfo with the token until that is refused. @returns how often it was not, and why */
  async function askUserInfo(issued: IssuedClientSecret) {
    const phones = startScriptedPhones([await demo.enrol(citizen)]);
    const client = await discoverAs(demo.service.origin, issued);
    const { tokens } = await logIn(client, { citizen, parameters: { scope: 'openid' } });
    await phones.stop();
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    for (let answers = 0; answers <= 2 * MOST; answers += 1) {
      const response = await fetch(`${demo.service.origin}/oidc/userinfo`, { headers });
      const body = (await response.json()) as Readonly<Record<string, string>>;
      if (!('sub' in body)) return { answers, why: body['error_description'] };
    }
    throw new Error('Nothing is refused.');
  }

  it('count UserInfo, asked by whoever is a user of a client, beside what the client itself asks', async () => {
    const issued = await registerClient(demo);

    const { answers, why } = await askUserInfo(issued);

    expect(answers).to.equal(MOST);
    expect(why).to.include(`${MOST} requests of this client a minute`);
    expect(await times(MOST / 2, () => introspect(issued))).to.deep.equal([200]);
  });

  it('count UserInfo of a public client for the address: no user of it uses up the minute of the others', async () => {
    const { answers, why } = await askUserInfo(await registerClient(demo, { authMethod: 'none' }));

    expect(answers).to.be.below(MOST);
    expect(why).to.include(`${MOST} requests a minute`);
  });

  it('count who merely names a client that used up its minute for the address', async () => {
    const client = await registerClient(demo);
    await times(MOST, () => introspect(client));

    await times(MOST, () => introspect(client, 'no secret'));

    const { body } = await introspect(client, 'no secret');
    expect(body['error_description']).to.include(`${MOST} requests a minute`);
  });

  it('hold a relying party to its own limit of questions, and of numbers that it tries', async () => {
    await demo.enrol(citizen);
    const ask = async (hint: string) => {
      const { relyingPartyId } = await demo.service.registerRelyingParty(
        aParty(`Асуугч ${hint}`, ['AUTH'], { requestsPerMinute: 3 }),
      );
      const { clientId, clientSecret } = await registerClient(
        { ...demo, relyingPartyId },
        { backchannelTokenDeliveryMode: 'poll', name: `Асуугч ${hint}`, nameEn: null },
      );
      const errors: unknown[] = [];
      for (let n = 0; n < 4; n += 1) {
        const response = await fetch(`${demo.service.origin}/oidc/backchannel`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${clientId}:${String(clientSecret)}`)}` },
          body: new URLSearchParams({ scope: 'openid', login_hint: hint }),
        });
        if (response.status === 429) {
          expect(Number(response.headers.get('retry-after'))).to.be.within(1, 60);
        }
        errors.push(((await response.json()) as Readonly<Record<string, unknown>>)['error']);
      }
      return errors;
    };

    expect(await ask(citizen)).to.deep.equal([
      ...[undefined, undefined, undefined],
      'temporarily_unavailable',
    ]);
    const unknown = 'unknown_user_id';
    expect(await ask('110000000099')).to.deep.equal([
      ...[unknown, unknown, unknown],
      'temporarily_unavailable',
    ]);
  });

  it('count what proves no client for its address: nobody uses up the minute of a client by naming it', async () => {
    const client = await registerClient(demo);
    expect(await times(MOST - 1, () => introspect(client, 'no secret'))).to.deep.equal([401]);
    expect(await times(MOST - 1, () => introspect(client))).to.deep.equal([200]);

    expect((await introspect(client, 'no secret')).status).to.equal(401);

    const { status, body } = await introspect(client, 'no secret');

    expect(status).to.equal(429);
    expect(body['error_description']).to.match(
      /^More than 20 requests a minute\. Limited by SVC_OIDC_REQUESTS_PER_MINUTE until \d{4}-/,
    );
  });
});
