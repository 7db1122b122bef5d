import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  ApiError,
  AuthenticationError,
  buildAcspV2Payload,
  ConfigurationError,
  EidClient,
  ForbiddenError,
  NetworkError,
  randomChallenge,
  RateLimitedError,
  sha256Base64,
} from '../../client/index.ts';

const apiSecret = 'rp_sk_very_secret';
const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;
const notification = { sessionID: 's1', vc: { type: 'alphaNumeric4', value: '0071' } };
const link = {
  sessionID: 's2',
  sessionToken: 'T',
  sessionSecret: 'S',
  deviceLinkBase: 'https://link',
  vc: '1234',
};

interface Seen {
  url: string;
  init: RequestInit & { dispatcher?: unknown };
}

function service(...answers: readonly [status: number, body: unknown][]) {
  const seen: Seen[] = [];
  const fetchImpl = ((url: string, init: RequestInit) => {
    seen.push({ url, init });
    const [status, body] = answers[Math.min(seen.length, answers.length) - 1] ?? [200, {}];
    return Promise.resolve(
      new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }),
    );
  }) as typeof fetch;
  const client = new EidClient({
    baseUrl: 'https://rp.example/',
    credentials: { rpUUID: 'u1', rpName: 'DEMO', apiSecret },
    fetchImpl,
  });
  const bodyOf = (index: number) =>
    JSON.parse(seen[index]?.init.body as string) as Record<string, unknown>;
  return { client, seen, bodyOf, fetchImpl };
}

