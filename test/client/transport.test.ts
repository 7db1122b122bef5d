import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  ApiError,
  AuthenticationError,
  type CallOptions,
  ClientError,
  ConfigurationError,
  EidClient,
  type HttpCall,
  NetworkError,
} from '../../client/index.ts';
import { type ContractServer, startContractServer } from '../support/http/contractServer.ts';
import { rejection } from '../support/assertions/rejection.ts';

const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;
const batch = [
  { digest: `${'A'.repeat(43)}=`, displayText60: 'One' },
  { digest: `${'B'.repeat(42)}A=`, displayText60: 'Another' },
];
const person = 'PNOMN-110000000001';
const running = { body: { state: 'RUNNING' } };
const done = { body: { state: 'COMPLETE', result: { endResult: 'TIMEOUT' } } };

describe('The transport of the client library', () => {
  let server: ContractServer;
  let client: EidClient;

  const connect = (apiSecret = server.apiSecret, more: object = {}) =>
    new EidClient({
      baseUrl: server.origin,
      credentials: { rpUUID: 'u1', rpName: 'DEMO', apiSecret },
      ...more,
    });

  beforeEach(async () => {
    server = await startContractServer();
    client = connect();
  });

  afterEach(() => server.stop());

  describe('waiting for a result', () => {
    it('survives cut connections and a service that is unavailable', async () => {
      server.script('CUT', running, 'CUT', { status: 503, body: {} }, 'CUT', done);
      const result = await client.session.waitForResult('s1', { serverPollMs: 0 });
      expect(result.endResult).to.equal('TIMEOUT');
      expect(server.arrived).to.have.length(6);
    });

    it('pauses as long as the service asks', async () => {
      const busy = { status: 429, headers: { 'retry-after': '1' }, body: {} };
      server.script(busy, done);
      const started = performance.now();
      await client.session.waitForResult('s1');
      expect(performance.now() - started).to.be.greaterThan(950);
    });

    it('returns the last RUNNING result when the service went away for good', async () => {
      server.script(running, ...Array<'CUT'>(50).fill('CUT'));
      const result = await client.session.waitForResult('s1', { maxWaitMs: 1200, serverPollMs: 0 });
      expect(result.state).to.equal('RUNNING');
    });

    it('rejects when there was never an answer, and within the deadline', async () => {
      server.script(...Array<'CUT'>(50).fill('CUT'));
      const started = performance.now();
      const error = await rejection(client.session.waitForResult('s1', { maxWaitMs: 600 }));
      expect(error).to.be.instanceOf(NetworkError);
      expect(performance.now() - started).to.be.lessThan(10_000);
      expect(server.arrived.length).to.be.greaterThan(1);
    });

    it('tries nothing again that would fail again', async () => {
      for (const status of [400, 401, 403, 404, 500]) {
        server.script({ status, body: {} }, done);
        const error = await rejection(client.session.waitForResult('s1'));
        expect(error).to.be.instanceOf(ApiError).and.include({ status });
        server.script();
        await client.session.waitForResult('s1');
      }
    });

    it('never repeats what starts something', async () => {
      server.script('CUT');
      expect(await rejection(client.auth.deviceLinkAnonymous(interactions))).to.be.instanceOf(
        NetworkError,
      );
      server.script({ status: 503, body: {} });
      expect(await rejection(client.seal.digest('NTRMN-1234567', 'AAAA'))).to.be.instanceOf(
        ApiError,
      );
      expect(server.arrived).to.have.length(2);
    });
  });

  describe('aborting', () => {
    const calls: Readonly<Record<string, (client: EidClient, options: CallOptions) => unknown>> = {
      'auth.notificationByEtsi': ({ auth }, o) => auth.notificationByEtsi('1', interactions, o),
      'auth.notificationByDocument': ({ auth }, o) =>
        auth.notificationByDocument('1', interactions, o),
      'auth.deviceLinkAnonymous': ({ auth }, o) => auth.deviceLinkAnonymous(interactions, o),
      'auth.deviceLinkByEtsi': ({ auth }, o) => auth.deviceLinkByEtsi('1', interactions, o),
      'auth.deviceLinkByDocument': ({ auth }, o) => auth.deviceLinkByDocument('1', interactions, o),
      'sign.digestByEtsi': ({ sign }, o) => sign.digestByEtsi('1', 'AA==', interactions, o),
      'sign.digestByDocument': ({ sign }, o) => sign.digestByDocument('1', 'AA==', interactions, o),
      'sign.batchByEtsi': ({ sign }, o) => sign.batchByEtsi('1', batch, interactions, o),
      'sign.batchByDocument': ({ sign }, o) => sign.batchByDocument('1', batch, interactions, o),
      'sign.textByEtsi': ({ sign }, o) => sign.textByEtsi('1', 'text', interactions, o),
      'sign.deviceLinkByEtsi': ({ sign }, o) => sign.deviceLinkByEtsi('1', 'AA==', interactions, o),
      'sign.deviceLinkByDocument': ({ sign }, o) =>
        sign.deviceLinkByDocument('1', 'AA==', interactions, o),
      'sign.linkedDigest': ({ sign }, o) =>
        sign.linkedDigest({ sessionId: 's1', documentNumber: '1' }, 'AA==', interactions, o),
      'sign.certificateChoiceAnonymous': ({ sign }, o) => sign.certificateChoiceAnonymous(o),
      'sign.certificateChoiceDeviceLink': ({ sign }, o) => sign.certificateChoiceDeviceLink('1', o),
      'sign.certificateChoiceNotification': ({ sign }, o) =>
        sign.certificateChoiceNotification('1', o),
      'sign.certificateOf': ({ sign }, o) => sign.certificateOf('1', o),
      'session.poll': ({ session }, o) => session.poll('s1', 30_000, o),
      'session.waitForResult': ({ session }, o) => session.waitForResult('s1', o),
      'session.cancel': ({ session }, o) => session.cancel('s1', o),
      'session.follow': ({ session }, o) => session.follow('s1', o),
      'stamp.pdf': ({ stamp }, o) => stamp.pdf('s1', Buffer.from('%PDF-'), o),
      'stamp.prepare': ({ stamp }, o) => stamp.prepare({ id: '1' }, Buffer.from('%PDF-'), o),
      'stamp.prepared': ({ stamp }, o) =>
        stamp.prepared('s1', { preparedId: 'p1', pdf: Buffer.from('%PDF-') }, o),
      'seal.digest': ({ seal }, o) => seal.digest('NTRMN-1', 'AA==', o),
      'seal.pdf': ({ seal }, o) => seal.pdf('NTRMN-1', Buffer.from('%PDF-'), o),
      'seal.certificate': ({ seal }, o) => seal.certificate('NTRMN-1', o),
      'seal.issueCertificate': ({ seal }, o) => seal.issueCertificate('NTRMN-1', o),
      'organization.representations': ({ organization }, o) =>
        organization.representations(person, o),
      'organization.link': ({ organization }, o) =>
        organization.link(person, { orgRegister: '1', orgName: 'x', affiliates: [] }, o),
      'organization.unlink': ({ organization }, o) => organization.unlink(person, '1', o),
      'organization.signers': ({ organization }, o) => organization.signers('1', person, o),
      'organization.addSigner': ({ organization }, o) =>
        organization.addSigner('1', person, { signerRegNo: 'x' }, o),
      'organization.removeSigner': ({ organization }, o) =>
        organization.removeSigner('1', person, 'x', o),
      'organization.resendConfirmation': ({ organization }, o) =>
        organization.resendConfirmation('1', person, 'x', o),
      'organization.setNameLatin': ({ organization }, o) =>
        organization.setNameLatin('1', person, 'X', o),
      'personPki.summary': ({ personPki }, o) => personPki.summary(person, o),
      'personPki.certificates': ({ personPki }, o) => personPki.certificates(person, o),
      'personPki.devices': ({ personPki }, o) => personPki.devices(person, o),
      'personPki.activity': ({ personPki }, o) => personPki.activity(person, o),
    };

    it('is possible in every call there is', () => {
      const apis = [
        'auth',
        'sign',
        'session',
        'stamp',
        'seal',
        'organization',
        'personPki',
      ] as const;
      const methods = apis.flatMap((api) =>
        Object.keys(client[api]).map((method) => `${api}.${method}`),
      );
      expect(Object.keys(calls)).to.have.members(methods);
    });

    for (const [name, call] of Object.entries(calls)) {
      it(`ends ${name}, which rejects with the reason`, async () => {
        server.script('HANG');
        const abort = new AbortController();
        const reason = new Error('The browser went away.');
        const rejected = rejection(call(client, { signal: abort.signal }) as Promise<unknown>);
        while (server.arrived.length === 0) await new Promise(setImmediate);
        abort.abort(reason);
        expect(await rejected).to.equal(reason);
        expect(
          await rejection(call(client, { signal: abort.signal }) as Promise<unknown>),
        ).to.equal(reason);
        expect(server.arrived).to.have.length(1);
      });
    }

    it('ends the pause between two polls', async () => {
      server.script({ status: 503, headers: { 'retry-after': '100' }, body: {} });
      const abort = new AbortController();
      const reason = new Error('Enough.');
      const rejected = rejection(client.session.waitForResult('s1', { signal: abort.signal }));
      while (server.arrived.length === 0) await new Promise(setImmediate);
      setTimeout(() => abort.abort(reason), 20);
      expect(await rejected).to.equal(reason);
    });
  });

  describe('keeping secrets', () => {
    const secret = 'rp_sk_contract_server_secret';
    const shown = (value: unknown) =>
      [
        inspect(value, { depth: 20, showHidden: true, getters: true }),
        JSON.stringify(value),
        value instanceof Error ? `${String(value)} ${String(value.stack)}` : '',
      ].join();

    it('tells none in the error of any status, even when the answer repeats it', async () => {
      for (const status of [400, 401, 403, 404, 500]) {
        const echo = `Bearer ${secret}`;
        server.script({ status, body: { error: echo, code: 'X', errors: [{ detail: echo }] } });
        const error = await rejection(client.session.poll('s1'));
        expect(error).to.be.instanceOf(ClientError);
        expect(shown(error)).to.contain('[secret]').and.not.to.contain(secret);
      }
    });

    it('tells none in the error of a transport that holds the request', async () => {
      const fetchImpl = (_: string, init: RequestInit) => {
        const error = new Error(`cannot send ${JSON.stringify(init.headers)}`, {
          cause: Object.assign(new Error(`because of ${secret}`), { code: 'EODD', request: init }),
        });
        return Promise.reject(Object.assign(error, { request: init }));
      };
      const error = await rejection(connect(secret, { fetchImpl }).session.poll('s1'));
      expect(error).to.be.instanceOf(NetworkError);
      expect(shown(error)).to.contain('EODD').and.not.to.contain(secret);
    });

    it('tells none when a connection is cut, refused or too slow', async () => {
      server.script('CUT');
      const cut = await rejection(client.session.poll('s1'));
      server.script('HANG');
      const slow = await rejection(connect(secret, { timeoutMs: 20 }).personPki.summary(person));
      const gone = await startContractServer();
      await gone.stop();
      const nobody = connect(secret, { baseUrl: gone.origin });
      const refused = await rejection(nobody.session.poll('s1'));
      for (const error of [cut, slow, refused]) {
        expect(error).to.be.instanceOf(NetworkError);
        expect(shown(error)).not.to.contain(secret);
      }
      expect(shown(refused)).to.contain('ECONNREFUSED');
      expect(slow).to.have.property('message').that.contains('20 ms').and.not.contains(person);
    });

    it('names nobody in an error: identifiers are personal data', async () => {
      server.script('CUT');
      const error = await rejection(client.auth.notificationByEtsi(person, interactions));
      expect(shown(error)).to.contain('/authentication/notification/etsi/{id}');
      expect(shown(error)).not.to.contain(person);
    });

    it('refuses a secret that cannot be sent without repeating it', () => {
      for (const broken of [`${secret}\n`, ` ${secret}`, `${secret}é`]) {
        try {
          connect(broken);
          expect.fail('It was accepted.');
        } catch (error) {
          expect(error).to.be.instanceOf(ConfigurationError);
          expect(shown(error)).not.to.contain(secret);
        }
      }
    });

    it('refuses an address with a password, one that takes no path, and a malformed one', () => {
      for (const baseUrl of [
        ...['http://user:pass@host', 'http://host/?tenant=1', 'http://host/#top'],
        ...['ftp://host', 'host:80', 'nonsense'],
      ]) {
        expect(() => connect(secret, { baseUrl })).to.throw(ConfigurationError, 'baseUrl');
      }
    });

    it('shows none of the client, of its parts, or of a device-link session', async () => {
      expect(shown(client)).not.to.contain(secret);
      const link = {
        sessionID: 's1',
        sessionToken: 'the-token',
        sessionSecret: 'the-secret',
        deviceLinkBase: 'https://link',
        vc: '1234',
      };
      for (const generation of ['G1', 'G2'] as const) {
        server.script({ body: link });
        const session = await client.auth.deviceLinkAnonymous(interactions, { generation });
        const printed = inspect({ session }, { depth: 9, showHidden: true });
        expect(printed).to.contain("sessionId: 's1'").and.to.contain('[secret]');
        expect(printed).not.to.match(/the-secret|the-token/);
        expect(session.sessionSecret).to.equal('the-secret');
        expect(JSON.parse(JSON.stringify(session))).to.have.property('sessionSecret', 'the-secret');
      }
    });
  });

  describe('an observer of the calls', () => {
    /** The calls that `work` makes. */
    async function watched(work: (watchedClient: EidClient) => Promise<unknown>) {
      const calls: HttpCall[] = [];
      await work(connect(undefined, { onCall: (call: HttpCall) => calls.push(call) })).catch(
        () => undefined,
      );
      return calls;
    }

    it('receives method, address, bodies, status, request id and duration', async () => {
      server.script({
        headers: {
          'x-request-id': 'r-1',
          'x-trace-id': 't-1',
          'content-type': 'application/json',
        },
        body: { sessionID: 's1', vc: { type: 'alphaNumeric4', value: '1234' } },
      });
      const [call, ...others] = await watched(({ auth }) =>
        auth.notificationByEtsi(person, interactions),
      );
      expect(others).to.deep.equal([]);
      expect(call).to.deep.include({
        method: 'POST',
        route: '/v3/authentication/notification/etsi/{id}',
        path: `/v3/authentication/notification/etsi/${person}`,
        status: 200,
        requestId: 'r-1',
        traceId: 't-1',
      });
      expect(call?.request).to.have.nested.property('value.relyingPartyName', 'DEMO');
      expect(call?.response).to.have.nested.property('value.vc.value', '1234');
      expect(call?.durationMs).to.be.within(0, 30_000);
      expect(Date.now() - (call?.startedAt ?? 0)).to.be.within(0, 30_000);
    });

    it('receives no secret: neither the API secret nor the session secret', async () => {
      const echo = {
        error: `Bearer ${server.apiSecret}`,
        nested: [{ sessionSecret: 'the-secret' }],
      };
      server.script(
        { headers: { 'content-type': 'application/problem+json' }, status: 400, body: echo },
        {
          headers: { 'content-type': 'application/json' },
          body: {
            sessionID: 's1',
            sessionToken: 'the-token',
            sessionSecret: 'the-secret',
            deviceLinkBase: 'https://link',
            vc: '1234',
          },
        },
      );
      const calls = await watched(async ({ auth }) => {
        await auth.deviceLinkAnonymous(interactions).catch(() => undefined);
        await auth.deviceLinkAnonymous(interactions);
      });
      expect(calls.map(({ status }) => status)).to.deep.equal([400, 200]);
      expect(inspect(calls, { depth: 9 }))
        .to.contain('[secret]')
        .and.to.contain('https://link');
      for (const secret of [server.apiSecret, 'the-token', 'the-secret']) {
        expect(inspect(calls, { depth: 9 })).not.to.contain(secret);
      }
    });

    it('receives documents by their length, and calls without a response', async () => {
      const pdf = Buffer.from('%PDF-1.4 original');
      server.script({ headers: { 'content-type': 'application/pdf' }, body: pdf }, 'CUT');
      const [stamp, cut] = await watched(async ({ stamp, session }) => {
        await stamp.pdf('s1', pdf).catch(() => undefined);
        await session.poll('s1');
      });
      const bytes = { type: 'bytes', contentType: 'application/pdf', length: pdf.length };
      expect(stamp).to.deep.include({ request: bytes, response: bytes });
      expect(cut).to.deep.include({
        status: null,
        request: null,
        response: null,
        requestId: null,
        traceId: null,
      });
    });

    it('cannot take the answer away', async () => {
      const clumsy = connect(undefined, {
        onCall: () => {
          throw new Error('I stumbled.');
        },
      });
      server.script(running);
      expect((await clumsy.session.poll('s1', 0)).state).to.equal('RUNNING');
    });

    it('runs where the call was made', async () => {
      const where = new AsyncLocalStorage<string>();
      const seen: unknown[] = [];
      const watching = connect(undefined, { onCall: () => seen.push(where.getStore()) });
      server.script(running, running);
      await Promise.all([
        where.run('one', () => watching.session.poll('s1', 0)),
        where.run('another', () => watching.session.poll('s2', 0)),
      ]);
      expect(seen).to.have.members(['one', 'another']);
    });
  });

  it('knows a wrong secret from other trouble', async () => {
    const error = await rejection(connect('rp_sk_wrong').personPki.summary(person));
    expect(error).to.be.instanceOf(AuthenticationError).and.include({ code: 'UNAUTHENTICATED' });
  });

  it('reads no answer without end', async () => {
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    });
    const fetchImpl = () => Promise.resolve(new Response(endless));
    const error = await rejection(connect(undefined, { fetchImpl }).session.poll('s1'));
    expect(error).to.be.instanceOf(NetworkError);
  });

  it('takes a fetch of one’s own that brings little', async () => {
    const fetchImpl = () =>
      Promise.resolve({
        ok: true,
        status: 200,
        text: () => Promise.resolve('{"state":"RUNNING"}'),
      });
    const result = await connect(undefined, { fetchImpl }).session.poll('s1');
    expect(result.state).to.equal('RUNNING');
  });
});
