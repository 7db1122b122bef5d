import { expect } from 'chai';
import { initialRelyingPartySettings } from '../../domain/relyingParty/settings.ts';
import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import type { SessionStarted } from '../../domain/session/events.ts';
import type { StartedSession } from '../../domain/session/session.ts';
import { verificationCode } from '../../domain/shared/digest.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { startTestServer, until } from '../support/http/http.ts';
import {
  authenticationBody,
  certificate,
  civilId,
  device,
  documentNumber,
  identity,
  relyingPartyWorld,
  signatureBody,
  type WorldOptions,
} from '../support/worlds/relyingPartyWorld.ts';
import { Unavailable } from '../../application/ports/faults.ts';

type Json = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const authAnonymous = '/v3/authentication/device-link/anonymous';
const authLink = `/v3/authentication/device-link/etsi/PNOMN-${civilId}`;
const authPush = `/v3/authentication/notification/etsi/PNOMN-${civilId}`;
const authDocument = `/v3/authentication/notification/document/${documentNumber}`;
const signDocument = `/v3/signature/notification/document/${documentNumber}`;
const signPush = `/v3/signature/notification/etsi/PNOMN-${civilId}`;
const signLink = `/v3/signature/device-link/document/${documentNumber}`;

describe('The relying-party API', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function begin(
    options: WorldOptions & { readonly party?: Partial<RelyingPartyData> } = {},
  ) {
    const world = relyingPartyWorld(options);
    const party = world.addRelyingParty(options.party);
    const { origin, server } = await startTestServer(world.routes);
    stops.push(() => server.stop(100));

    async function call(path: string, init: RequestInit = {}): Promise<Answer> {
      const response = await fetch(origin + path, {
        ...init,
        headers: {
          authorization: `Bearer ${party.secret}`,
          'content-type': 'application/json',
          ...(init.headers as Record<string, string> | undefined),
        },
      });
      return {
        status: response.status,
        body: (await response.json()) as Json,
        headers: response.headers,
      };
    }
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      call(path, { method: 'POST', body: JSON.stringify(body), headers });
    const authenticate = (changes: object = {}, path = authPush) =>
      post(path, authenticationBody(party.relyingPartyId, changes));
    const sign = (changes: object = {}, path = signPush) =>
      post(path, signatureBody(party.relyingPartyId, changes));
    const poll = (sessionId: unknown, query = '?timeoutMs=0') =>
      call(`/v3/session/${String(sessionId)}${query}`);
    async function started(sessionId: unknown): Promise<SessionStarted['data']> {
      const { state } = await world.sessions.load(String(sessionId));
      return (state as StartedSession).started;
    }
    return { ...world, server, party, call, post, authenticate, sign, poll, started };
  }

  const pointers = ({ body }: Answer) =>
    (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);

  describe('starting a session', () => {
    it('answers a push with sessionID and a code object, durable before the answer', async () => {
      const { authenticate, eventStore, party } = await begin();
      const body = authenticationBody(party.relyingPartyId);
      const { status, body: answer } = await authenticate(body);
      expect(status).to.equal(200);
      expect(Object.keys(answer)).to.have.members(['sessionID', 'vc']);
      expect(answer['sessionID']).to.match(UUID);
      expect(answer['vc']).to.deep.equal({
        type: 'alphaNumeric4',
        value: verificationCode(Buffer.from(body.rpChallenge, 'base64')),
      });
      const recorded = eventStore.eventsOf(`session-${String(answer['sessionID'])}`);
      expect(recorded.map(({ event }) => event.type)).to.deep.equal(['SessionStarted']);
      expect(recorded[0]?.metadata.actor).to.deep.equal({
        kind: 'relyingParty',
        id: party.relyingPartyId,
      });
    });

    it('A, O5: counts nothing that an outage of the log refused, with the default limits of pushes', async () => {
      const { authenticate, eventStore } = await begin({
        limitsPushes: true,
        requestsPerMinute: 10,
      });
      const outage = () => Promise.reject(new Unavailable('eventStore'));
      const { beforeAppend } = eventStore;
      eventStore.beforeAppend = outage;
      const refused = new Set<number>();
      for (let each = 0; each < 20; each += 1) refused.add((await authenticate()).status);
      expect([...refused]).to.deep.equal([503]);
      eventStore.beforeAppend = beforeAppend;
      expect((await authenticate()).status).to.equal(200);
      expect((await authenticate()).status).to.equal(200);
      const { status, body } = await authenticate();
      expect(status, 'N4: of one relying party two are running').to.equal(429);
      expect(body['detail']).to.contain('SVC_PUSHES_RUNNING until ');
    });

    it('F4: refuses a text that shows nothing, wherever it is', async () => {
      const { authenticate } = await begin();
      for (const displayText60 of [' ', '\u3000', '\n\n', '\u0301']) {
        const refused = await authenticate({
          interactions: [{ type: 'displayTextAndPIN', displayText60 }],
        });
        expect(refused.status, JSON.stringify(displayText60)).to.equal(400);
        expect(pointers(refused)).to.deep.equal(['/interactions/0/displayText60']);
      }
    });

    it('answers a device link with token, secret, base and a plain code', async () => {
      for (const path of [authAnonymous, authLink]) {
        const { authenticate } = await begin();
        const { body } = await authenticate({}, path);
        expect(body['sessionID']).to.match(UUID);
        expect(body['sessionToken']).to.match(/^[A-Za-z0-9]{24}$/);
        expect(Buffer.from(String(body['sessionSecret']), 'base64')).to.have.length(18);
        expect(body['deviceLinkBase']).to.equal('https://eid.example/device-link');
        expect(body['vc']).to.match(/^\d{4}$/);
      }
    });

    it('serves all three signature addresses, the code from the digest', async () => {
      for (const path of [signDocument, signPush, signLink]) {
        const { sign, started } = await begin();
        const digest = Buffer.alloc(48, 7).toString('base64');
        const { status, body } = await sign({ digest, hashType: 'SHA384' }, path);
        expect(status, path).to.equal(200);
        const data = await started(body['sessionID']);
        expect(data).to.include({
          kind: 'SIGNATURE',
          digest,
          hashType: 'SHA384',
          rpChallenge: null,
        });
        expect(data.verificationCode).to.equal(verificationCode(Buffer.alloc(48, 7)));
      }
    });

    it('names the citizen by civil id or registration number, with or without prefix, in any case', async () => {
      const { authenticate, started } = await begin();
      for (const id of [civilId, 'УА90010112', 'pnomn-Уа90010112', `PNOMN-${civilId}`]) {
        const { status, body } = await authenticate(
          {},
          `/v3/authentication/notification/etsi/${encodeURIComponent(id)}`,
        );
        expect(status, id).to.equal(200);
        expect((await started(body['sessionID'])).civilId).to.equal(civilId);
      }
    });

    it('F3: refuses a name that is neither registered nor an alias', async () => {
      const { authenticate, sign, post, party, addRelyingParty, started } = await begin();
      const named = { relyingPartyName: 'Хаан Банк (Khan Bank)' };
      for (const path of [authPush, authLink, authAnonymous, authDocument]) {
        const answer = await authenticate(named, path);
        expect([answer.status, answer.body['code']], path).to.deep.equal([400, 'INVALID_REQUEST']);
        expect(pointers(answer)).to.deep.equal(['/relyingPartyName']);
      }
      const certificate = await post(`/v3/signature/certificate/${documentNumber}`, {
        relyingPartyUUID: party.relyingPartyId,
        ...named,
      });
      expect([(await sign(named)).status, certificate.status]).to.deep.equal([400, 400]);

      const { relyingPartyId, secret } = addRelyingParty({ aliases: ['Khan Bank'] });
      const answer = await post(
        authPush,
        authenticationBody(relyingPartyId, { relyingPartyName: 'Khan Bank' }),
        { authorization: `Bearer ${secret}` },
      );
      expect(await started(answer.body['sessionID'])).to.include({
        relyingPartyName: 'Khan Bank',
        registeredName: null,
      });
    });

    it('F3: records the registered name beside another where the switch admits one', async () => {
      const { post, addRelyingParty, started } = await begin();
      const { relyingPartyId, secret } = addRelyingParty({ name: 'Small Shop', otherNames: true });
      const ask = (relyingPartyName: string) =>
        post(authPush, authenticationBody(relyingPartyId, { relyingPartyName }), {
          authorization: `Bearer ${secret}`,
        });
      const { body } = await ask('Khan Bank');
      expect(await started(body['sessionID'])).to.include({
        relyingPartyName: 'Khan Bank',
        registeredName: 'Small Shop',
      });
      for (const name of ['Khan \u202eknaB', 'Kh\u0430n Bank', 'Khan\nBank']) {
        expect(pointers(await ask(name)), name).to.deep.equal(['/relyingPartyName']);
      }
    });

    it('keeps sent fields and fills in defaults', async () => {
      const { post, started, addRelyingParty } = await begin();
      const party = addRelyingParty({ otherNames: true });
      const sign = (changes: object) =>
        post(signPush, signatureBody(party.relyingPartyId, changes), {
          authorization: `Bearer ${party.secret}`,
        });
      const name = '  Very long ' + 'ө'.repeat(100);
      const { body } = await sign({
        relyingPartyName: name,
        certificateLevel: undefined,
        hashType: undefined,
        fileName: 'гэрээ.pdf',
        unknownField: { deep: true },
      });
      const data = await started(body['sessionID']);
      expect(data).to.include({
        relyingPartyId: party.relyingPartyId,
        relyingPartyName: name,
        certificateLevel: 'QUALIFIED',
        hashType: 'SHA256',
        fileName: 'гэрээ.pdf',
        generation: 'G1',
        subsystem: null,
        callbackUrl: null,
        deviceLink: null,
        answerBefore: '2026-06-01T00:02:30.000Z',
        readableUntil: '2026-06-01T00:10:00.000Z',
        openIdLogin: false,
        documents: null,
        documentTexts: null,
        riskSignals: null,
      });
    });

    const faults: readonly [string, 'auth' | 'sign', object, string][] = [
      ['no challenge', 'auth', { rpChallenge: undefined }, '/rpChallenge'],
      ['a challenge that is not base64', 'auth', { rpChallenge: '%%%' }, '/rpChallenge'],
      ['31 challenge bytes', 'auth', { rpChallenge: b64(31) }, '/rpChallenge'],
      ['65 challenge bytes', 'auth', { rpChallenge: b64(65) }, '/rpChallenge'],
      ['no digest', 'sign', { digest: undefined }, '/digest'],
      ['a digest of another length', 'sign', { digest: b64(32), hashType: 'SHA512' }, '/digest'],
      ['an unknown hash', 'sign', { hashType: 'SHA1' }, '/hashType'],
      ['a path in fileName', 'sign', { fileName: '../x.pdf' }, '/fileName'],
      ['a control character in fileName', 'sign', { fileName: 'a\nb' }, '/fileName'],
      ['half a character in fileName', 'sign', { fileName: 'a\ud800' }, '/fileName'],
      ['a turn of direction in fileName', 'sign', { fileName: 'a\u202efdp.exe' }, '/fileName'],
      ['F3: mixed letters in fileName', 'sign', { fileName: 'гэрээv2.pdf' }, '/fileName'],
      ['F3: a zero-width character in rp_app', 'auth', { rp_app: 'a\u200bb' }, '/rp_app'],
      ...['a\u0007', 'a\u0085', 'a\tb', 'Pay \u202e001', 'Pay\u2060', 'P\u0430y'].map(
        (shown): [string, 'auth', object, string] => [
          `F3: ${JSON.stringify(shown)} in displayText60`,
          'auth',
          { interactions: [text(shown)] },
          '/interactions/0/displayText60',
        ],
      ),
      ['no interactions', 'auth', { interactions: undefined }, '/interactions'],
      ['an empty list', 'auth', { interactions: [] }, '/interactions'],
      ['two interactions', 'auth', { interactions: [text('a'), text('b')] }, '/interactions'],
      [
        '61 characters',
        'auth',
        { interactions: [text('a'.repeat(61))] },
        '/interactions/0/displayText60',
      ],
      [
        'the wrong text field',
        'auth',
        { interactions: [{ type: 'displayTextAndPIN', displayText200: 'x' }] },
        '/interactions/0/displayText60',
      ],
      [
        'an unknown interaction',
        'auth',
        { interactions: [{ type: 'x', displayText60: 'x' }] },
        '/interactions/0/type',
      ],
      ['no name', 'auth', { relyingPartyName: undefined }, '/relyingPartyName'],
      [
        'a name of 121 characters',
        'auth',
        { relyingPartyName: 'x'.repeat(121) },
        '/relyingPartyName',
      ],
      ['a malformed UUID', 'auth', { relyingPartyUUID: 'x' }, '/relyingPartyUUID'],
      ['an unknown level', 'auth', { certificateLevel: 'GOLD' }, '/certificateLevel'],
      ['no protocol', 'auth', { signatureProtocol: undefined }, '/signatureProtocol'],
      ['another protocol', 'sign', { signatureProtocol: 'RAW' }, '/signatureProtocol'],
    ];
    for (const [what, kind, changes, pointer] of faults) {
      it(`refuses ${what} with 400 and a pointer`, async () => {
        const { authenticate, sign } = await begin();
        const answer = await (kind === 'auth' ? authenticate(changes) : sign(changes));
        expect(answer.status).to.equal(400);
        expect(answer.body['code']).to.equal('INVALID_REQUEST');
        expect(pointers(answer)).to.deep.equal([pointer]);
      });
    }

    it('counts characters, not code units, and tolerates a replacement character', async () => {
      const { authenticate } = await begin();
      for (const shown of ['😀'.repeat(60), '\uFFFD'.repeat(60), 'Гэрээ\nДүн: 5 USD']) {
        expect((await authenticate({ interactions: [text(shown)] })).status).to.equal(200);
      }
      expect((await authenticate({ interactions: [text('😀'.repeat(61))] })).status).to.equal(400);
    });

    it('refuses an identifier that is none with 400', async () => {
      const { authenticate } = await begin();
      const answer = await authenticate({}, '/v3/authentication/notification/etsi/PNOMN-12');
      expect(answer.status).to.equal(400);
      expect(pointers(answer)).to.deep.equal(['#/path/id']);
    });

    it('does not know foreign devices', async () => {
      const { authenticate, sign } = await begin();
      const person = await authenticate({}, '/v3/authentication/notification/etsi/999999999999');
      expect([person.status, person.body['code']]).to.deep.equal([404, 'PERSON_NOT_FOUND']);
      for (const number of ['ffffffff-6f0f-4c5e-9a36-0d3c7a2f8b11', 'none']) {
        const answer = await sign({}, `/v3/signature/notification/document/${number}`);
        expect([answer.status, answer.body['code']]).to.deep.equal([404, 'DOCUMENT_NOT_FOUND']);
      }
    });

    it('does not know a deactivated device', async () => {
      const { authenticate, referenceData } = await begin();
      referenceData.devices.splice(0, 1, device({ active: false }));
      expect((await authenticate({}, authDocument)).body['code']).to.equal('DOCUMENT_NOT_FOUND');
      expect((await authenticate()).body['code']).to.equal('NO_SUITABLE_CERTIFICATE');
    });

    const unusable: readonly [string, Parameters<typeof certificate>[1]][] = [
      ['revoked', { status: 'REVOKED' }],
      ['suspended', { status: 'SUSPENDED' }],
      ['expired', { notAfter: '2026-05-31T23:59:59.999Z' }],
      ['not yet valid', { notBefore: '2026-06-01T00:00:00.001Z' }],
      ['of a lower level', { level: 'ADVANCED' }],
    ];
    for (const [what, changes] of unusable) {
      it(`finds no signing certificate when it is ${what}, while authentication works`, async () => {
        const { authenticate, sign, referenceData } = await begin();
        referenceData.devices.splice(0, 1, device({ signing: certificate('SIGN', changes) }));
        for (const path of [signPush, signDocument, signLink]) {
          const answer = await sign({}, path);
          expect([answer.status, answer.body['code']]).to.deep.equal([
            404,
            'NO_SUITABLE_CERTIFICATE',
          ]);
          expect(answer.body['error']).to.include('no signing certificate');
        }
        expect((await authenticate()).status).to.equal(200);
      });
    }

    it('takes the level as a minimum over all active devices', async () => {
      const { sign, referenceData } = await begin();
      expect((await sign({ certificateLevel: 'ADVANCED' })).status).to.equal(200);
      expect((await sign({ certificateLevel: 'QSCD' })).status).to.equal(404);
      referenceData.devices.push(
        device({ documentNumber: 'other', signing: certificate('SIGN', { level: 'QSCD' }) }),
      );
      expect((await sign({ certificateLevel: 'QSCD' })).status).to.equal(200);
    });

    it('keeps host and query of an allowed callback URL and drops others silently', async () => {
      const { authenticate, started } = await begin({
        party: { callbackHosts: ['rp.example.com', 'local.example:8443'] },
      });
      const kept: readonly [unknown, string | null][] = [
        [
          'https://rp.example.com/some/where?state=1&x=%20#f',
          'https://rp.example.com/auth/eid/callback?state=1&x=%20',
        ],
        ['https://RP.example.com', 'https://rp.example.com/auth/eid/callback'],
        ['HTTPS://rp.example.com/', 'https://rp.example.com/auth/eid/callback'],
        ['https://local.example:8443/?a', 'https://local.example:8443/auth/eid/callback?a'],
        ['http://rp.example.com/x', null],
        ['https://evil.example/x', null],
        ['https://rp.example.com.evil.example/', null],
        ['https://rp.example.com@evil.example/', null],
        ['https://user@rp.example.com/', null],
        ['myapp://rp.example.com/', null],
        ['https:rp.example.com/', null],
        ['https:/rp.example.com/', null],
        ['https:\\\\rp.example.com/', null],
        ['ht\ntps://rp.example.com/', null],
        ['https://rp.example.com\\@evil.example/', null],
        ['https://evil.example\\@rp.example.com/', null],
        ['https://rp.exa\tmple.com/', null],
        [' https://rp.example.com/', null],
        ['https://rp.example.com./', null],
        ['not a url', null],
        [17, null],
        [null, null],
      ];
      for (const [initialCallbackUrl, expected] of kept) {
        const { status, body } = await authenticate({ initialCallbackUrl }, authLink);
        expect(status, String(initialCallbackUrl)).to.equal(200);
        const { callbackUrl } = await started(body['sessionID']);
        expect(callbackUrl, String(initialCallbackUrl)).to.equal(expected);
      }
      const { body } = await authenticate({ initialCallbackUrl: 'https://rp.example.com/' });
      expect((await started(body['sessionID'])).callbackUrl).to.equal(null);
    });

    it('takes an empty onBehalfOf for none', async () => {
      const { sign } = await begin();
      expect((await sign({ onBehalfOf: '' })).status).to.equal(200);
      expect((await sign({ onBehalfOf: null })).status).to.equal(200);
    });

    it('registers a subsystem the first time it is named', async () => {
      const { sign, relyingParties, party, context, started } = await begin();
      await relyingParties.handleNew(
        party.relyingPartyId,
        {
          type: 'RegisterRelyingParty',
          registered: {
            relyingPartyId: party.relyingPartyId,
            secretHash: 'x',
            registeredAt: '',
            otherNames: false,
            ...initialRelyingPartySettings,
            name: 'DEMO',
            permissions: [],
            firstParty: true,
          },
        },
        context,
      );
      const { body } = await sign({ rp_app: ' portal ' });
      await sign({ rp_app: 'portal' });
      expect((await started(body['sessionID'])).subsystem).to.equal('portal');
      const { state } = await relyingParties.load(party.relyingPartyId);
      expect(state.status !== 'NONE' && state.subsystems.map(({ name }) => name)).to.deep.equal([
        'portal',
      ]);
    });

    it('gives an idempotent retry the same session for 15 seconds while it runs', async () => {
      const { party, post, clock, confirm } = await begin();
      const body = authenticationBody(party.relyingPartyId);
      const first = await post(authPush, body);
      const again = await post(authPush, body);
      expect(again.body).to.deep.equal(first.body);
      const other = await post(authLink, body);
      expect(other.body['sessionID']).not.to.equal(first.body['sessionID']);
      clock.advance(15_000);
      const later = await post(authPush, body);
      expect(later.body['sessionID']).not.to.equal(first.body['sessionID']);
      await confirm(String(later.body['sessionID']));
      const afterwards = await post(authPush, body);
      expect(afterwards.body['sessionID']).not.to.equal(later.body['sessionID']);
    });

    it('makes one session of a hundred identical requests at once', async () => {
      const { party, post, eventStore } = await begin();
      const body = authenticationBody(party.relyingPartyId);
      const answers = await Promise.all(Array.from({ length: 100 }, () => post(authPush, body)));
      expect(new Set(answers.map((answer) => answer.body['sessionID'])).size).to.equal(1);
      expect(new Set(eventStore.events.map(({ stream }) => stream)).size).to.equal(1);
    });

    it('does not share sessions between relying parties', async () => {
      const { post, addRelyingParty, referenceData } = await begin();
      const one = addRelyingParty();
      const body = authenticationBody(one.relyingPartyId);
      const first = await post(authPush, body, { authorization: `Bearer ${one.secret}` });
      const two = { relyingPartyId: one.relyingPartyId, secret: 'rp_sk_other' };
      expect(referenceData.relyingParties.has(two.relyingPartyId)).to.equal(true);
      const second = await post(authPush, body, { authorization: `Bearer ${two.secret}` });
      expect([first.status, second.status]).to.deep.equal([200, 401]);
    });
  });

  describe('letting in', () => {
    it('refuses a missing, wrong or strange secret with 401', async () => {
      const { call, party } = await begin();
      for (const authorization of ['', 'Basic abc', 'Bearer ', 'Bearer rp_sk_wrong', 'Bearer x']) {
        const answer = await call(authPush, {
          method: 'POST',
          body: JSON.stringify(authenticationBody(party.relyingPartyId)),
          headers: { authorization },
        });
        expect([answer.status, answer.body['code']], authorization).to.deep.equal([
          401,
          'UNAUTHENTICATED',
        ]);
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
      }
    });

    it('refuses a relyingPartyUUID of another secret with 401', async () => {
      const { authenticate, addRelyingParty } = await begin();
      const other = addRelyingParty();
      const answer = await authenticate({ relyingPartyUUID: other.relyingPartyId });
      expect([answer.status, answer.body['code']]).to.deep.equal([401, 'UNAUTHENTICATED']);
    });

    it('takes the relyingPartyUUID in any case', async () => {
      const { authenticate, party } = await begin();
      const answer = await authenticate({ relyingPartyUUID: party.relyingPartyId.toUpperCase() });
      expect(answer.status).to.equal(200);
    });

    const closed: readonly [string, Partial<RelyingPartyData>, number, string][] = [
      ['deactivated', { active: false }, 401, 'UNAUTHENTICATED'],
      ['another address', { ipAllowlist: ['10.0.0.0/8', '192.0.2.1'] }, 403, 'IP_NOT_ALLOWED'],
      [
        'no certificate',
        { clientCertificates: ['ab'.repeat(32)] },
        403,
        'CLIENT_CERTIFICATE_REQUIRED',
      ],
      ['no permission', { permissions: ['SEAL'] }, 403, 'PERMISSION_DENIED'],
    ];
    for (const [what, party, status, code] of closed) {
      it(`refuses: ${what}`, async () => {
        const { authenticate } = await begin({ party });
        const answer = await authenticate();
        expect([answer.status, answer.body['code']]).to.deep.equal([status, code]);
        if (status === 403) expect(JSON.stringify(answer.body)).not.to.match(/represent/i);
      });
    }

    it('distinguishes AUTH and SIGN, and permits both to a first party', async () => {
      const authOnly = await begin({ party: { permissions: ['AUTH'] } });
      expect((await authOnly.authenticate()).status).to.equal(200);
      expect((await authOnly.sign()).status).to.equal(403);
      const first = await begin({ party: { permissions: [], firstParty: true } });
      expect((await first.authenticate()).status).to.equal(200);
      expect((await first.sign()).status).to.equal(200);
    });

    it('lets an allowed address in', async () => {
      const { authenticate } = await begin({ party: { ipAllowlist: ['::1', '127.0.0.0/8'] } });
      expect((await authenticate()).status).to.equal(200);
    });

    it('throttles with 429 and Retry-After, each relying party by its own limit', async () => {
      const { authenticate, post, addRelyingParty } = await begin({
        requestsPerMinute: 100,
        party: { requestsPerMinute: 2 },
      });
      expect((await authenticate()).status).to.equal(200);
      expect((await authenticate()).status).to.equal(200);
      const refused = await authenticate();
      expect([refused.status, refused.body['code']]).to.deep.equal([429, 'RATE_LIMITED']);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
      const other = addRelyingParty();
      const free = await post(authPush, authenticationBody(other.relyingPartyId), {
        authorization: `Bearer ${other.secret}`,
      });
      expect(free.status).to.equal(200);
    });
  });

  describe('polling', () => {
    it('answers RUNNING at the deadline', async () => {
      const { authenticate, poll } = await begin();
      const { body } = await authenticate();
      const before = performance.now();
      const answer = await poll(body['sessionID'], '?timeoutMs=200');
      const took = performance.now() - before;
      expect(answer.body).to.deep.equal({ state: 'RUNNING' });
      expect(took).to.be.within(195, 15_000);
    });

    it('answers COMPLETE as soon as the citizen has confirmed, with the person and both name sets', async () => {
      const { authenticate, poll, confirm, notifications } = await begin();
      const { body } = await authenticate();
      const answer = poll(body['sessionID'], '');
      await until(() => notifications.waiting() > 0);
      await confirm(String(body['sessionID']));
      expect((await answer).body).to.deep.equal({
        state: 'COMPLETE',
        result: { endResult: 'OK', documentNumber },
        signature: { value: 'c2lnbmF0dXJl', signatureAlgorithm: 'ecdsa-with-SHA256' },
        cert: {
          value: Buffer.from('AUTH certificate').toString('base64'),
          certificateLevel: 'QUALIFIED',
        },
        interactionTypeUsed: 'displayTextAndPIN',
        onBehalfOf: null,
        person: {
          firstName: 'Бат',
          lastName: 'Дорж',
          familyName: 'Боржигон',
          firstNameEn: 'Bat',
          lastNameEn: 'Dorj',
          givenName: 'Бат',
          surname: 'Дорж',
          givenNameEn: 'Bat',
          surnameEn: 'Dorj',
          civilId,
          regNo: 'уа90010112',
          birthDate: '1990-01-01',
          gender: 'M',
          geID: 42,
        },
      });
      expect(notifications.waiting()).to.equal(0);
    });

    it('answers CANCELLED_BY_RP as soon as the relying party takes the session back', async () => {
      const { authenticate, call, confirm, eventStore, notifications, poll } = await begin();
      const { body } = await authenticate();
      const sessionId = String(body['sessionID']);
      const waiting = poll(sessionId, '');
      await until(() => notifications.waiting() > 0);
      const cancel = () => call(`/v3/session/${sessionId}`, { method: 'DELETE' });
      const taken = await cancel();
      expect(taken.status).to.equal(200);
      expect(taken.body).to.deep.equal({
        state: 'COMPLETE',
        result: { endResult: 'CANCELLED_BY_RP' },
        onBehalfOf: null,
      });
      expect((await waiting).body).to.deep.equal(taken.body);
      expect((await cancel()).body).to.deep.equal(taken.body);
      const refused = await rejection(confirm(sessionId));
      expect(refused).to.have.property('code', 'SESSION_ALREADY_COMPLETE');
      expect(
        eventStore.eventsOf(`session-${sessionId}`).map(({ event }) => event.type),
      ).to.deep.equal(['SessionStarted', 'SessionCancelled']);
    });

    it("keeps the citizen's answer when it came before it was taken back", async () => {
      const { authenticate, call, confirm } = await begin();
      const { body } = await authenticate();
      await confirm(String(body['sessionID']));
      const answer = await call(`/v3/session/${String(body['sessionID'])}`, { method: 'DELETE' });
      expect(answer.body).to.have.nested.property('result.endResult', 'OK');
    });

    it("takes back no session of another relying party's", async () => {
      const { authenticate, call, poll, addRelyingParty } = await begin();
      const { body } = await authenticate();
      const other = addRelyingParty();
      const path = `/v3/session/${String(body['sessionID'])}`;
      const headers = { authorization: `Bearer ${other.secret}` };
      const answer = await call(path, { method: 'DELETE', headers });
      expect([answer.status, answer.body['code']]).to.deep.equal([404, 'SESSION_NOT_FOUND']);
      expect((await poll(body['sessionID'])).body).to.deep.equal({ state: 'RUNNING' });
    });

    it('answers a signature without a person, and again, until its time is over', async () => {
      const { sign, poll, confirm, clock } = await begin();
      const { body } = await sign();
      await confirm(String(body['sessionID']));
      const first = await poll(body['sessionID']);
      expect(first.body).not.to.have.property('person');
      expect(first.body).not.to.have.property('signatureProtocol');
      clock.advance(9_000);
      expect((await poll(body['sessionID'])).body).to.deep.equal(first.body);
      clock.advance(600_000 - 9_001);
      expect((await poll(body['sessionID'])).body).to.deep.equal(first.body);
      clock.advance(1);
      const late = await poll(body['sessionID']);
      expect([late.status, late.body['code']]).to.deep.equal([404, 'SESSION_NOT_FOUND']);
    });

    it('says that a device link was opened, by the event there is of it', async () => {
      const { authenticate, poll, sessions, owner, context, clock } = await begin();
      const { body } = await authenticate({}, authAnonymous);
      expect((await poll(body['sessionID'])).body).to.deep.equal({ state: 'RUNNING' });
      const now = clock.now().toISOString();
      const claim = { type: 'ClaimSession', by: owner, deviceLinkType: null, now } as const;
      await sessions.handle(String(body['sessionID']), claim, context);
      expect((await poll(body['sessionID'])).body).to.deep.equal({
        state: 'RUNNING',
        progress: 'OPENED',
      });
    });

    it('serves a device link of nobody in particular, claimed and confirmed', async () => {
      const { authenticate, poll, confirm } = await begin();
      const { body } = await authenticate({}, authAnonymous);
      await confirm(String(body['sessionID']));
      expect((await poll(body['sessionID'])).body).to.have.nested.property(
        'person.civilId',
        civilId,
      );
    });

    it('shows a name to nobody once its person is forgotten, also not from memory', async () => {
      const { authenticate, poll, confirm, forget } = await begin();
      const { body } = await authenticate();
      await confirm(String(body['sessionID']));
      expect((await poll(body['sessionID'])).body).to.have.nested.property(
        'person.firstName',
        'Бат',
      );
      forget(civilId);
      const answer = await poll(body['sessionID']);
      expect(answer.status).to.equal(200);
      expect(answer.body).to.have.nested.property('person.firstName', '[forgotten]');
    });

    it('leaves geID out when there is none, and shows placeholders of a forgotten person', async () => {
      const { authenticate, poll, confirm, referenceData, clock } = await begin();
      referenceData.citizens.splice(0, 1, { civilId, identity: { ...identity, geId: null } });
      const { body } = await authenticate();
      await confirm(String(body['sessionID']));
      expect((await poll(body['sessionID'])).body['person']).not.to.have.property('geID');
      referenceData.citizens.splice(0);
      referenceData.certificates.splice(0, 2, certificate('AUTH', { certificate: null }));
      clock.advance(10_000);
      const answer = await poll(body['sessionID']);
      expect(answer.status).to.equal(200);
      expect(answer.body).to.have.nested.property('person.firstName', '[forgotten]');
      expect(answer.body).to.have.nested.property('cert.value', '[forgotten]');
    });

    it('tells how the citizen refused, and not which phone refused', async () => {
      const { authenticate, poll, sessions, owner, clock, context } = await begin();
      for (const [endResult, interaction] of [
        ['USER_REFUSED', null],
        ['USER_REFUSED_INTERACTION', 'displayTextAndPIN'],
      ] as const) {
        const { body } = await authenticate();
        const now = clock.now().toISOString();
        await sessions.handle(
          String(body['sessionID']),
          { type: 'RefuseSession', by: owner, endResult, interaction, now },
          context,
        );
        expect((await poll(body['sessionID'])).body).to.deep.equal({
          state: 'COMPLETE',
          result: {
            endResult,
            ...(interaction === null ? {} : { details: { interaction } }),
          },
          onBehalfOf: null,
        });
      }
    });

    it('tells TIMEOUT', async () => {
      const { authenticate, poll, sessions, clock, context } = await begin();
      const { body } = await authenticate();
      clock.advance(150_000);
      const now = clock.now().toISOString();
      await sessions.handle(String(body['sessionID']), { type: 'ExpireSession', now }, context);
      expect((await poll(body['sessionID'])).body['result']).to.deep.equal({
        endResult: 'TIMEOUT',
      });
    });

    it("knows no unknown session and no other relying party's", async () => {
      const { authenticate, call, poll, addRelyingParty, confirm } = await begin();
      const { body } = await authenticate();
      await confirm(String(body['sessionID']));
      const other = addRelyingParty();
      await poll(body['sessionID']);
      const foreign = await call(`/v3/session/${String(body['sessionID'])}`, {
        headers: { authorization: `Bearer ${other.secret}` },
      });
      const unknown = await poll('00000000-0000-4000-8000-000000000000');
      const nonsense = await poll('nonsense');
      for (const answer of [foreign, unknown, nonsense]) {
        expect([answer.status, answer.body['code']]).to.deep.equal([404, 'SESSION_NOT_FOUND']);
      }
    });

    it('clamps timeoutMs, and refuses what is no number', async () => {
      const { authenticate, confirm, poll } = await begin();
      const { body } = await authenticate();
      expect((await poll(body['sessionID'], '?timeoutMs=-5')).body).to.deep.equal({
        state: 'RUNNING',
      });
      await confirm(String(body['sessionID']));
      for (const text of ['999999999', '99999999999999999999']) {
        expect((await poll(body['sessionID'], `?timeoutMs=${text}`)).status).to.equal(200);
      }
      for (const text of ['abc', '1.5', '', '1e3']) {
        const answer = await poll(body['sessionID'], `?timeoutMs=${text}`);
        expect(answer.status, text).to.equal(400);
        expect(pointers(answer)).to.deep.equal(['#/query/timeoutMs']);
      }
    });

    it('is released by a shutdown with RUNNING', async () => {
      const { authenticate, poll, notifications, server } = await begin();
      const { body } = await authenticate();
      const answer = poll(body['sessionID'], '?timeoutMs=60000');
      await until(() => notifications.waiting() > 0);
      await server.stop(5_000);
      expect((await answer).body).to.deep.equal({ state: 'RUNNING' });
      expect(notifications.waiting()).to.equal(0);
    });

    it('sees an outcome that another process wrote before this one began to listen', async () => {
      const { authenticate, poll, confirm, elsewhere } = await begin({ soleProcess: false });
      const { body } = await authenticate();
      await confirm(String(body['sessionID']), elsewhere);
      expect((await poll(body['sessionID'])).body['state']).to.equal('COMPLETE');
    });
  });
});

function b64(bytes: number): string {
  return Buffer.alloc(bytes, 1).toString('base64');
}

function text(displayText60: string) {
  return { type: 'displayTextAndPIN', displayText60 };
}