describe('The client library', () => {
  describe('with settings from the environment', () => {
    const environment = {
      RP_API_BASE: 'https://rp.example',
      RP_UUID: 'u1',
      RP_NAME: 'DEMO',
      RP_SECRET: apiSecret,
      TRUST_ANCHORS: 'package.json',
    };

    it('sends them', async () => {
      const { seen, bodyOf, fetchImpl } = service([200, notification]);
      await EidClient.fromEnv({ fetchImpl }, environment).auth.notificationByEtsi('PNOMN-1', [
        ...interactions,
      ]);
      expect(seen[0]?.url).to.match(/^https:\/\/rp\.example\/v3\//);
      expect(seen[0]?.init.headers).to.include({ authorization: `Bearer ${apiSecret}` });
      expect(bodyOf(0)).to.include({ relyingPartyUUID: 'u1', relyingPartyName: 'DEMO' });
    });

    it('names every variable that is missing, and a file that is', () => {
      const incomplete = { ...environment, RP_UUID: undefined, RP_SECRET: '' };
      expect(() => EidClient.fromEnv({}, incomplete)).to.throw(
        ConfigurationError,
        'RP_UUID, RP_SECRET',
      );
      const elsewhere = { ...environment, TRUST_INTERMEDIATES: 'nowhere.pem' };
      expect(() => EidClient.fromEnv({}, elsewhere)).to.throw(
        ConfigurationError,
        'TRUST_INTERMEDIATES',
      );
    });
  });

  it('tells a reached limit from other refusals', async () => {
    const problem = { code: 'RATE_LIMITED', title: 'Too many requests to this citizen.' };
    const refused = service([429, problem]).client.auth.notificationByEtsi('PNOMN-1', [
      ...interactions,
    ]);
    const error = await refused.catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(RateLimitedError).and.instanceOf(ApiError);
    expect(error).to.include({ status: 429, code: 'RATE_LIMITED' });
    expect((error as Error).message).to.include('this citizen');
  });

  it('refuses an address and a secret that are empty or missing', () => {
    const credentials = { rpUUID: 'u1', rpName: 'DEMO', apiSecret };
    // Undefined, like an environment variable that is not set.
    for (const nothing of ['', ' ', undefined as unknown as string]) {
      expect(() => new EidClient({ baseUrl: nothing, credentials })).to.throw(
        ConfigurationError,
        'baseUrl',
      );
      const secretless = { ...credentials, apiSecret: nothing };
      expect(() => new EidClient({ baseUrl: 'https://x', credentials: secretless })).to.throw(
        ConfigurationError,
        'apiSecret',
      );
    }
  });

  it('starts an authentication by push with a fresh challenge', async () => {
    const { client, seen, bodyOf } = service([200, notification]);
    const session = await client.auth.notificationByEtsi('PNOMN-уб90010112', interactions);
    expect(session).to.deep.include({ sessionId: 's1', vc: notification.vc });
    expect(Buffer.from(session.rpChallenge, 'base64')).to.have.length(64);
    expect(seen[0]?.url).to.equal(
      `https://rp.example/v3/authentication/notification/etsi/${encodeURIComponent('PNOMN-уб90010112')}`,
    );
    expect(seen[0]?.init.headers).to.include({ authorization: `Bearer ${apiSecret}` });
    expect(bodyOf(0)).to.deep.equal({
      relyingPartyUUID: 'u1',
      relyingPartyName: 'DEMO',
      certificateLevel: 'QUALIFIED',
      signatureProtocol: 'ACSP_V2',
      interactions,
      rpChallenge: session.rpChallenge,
    });
    const again = await client.auth.notificationByDocument('d1', interactions);
    expect(again.rpChallenge).not.to.equal(session.rpChallenge);
    expect(seen[1]?.url).to.match(/\/v3\/authentication\/notification\/document\/d1$/);
  });

  it('starts an authentication by device link', async () => {
    const { client, seen, bodyOf } = service([200, link]);
    const session = await client.auth.deviceLinkAnonymous(interactions, {
      callbackUrl: 'https://rp.example/back?state=1',
      certificateLevel: 'ADVANCED',
    });
    expect(session).to.include({ sessionId: 's2', sessionToken: 'T', sessionSecret: 'S' });
    expect(seen[0]?.url).to.match(/\/v3\/authentication\/device-link\/anonymous$/);
    expect(bodyOf(0)).to.include({
      initialCallbackUrl: 'https://rp.example/back?state=1',
      certificateLevel: 'ADVANCED',
    });
    await client.auth.deviceLinkByEtsi('110000000001', interactions);
    expect(seen[1]?.url).to.match(/\/authentication\/device-link\/etsi\/110000000001$/);
  });

  it('starts signatures over a digest and over a text', async () => {
    const { client, seen, bodyOf } = service([200, notification]);
    const session = await client.sign.digestByEtsi('110000000001', 'AAAA', interactions);
    expect(session.rpChallenge).to.equal('');
    expect(bodyOf(0)).to.include({ digest: 'AAAA', hashType: 'SHA256' });
    expect(seen[0]?.url).to.match(/\/v3\/signature\/notification\/etsi\/110000000001$/);
    await client.sign.digestByDocument('d1', 'AAAA', interactions, { hashType: 'SHA512' });
    expect(bodyOf(1)).to.include({ hashType: 'SHA512' });
    expect(seen[1]?.url).to.match(/\/v3\/signature\/notification\/document\/d1$/);
    await client.sign.textByEtsi('110000000001', 'hello', interactions);
    expect(bodyOf(2)).to.include({ digest: sha256Base64('hello') });
  });

  it('starts a same-device signature', async () => {
    const { client, seen } = service([200, link]);
    await client.sign.deviceLinkByDocument('d1', 'AAAA', interactions);
    expect(seen[0]?.url).to.match(/\/v3\/signature\/device-link\/document\/d1$/);
  });

  it('flattens a polled session and reads the older person fields', async () => {
    const { client, seen } = service([
      200,
      {
        state: 'COMPLETE',
        result: { endResult: 'OK', documentNumber: 'd1' },
        signature: {
          value: 'c2ln',
          signatureAlgorithm: 'rsassa-pss',
          signatureAlgorithmParameters: {
            hashAlgorithm: 'SHA-512',
            maskGenAlgorithm: { algorithm: 'id-mgf1', parameters: { hashAlgorithm: 'SHA-512' } },
            saltLength: 64,
            trailerField: '0xbc',
          },
          serverRandom: 'cmFuZG9t',
          userChallenge: 'challenge',
          flowType: 'QR',
        },
        signatureProtocol: 'ACSP_V2',
        cert: { value: 'Y2VydA==', certificateLevel: 'QUALIFIED' },
        interactionTypeUsed: 'displayTextAndPIN',
        person: { givenName: 'Болд', surname: 'Дорж', geID: 7 },
        onBehalfOf: { orgEtsi: 'NTRMN-1', orgName: 'Org', role: null, rightType: null },
        riskSignals: { platform: 'SOMETHING_NEWER', osVersion: '15', rooted: false, newer: 1 },
      },
    ]);
    expect(await client.session.poll('s1')).to.deep.equal({
      riskSignals: { platform: null, osVersion: '15', rooted: false },
      state: 'COMPLETE',
      endResult: 'OK',
      progress: null,
      signatures: [],
      documentNumber: 'd1',
      certificateDerB64: 'Y2VydA==',
      certificateLevel: 'QUALIFIED',
      signatureValueB64: 'c2ln',
      signatureAlgorithm: 'rsassa-pss',
      interactionTypeUsed: 'displayTextAndPIN',
      signatureProtocol: 'ACSP_V2',
      signatureAlgorithmParameters: {
        hashAlgorithm: 'SHA-512',
        maskGenAlgorithm: { algorithm: 'id-mgf1', hashAlgorithm: 'SHA-512' },
        saltLength: 64,
        trailerField: '0xbc',
      },
      serverRandom: 'cmFuZG9t',
      userChallenge: 'challenge',
      flowType: 'QR',
      person: {
        firstName: 'Болд',
        lastName: 'Дорж',
        familyName: null,
        firstNameEn: null,
        lastNameEn: null,
        civilId: null,
        regNo: null,
        birthDate: null,
        gender: null,
        geID: 7,
      },
      onBehalfOf: { orgEtsi: 'NTRMN-1', orgName: 'Org', role: null, rightType: null },
    });
    expect(seen[0]?.url).to.equal('https://rp.example/v3/session/s1?timeoutMs=30000');
  });

  it('polls until the session completes', async () => {
    const { client, seen } = service(
      [200, { state: 'RUNNING' }],
      [200, { state: 'COMPLETE', result: { endResult: 'TIMEOUT' } }],
    );
    const result = await client.session.waitForResult('s1', { serverPollMs: 0 });
    expect(result.endResult).to.equal('TIMEOUT');
    expect(seen).to.have.length(2);
  });

  it('returns the last RUNNING result at the deadline', async () => {
    const { client } = service([200, { state: 'RUNNING' }]);
    const result = await client.session.waitForResult('s1', { maxWaitMs: 20, serverPollMs: 5 });
    expect(result.state).to.equal('RUNNING');
  });

  it('turns statuses into errors that carry the problem and never the secret', async () => {
    const problem = { status: 0, title: 'No', error: 'Not so.', code: 'PERSON_NOT_FOUND' };
    for (const [status, type] of [
      [401, AuthenticationError],
      [403, ForbiddenError],
      [404, ApiError],
      [503, ApiError],
    ] as const) {
      const { client } = service([status, problem]);
      const error = await failure(client.session.poll('s1'));
      expect(error).to.be.instanceOf(type);
      expect(error).to.include({ status, code: 'PERSON_NOT_FOUND' });
      expect(inspect(error, { depth: 9, showHidden: true })).not.to.contain(apiSecret);
    }
  });

  it('calls every other trouble a NetworkError', async () => {
    for (const body of ['<html>', '[]', '"text"', '{"state":"ODD"}']) {
      const { client } = service([200, body]);
      expect(await failure(client.session.poll('s1'))).to.be.instanceOf(NetworkError);
    }
    const unreachable = new EidClient({
      baseUrl: 'http://127.0.0.1:1',
      credentials: { rpUUID: 'u1', rpName: 'DEMO', apiSecret },
    });
    const error = await failure(unreachable.session.poll('s1'));
    expect(error).to.be.instanceOf(NetworkError);
    expect(inspect(error, { depth: 9, showHidden: true })).not.to.contain(apiSecret);
  });

  it('gives up on a call that takes longer than its timeout', async () => {
    const client = new EidClient({
      baseUrl: 'https://rp.example/v3/',
      credentials: { rpUUID: 'u1', rpName: 'DEMO', apiSecret },
      timeoutMs: 5,
      fetchImpl: ((_: string, init: RequestInit) =>
        new Promise((_resolve, reject) => {
          init.signal?.addEventListener('abort', () => {
            reject(init.signal?.reason as Error);
          });
        })) as typeof fetch,
    });
    const error = await failure(client.auth.deviceLinkAnonymous(interactions));
    expect(error).to.be.instanceOf(NetworkError);
    expect(error).to.have.property('message').that.contains('5 ms');
  });

  it('shows no secret when printed', () => {
    expect(inspect(service().client, { depth: 9, showHidden: true })).not.to.contain(apiSecret);
    expect(JSON.stringify(service().client)).not.to.contain(apiSecret);
  });

  it('hands the dispatcher to fetch and follows no redirect', async () => {
    const dispatcher = { name: 'agent' };
    let seen: (RequestInit & { dispatcher?: unknown }) | undefined;
    const client = new EidClient({
      baseUrl: 'https://rp.example',
      credentials: { rpUUID: 'u1', rpName: 'DEMO', apiSecret },
      dispatcher,
      fetchImpl: ((_: string, init: RequestInit) => {
        seen = init;
        return Promise.resolve(new Response('{"state":"RUNNING"}'));
      }) as typeof fetch,
    });
    await client.session.poll('s1', 0);
    expect(seen?.dispatcher).to.equal(dispatcher);
    expect(seen?.redirect).to.equal('error');
  });

  it('lays out the ACSP_V2 payload as server and phone do', () => {
    expect(buildAcspV2Payload('AQID', Buffer.of(9)).toString('hex')).to.equal(
      '00000007414353505f563200000003010203' + '0000000109',
    );
    expect(Buffer.from(randomChallenge(), 'base64')).to.have.length(64);
    expect(Buffer.from(randomChallenge(32), 'base64')).to.have.length(32);
  });
});

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}
