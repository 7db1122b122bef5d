import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  checkCallback,
  chooseCode,
  ConfigurationError,
  type DeviceLinkSession,
  EidClient,
  plainDeviceLink,
  SessionFailedError,
  type SessionResult,
  signedDeviceLink,
  ValidationError,
} from '../../client/index.ts';
import { type ContractServer, startContractServer } from '../support/http/contractServer.ts';
import { rejection } from '../support/assertions/rejection.ts';

const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх' }] as const;
const encoded = Buffer.from(JSON.stringify(interactions)).toString('base64');
const push = { body: { sessionID: 's1', vc: { type: 'alphaNumeric5', value: '04191' } } };
const link = {
  body: {
    sessionID: 's1',
    sessionToken: 'wGIrqveE6AuGDATZKmR1mtAZ',
    vc: '04191',
    sessionSecret: 'B98ODiVCebRedSwdTk51zFSaGYyHtY1H2A0ocAi3/Ps=',
    deviceLinkBase: 'https://link.example/device-link',
  },
};
const callbackUrl = 'https://rp.example.mn/auth/eid/callback?state=abc';

describe('The second generation in the client library', () => {
  let server: ContractServer;
  let client: EidClient;

  const connect = (more: object = {}) =>
    new EidClient({
      baseUrl: server.origin,
      credentials: { rpUUID: 'u1', rpName: 'Жишээ', apiSecret: server.apiSecret },
      generation: 'G2',
      ...more,
    });
  const body = (index = 0) =>
    JSON.parse(server.arrived[index]?.body.toString() ?? '{}') as Record<string, unknown>;

  beforeEach(async () => {
    server = await startContractServer();
    client = connect();
  });

  afterEach(() => server.stop());

  it('nests an authentication, and keeps what was sent', async () => {
    server.script(push);
    const session = await client.auth.notificationByEtsi('110000000001', interactions);
    expect(body()).to.deep.equal({
      relyingPartyUUID: 'u1',
      relyingPartyName: 'Жишээ',
      certificateLevel: 'QUALIFIED',
      signatureProtocol: 'ACSP_V2',
      signatureProtocolParameters: {
        rpChallenge: session.rpChallenge,
        signatureAlgorithm: 'rsassa-pss',
        signatureAlgorithmParameters: { hashAlgorithm: 'SHA-512' },
      },
      interactions: encoded,
    });
    expect(session.vc).to.deep.equal(push.body.vc);
    expect(session.request).to.deep.equal({
      schemeName: 'smart-id',
      signatureProtocol: 'ACSP_V2',
      flow: 'notification',
      challengeOrDigest: session.rpChallenge,
      relyingPartyName: 'Жишээ',
      brokeredRpName: '',
      interactions: encoded,
      initialCallbackUrl: '',
      signatureAlgorithm: 'rsassa-pss',
      hashAlgorithm: 'SHA-512',
    });
  });

  it('nests a signature: its hash is that of the digest', async () => {
    server.script(push, push, push, push);
    await client.sign.digestByDocument('d1', 'AAAA', interactions, { hashType: 'SHA384' });
    expect(body()).to.deep.include({
      signatureProtocol: 'RAW_DIGEST_SIGNATURE',
      signatureProtocolParameters: {
        digest: 'AAAA',
        signatureAlgorithm: 'rsassa-pss',
        signatureAlgorithmParameters: { hashAlgorithm: 'SHA-384' },
      },
    });
    for (const [options, hash, name] of [
      [{}, 'sha256', 'SHA-256'],
      [{ hashAlgorithm: 'SHA3-512' }, 'sha3-512', 'SHA3-512'],
      [{ signatureAlgorithm: 'sha384WithRSAEncryption' }, 'sha384', 'SHA-384'],
    ] as const) {
      await client.sign.textByEtsi('1', 'текст', interactions, options);
      const digest = createHash(hash).update('текст').digest('base64');
      const parameters = body(server.arrived.length - 1)['signatureProtocolParameters'];
      expect(parameters).to.deep.include({ digest });
      expect(parameters).to.have.nested.property(
        'signatureAlgorithmParameters.hashAlgorithm',
        name,
      );
    }
  });

  it('sends every option there is', async () => {
    server.script(link);
    await client.sign.deviceLinkByDocument('d1', 'AAAA', interactions, {
      callbackUrl,
      certificateLevel: 'ADVANCED',
      onBehalfOf: 'NTRMN-1234567',
      subsystem: 'Salary',
      fileName: 'гэрээ.pdf',
      nonce: 'n1',
    });
    expect(body()).to.include({
      initialCallbackUrl: callbackUrl,
      certificateLevel: 'ADVANCED',
      onBehalfOf: 'NTRMN-1234567',
      rp_app: 'Salary',
      fileName: 'гэрээ.pdf',
      nonce: 'n1',
    });
  });

  it('is chosen by configuration or by call', async () => {
    server.script(push, push);
    const flat = await client.auth.notificationByEtsi('1', interactions, { generation: 'G1' });
    expect(body()).to.deep.include({ interactions, rpChallenge: flat.rpChallenge });
    expect(flat).not.to.have.property('request');
    const first = connect({ generation: 'G1' });
    const nested = await first.auth.notificationByEtsi('1', interactions, { generation: 'G2' });
    expect(body(1)).to.include({ interactions: encoded });
    expect(nested).to.have.property('request');
  });

  it('is what its interactions need, where none is chosen', async () => {
    server.script(push, push, push);
    const first = connect({ generation: 'G1' });
    const plain = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;
    await first.auth.notificationByEtsi('1', plain);
    expect(body()).to.deep.include({ interactions: plain });

    await first.auth.notificationByEtsi('1', chooseCode('Log in'));

    const sent = (at: number): unknown =>
      JSON.parse(Buffer.from(String(body(at)['interactions']), 'base64').toString());
    const choice = { type: 'confirmationMessageAndVerificationCodeChoice' };
    expect(sent(1)).to.deep.equal([{ ...choice, displayText200: 'Log in' }, ...plain]);
    // Too long for what stands beside the PIN.
    const long = 'Ж'.repeat(61);
    await first.auth.notificationByEtsi('1', chooseCode(long));
    expect(sent(2)).to.deep.equal([{ ...choice, displayText200: long }]);
  });

  describe('of a text alone', () => {
    const unnamed = () => connect({ generation: undefined });
    const shownAt = (at: number): unknown =>
      JSON.parse(Buffer.from(String(body(at)['interactions']), 'base64').toString());
    const plain = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;

    it('has the citizen of a push choose the code', async () => {
      server.script(push, push);
      const login = await unnamed().auth.notificationByEtsi('1', 'Log in');
      await unnamed().sign.digestByEtsi('1', 'AAAA', 'Log in');
      expect(shownAt(0)).to.deep.equal(chooseCode('Log in'));
      expect(shownAt(1)).to.deep.equal(chooseCode('Log in'));
      expect(login).to.have.property('request');
    });

    it('has nothing to choose by a link', async () => {
      server.script(link, link);
      const long = 'Ж'.repeat(61);
      await unnamed().auth.deviceLinkAnonymous('Log in');
      await unnamed().sign.deviceLinkByEtsi('1', 'AAAA', long);
      expect(shownAt(0)).to.deep.equal(plain);
      expect(shownAt(1)).to.deep.equal([{ type: 'confirmationMessage', displayText200: long }]);
    });

    it('is flat for a caller who names the first generation, and in a batch', async () => {
      server.script(push, push, push);
      const documents = [31, 32].map((byte) => ({
        digest: Buffer.alloc(32, byte).toString('base64'),
        displayText60: 'Lease',
      }));
      await connect({ generation: 'G1' }).auth.notificationByEtsi('1', 'Log in');
      await client.auth.notificationByEtsi('1', 'Log in', { generation: 'G1' });
      await unnamed().sign.batchByEtsi('1', documents, 'Log in');
      for (const at of [0, 1, 2]) expect(body(at)).to.deep.include({ interactions: plain });
    });

    it('leaves interactions of the first generation to it', async () => {
      server.script(push);
      await unnamed().auth.notificationByEtsi('1', plain);
      expect(body()).to.deep.include({ interactions: plain });
    });

    it('is refused where it is too long to be shown', async () => {
      for (const [text, generation, most] of [
        ['Ж'.repeat(201), 'G2', '200'],
        ['Ж'.repeat(61), 'G1', '60'],
        ['', 'G2', 'empty'],
      ] as const) {
        const error = await rejection(client.auth.notificationByEtsi('1', text, { generation }));
        expect(error).to.be.instanceOf(ConfigurationError).with.property('message').include(most);
      }
      expect(server.arrived).to.have.length(0);
    });
  });

  it('refuses its options in the first generation', async () => {
    for (const options of [
      { hashAlgorithm: 'SHA-512' },
      { signatureAlgorithm: 'rsassa-pss' },
    ] as const) {
      const call = client.auth.notificationByEtsi('1', interactions, {
        ...options,
        generation: 'G1',
      });
      expect(await rejection(call)).to.be.instanceOf(ConfigurationError);
    }
    expect(server.arrived).to.have.length(0);
  });

  describe('a choice of certificate', () => {
    it('sends nothing to show or sign, and has no code', async () => {
      const withoutCode = { ...link.body, vc: undefined };
      server.script({ body: withoutCode }, { body: { sessionID: 's2' } }, push);
      const choice = await client.sign.certificateChoiceDeviceLink('1', { nonce: 'n1' });
      expect(choice).to.include({ sessionId: 's1', vc: '' });
      expect(body()).to.deep.equal({
        relyingPartyUUID: 'u1',
        relyingPartyName: 'Жишээ',
        certificateLevel: 'QUALIFIED',
        nonce: 'n1',
      });
      expect(signedDeviceLink(choice, { type: 'QR' })).to.contain('sessionType=cert');
      expect(await client.sign.certificateChoiceNotification('1')).to.deep.equal({
        sessionId: 's2',
      });
      await client.sign.linkedDigest(
        { sessionId: 's1', documentNumber: 'd1' },
        'AAAA',
        interactions,
        { generation: 'G1', fileName: 'a.pdf' },
      );
      expect(body(2)).to.include({
        linkedSessionID: 's1',
        signatureProtocol: 'RAW_DIGEST_SIGNATURE',
        fileName: 'a.pdf',
      });
      expect(server.arrived.map(({ path }) => path)).to.deep.equal([
        '/v3/signature/certificate-choice/device-link/etsi/1',
        '/v3/signature/certificate-choice/notification/etsi/1',
        '/v3/signature/notification/linked/d1',
      ]);
    });

    it('takes no option of requests that are confirmed', async () => {
      for (const [option, value] of Object.entries({
        riskSignals: true,
        riskSignalsRequired: true,
      })) {
        const error = await rejection(
          client.sign.certificateChoiceNotification('1', { [option]: value }),
        );
        expect(error).to.be.instanceOf(ConfigurationError);
        expect((error as Error).message).to.include(`options.${option}`);
      }
      expect(server.arrived).to.have.length(0);
    });

    it('is never taken for another visitor’s, who asks with the same words', async () => {
      server.script(link, link, link);
      await client.sign.certificateChoiceAnonymous();
      await client.sign.certificateChoiceAnonymous();
      await client.sign.certificateChoiceAnonymous({ nonce: 'mine' });
      const [one, other, named] = [body(0), body(1), body(2)];
      expect(one['nonce']).to.match(/^.{20,30}$/);
      expect(one['nonce']).not.to.equal(other['nonce']);
      expect(named['nonce']).to.equal('mine');
    });

    it('may be left out: the certificate of a phone, or that it cannot sign', async () => {
      const cert = { value: 'Y2VydA==', certificateLevel: 'QUALIFIED' };
      server.script({ body: { state: 'OK', cert } }, { body: { state: 'DOCUMENT_UNUSABLE' } });
      expect(await client.sign.certificateOf('d1', { certificateLevel: 'ADVANCED' })).to.deep.equal(
        { certificateDerB64: 'Y2VydA==', certificateLevel: 'QUALIFIED' },
      );
      expect(server.arrived[0]?.path).to.equal('/v3/signature/certificate/d1');
      expect(body()).to.deep.equal({
        relyingPartyUUID: 'u1',
        relyingPartyName: 'Жишээ',
        certificateLevel: 'ADVANCED',
      });
      const error = await rejection(client.sign.certificateOf('d1'));
      expect(error).to.be.instanceOf(SessionFailedError);
      expect(error).to.have.property('endResult', 'DOCUMENT_UNUSABLE');
    });
  });

  describe('signed device links', () => {
    const started = async (options = {}): Promise<DeviceLinkSession> => {
      server.script(link);
      return client.auth.deviceLinkAnonymous(interactions, options);
    };
    const authCode = (url: string) => new URL(url).searchParams.get('authCode');

    it('count the seconds of a QR code, each signed anew', async () => {
      const session = await started({ callbackUrl });
      const at = (seconds: number) =>
        signedDeviceLink(session, {
          type: 'QR',
          now: new Date((session.receivedAt ?? 0) + seconds * 1000 + 1),
        });
      expect(at(7)).to.match(
        /^https:\/\/link\.example\/device-link\?deviceLinkType=QR&elapsedSeconds=7&sessionToken=wGIrqveE6AuGDATZKmR1mtAZ&sessionType=auth&version=1\.0&lang=mon&authCode=[\w-]{43}$/,
      );
      expect(authCode(at(7))).not.to.equal(authCode(at(8)));
      expect(new URL(at(-5)).searchParams.get('elapsedSeconds')).to.equal('0');
    });

    it('survive the session store of another process', async () => {
      const session = await started();
      const stored = JSON.parse(JSON.stringify(session)) as DeviceLinkSession;
      const options = { type: 'QR', now: new Date() } as const;
      expect(signedDeviceLink(stored, options)).to.equal(signedDeviceLink(session, options));
    });

    it('name a signature, and a language', async () => {
      server.script(link);
      const session = await client.sign.deviceLinkByEtsi('1', 'AAAA', interactions);
      const url = signedDeviceLink(session, { type: 'Web2App', lang: 'eng' });
      expect(url).to.contain('sessionType=sign').and.to.contain('lang=eng');
      expect(url).not.to.contain('elapsedSeconds');
    });

    it('are not for the first generation, which has links of its own', async () => {
      const session = await started({ generation: 'G1' });
      expect(() => signedDeviceLink(session, { type: 'QR' })).to.throw(ConfigurationError);
      expect(plainDeviceLink(session)).to.equal('tamga://approve?sessionId=s1');
      expect(plainDeviceLink(session, 'app')).to.equal('app://approve?sessionId=s1');
      expect(plainDeviceLink(await started())).to.equal(
        'https://link.example/device-link?sessionId=s1&vc=04191',
      );
    });
  });

  describe('the callback', () => {
    const verifier = 'XtPfaGa8JnGtYrJjboooUf0KfY9sMEHrWFpSQrsUv9c';
    const userChallenge = 'GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00';
    const digest = 'U4CKK13H1XFiyBofev9asqrzIrY5_Gszi_nL_zDKkBc';
    const good = { state: 'abc', sessionSecretDigest: digest, userChallengeVerifier: verifier };
    const returned = (query: Record<string, string>) =>
      new URL(`https://rp.example.mn/auth/eid/callback?${new URLSearchParams(query).toString()}`);

    async function expectation(generation: 'G1' | 'G2' = 'G2') {
      server.script(link, { body: { state: 'COMPLETE', signature: { userChallenge } } });
      const session = await client.auth.deviceLinkAnonymous(interactions, {
        callbackUrl,
        generation,
      });
      const result: SessionResult = await client.session.poll('s1');
      return { session, result, state: 'abc' };
    }

    it('is believed when it is of this session', async () => {
      const expected = await expectation();
      checkCallback(returned(good), expected);
      checkCallback(returned(good).searchParams, expected);
    });

    it('may bring only its state in the first generation', async () => {
      const expected = await expectation('G1');
      checkCallback(returned({ state: 'abc' }), expected);
      expectMismatch(() => checkCallback(returned({ state: 'abd' }), expected));
      const foreign = { state: 'abc', sessionSecretDigest: `${digest.slice(1)}A` };
      expectMismatch(() => checkCallback(returned(foreign), expected));
    });

    it('is refused when any part of it is of another', async () => {
      const expected = await expectation();
      for (const change of [
        { state: 'abd' },
        { sessionSecretDigest: `${digest.slice(1)}A` },
        { userChallengeVerifier: `${verifier}A` },
      ]) {
        expectMismatch(() => checkCallback(returned({ ...good, ...change }), expected));
      }
      for (const name of Object.keys(good)) {
        const without = returned(good);
        without.searchParams.delete(name);
        expectMismatch(() => checkCallback(without, expected));
        const twice = returned(good);
        twice.searchParams.append(name, 'x');
        expectMismatch(() => checkCallback(twice, expected));
      }
      const unanswered = { ...expected, result: { ...expected.result, userChallenge: null } };
      expectMismatch(() => checkCallback(returned(good), unanswered));
    });
  });
});

function expectMismatch(check: () => void): void {
  expect(check).to.throw(ValidationError).with.property('code', 'CALLBACK_MISMATCH');
}
