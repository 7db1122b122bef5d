import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { DeviceData, RelyingPartyData } from '../../application/ports/referenceData.ts';
import type { StartedSession } from '../../domain/session/session.ts';
import { verificationCode } from '../../domain/shared/digest.ts';
import { startTestServer } from '../support/http/http.ts';
import { nestedAuthenticationBody, nestedSignatureBody } from '../support/http/nestedRequests.ts';
import {
  authenticationBody,
  certificate,
  civilId,
  device,
  documentNumber,
  relyingPartyWorld,
  signatureBody,
  type WorldOptions,
} from '../support/worlds/relyingPartyWorld.ts';

type Json = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

const authPush = `/v3/authentication/notification/etsi/${civilId}`;
const signPush = `/v3/signature/notification/etsi/${civilId}`;
const choicePush = `/v3/signature/certificate-choice/notification/etsi/${civilId}`;
const query = `/v3/signature/certificate/${documentNumber}`;

/** Every address that starts a session but the linked one, which needs a session before it. */
const creating = [
  '/v3/authentication/device-link/anonymous',
  `/v3/authentication/device-link/etsi/${civilId}`,
  `/v3/authentication/device-link/document/${documentNumber}`,
  authPush,
  `/v3/authentication/notification/document/${documentNumber}`,
  `/v3/signature/device-link/etsi/${civilId}`,
  `/v3/signature/device-link/document/${documentNumber}`,
  signPush,
  `/v3/signature/notification/document/${documentNumber}`,
  '/v3/signature/certificate-choice/device-link/anonymous',
  `/v3/signature/certificate-choice/device-link/etsi/${civilId}`,
  choicePush,
];

describe('What completes the calls of Smart-ID clients', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function begin(
    party: Partial<RelyingPartyData> = {},
    options: WorldOptions & { readonly device?: DeviceData } = {},
  ) {
    const world = relyingPartyWorld(options);
    if (options.device !== undefined) world.referenceData.devices.splice(0, 1, options.device);
    const { relyingPartyId, secret } = world.addRelyingParty(party);
    const { origin, server } = await startTestServer(world.routes);
    stops.push(() => server.stop(100));

    async function call(path: string, body?: object): Promise<Answer> {
      const response = await fetch(origin + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { status, headers } = response;
      return { status, headers, body: (await response.json()) as Json };
    }
    const plain = (changes: object = {}) => ({
      relyingPartyUUID: relyingPartyId,
      relyingPartyName: 'DEMO',
      ...changes,
    });
    /** A body that fits the address, of the generation asked for. */
    function bodyFor(path: string, generation: 'G1' | 'G2', changes: object = {}): object {
      if (path.includes('certificate')) return plain(changes);
      const isAuthentication = path.includes('/authentication/');
      if (generation === 'G1') {
        return (isAuthentication ? authenticationBody : signatureBody)(relyingPartyId, changes);
      }
      return isAuthentication
        ? nestedAuthenticationBody(relyingPartyId, {}, changes)
        : nestedSignatureBody(relyingPartyId, {}, changes);
    }
    async function started(answer: Answer) {
      const { state } = await world.sessions.load(String(answer.body['sessionID']));
      return (state as StartedSession).started;
    }
    return { ...world, relyingPartyId, call, bodyFor, started };
  }

  for (const generation of ['G1', 'G2'] as const) {
    it(`starts a session at each address in ${generation}, the same for the same nonce, another for another`, async () => {
      const { call, bodyFor, clock } = await begin();
      for (const path of creating) {
        const body = bodyFor(path, generation, { nonce: 'one' });
        const first = await call(path, body);
        expect(first.status, path).to.equal(200);
        expect((await call(path, body)).body, path).to.deep.equal(first.body);
        const other = await call(path, { ...body, nonce: 'two' });
        expect(other.body['sessionID'], path).not.to.equal(first.body['sessionID']);
        clock.advance(15_000);
        expect((await call(path, body)).body['sessionID']).not.to.equal(first.body['sessionID']);
      }
    });
  }

  it('shares no anonymous certificate choice, unless a nonce identifies the retry', async () => {
    const { call, bodyFor } = await begin();
    const path = '/v3/signature/certificate-choice/device-link/anonymous';
    const anybody = bodyFor(path, 'G2');
    const visitors = [await call(path, anybody), await call(path, anybody)];
    expect(new Set(visitors.map(({ body }) => body['sessionID'])).size).to.equal(2);
    const named = bodyFor(path, 'G2', { nonce: 'visit 1' });
    expect((await call(path, named)).body).to.deep.equal((await call(path, named)).body);
  });

  it('takes a nonce of 1 to 30 characters', async () => {
    const { call, bodyFor } = await begin();
    for (const nonce of ['', 'x'.repeat(31), 7]) {
      for (const path of [authPush, signPush, choicePush]) {
        const { status, body } = await call(path, bodyFor(path, 'G2', { nonce }));
        expect([status, body['errors']]).to.have.nested.property('1[0].pointer', '/nonce');
        expect(status).to.equal(400);
      }
    }
  });

  describe('the code of a push', () => {
    const forms: readonly [string | undefined, 'G1' | 'G2', 'alphaNumeric4' | 'alphaNumeric5'][] = [
      [undefined, 'G1', 'alphaNumeric4'],
      [undefined, 'G2', 'alphaNumeric5'],
      ['alphaNumeric4', 'G2', 'alphaNumeric4'],
      ['alphaNumeric5', 'G1', 'alphaNumeric5'],
      ['numeric4', 'G2', 'alphaNumeric4'],
    ];
    for (const [vcType, generation, form] of forms) {
      it(`has the form ${vcType ?? 'of its generation'} in ${generation}`, async () => {
        const { call, bodyFor, started } = await begin();
        const answer = await call(signPush, bodyFor(signPush, generation, { vcType }));
        const data = await started(answer);
        const value = verificationCode(Buffer.from(data.digest ?? '', 'base64'), form);
        expect(answer.body['vc']).to.deep.equal({ type: vcType ?? form, value });
        expect(data).to.include({ vcType: form, verificationCode: value });
      });
    }

    it('has no other form, and a device link keeps that of its generation', async () => {
      const { call, bodyFor, started } = await begin();
      const refused = await call(signPush, bodyFor(signPush, 'G2', { vcType: 'alphaNumeric9' }));
      expect(refused.body).to.have.nested.property('errors[0].pointer', '/vcType');
      const link = `/v3/authentication/device-link/etsi/${civilId}`;
      const answer = await call(link, bodyFor(link, 'G2', { vcType: 'alphaNumeric4' }));
      expect(answer.body['vc']).to.match(/^\d{5}$/);
      expect(await started(answer)).to.include({ vcType: 'alphaNumeric5' });
    });
  });

  describe('the statuses of Smart-ID', () => {
    const low = certificate('SIGN', { level: 'ADVANCED' });
    const revoked = certificate('SIGN', { status: 'REVOKED' });
    const cases: readonly {
      readonly what: string;
      readonly path: string;
      readonly changes?: object;
      readonly signing?: typeof low;
      readonly maintenance?: boolean;
      readonly plain: number;
      readonly smartId: number;
      readonly code: string;
    }[] = [
      {
        what: 'a certificate of another level only',
        path: signPush,
        signing: low,
        plain: 404,
        smartId: 471,
        code: 'NO_SUITABLE_CERTIFICATE',
      },
      {
        what: 'a certificate of another level only, queried',
        path: query,
        signing: low,
        plain: 404,
        smartId: 471,
        code: 'NO_SUITABLE_CERTIFICATE',
      },
      {
        what: 'no certificate in force',
        path: choicePush,
        signing: revoked,
        plain: 404,
        smartId: 472,
        code: 'NO_SUITABLE_CERTIFICATE',
      },
      {
        what: 'a body of version 2',
        path: authPush,
        changes: { allowedInteractionsOrder: [], interactions: undefined, hash: 'x' },
        plain: 400,
        smartId: 480,
        code: 'CLIENT_TOO_OLD',
      },
      {
        what: 'a body of version 3.0',
        path: signPush,
        changes: { signatureProtocol: 'ACSP_V1' },
        plain: 400,
        smartId: 480,
        code: 'CLIENT_TOO_OLD',
      },
      {
        what: 'maintenance',
        path: choicePush,
        maintenance: true,
        plain: 503,
        smartId: 580,
        code: 'MAINTENANCE',
      },
      {
        what: 'an unknown person, which has none of its own',
        path: '/v3/authentication/notification/etsi/999999999999',
        plain: 404,
        smartId: 404,
        code: 'PERSON_NOT_FOUND',
      },
    ];
    for (const { what, path, changes, signing, maintenance, plain, smartId, code } of cases) {
      it(`answer ${what} with ${smartId}, to whom they are set for, and ${plain} to others`, async () => {
        for (const [smartIdStatuses, expected] of [
          [false, plain],
          [true, smartId],
        ] as const) {
          const { call, bodyFor } = await begin(
            { smartIdStatuses },
            {
              maintenance: maintenance ?? false,
              device: signing === undefined ? device() : device({ signing }),
            },
          );
          const { status, body } = await call(path, bodyFor(path, 'G2', changes));
          // 480 becomes an ordinary fault for relying parties without Smart-ID statuses.
          const shown = expected === 400 ? 'INVALID_REQUEST' : code;
          expect([status, body['status'], body['code']]).to.deep.equal([expected, expected, shown]);
        }
      });
    }

    const outdated = { allowedInteractionsOrder: [], interactions: undefined };

    it('pass over an old field beside new ones', async () => {
      const { call, bodyFor } = await begin({ smartIdStatuses: true });
      const body = bodyFor(authPush, 'G1', { allowedInteractionsOrder: [] });
      expect((await call(authPush, body)).status).to.equal(200);
    });

    it('come with a pointer, and with Retry-After where waiting helps', async () => {
      const { call, bodyFor } = await begin({ smartIdStatuses: true });
      const old = await call(authPush, bodyFor(authPush, 'G1', outdated));
      expect(old.body).to.have.nested.property('errors[0].pointer', '/allowedInteractionsOrder');
      const closed = await begin({ smartIdStatuses: true }, { maintenance: true });
      const answer = await closed.call(signPush, closed.bodyFor(signPush, 'G1'));
      expect(answer.headers.get('retry-after')).to.equal('60');
    });
  });

  it('keeps polls and queries working during maintenance', async () => {
    const { call, bodyFor } = await begin({}, { maintenance: true });
    expect((await call(query, bodyFor(query, 'G2'))).status).to.equal(200);
    expect((await call(`/v3/session/${randomUUID()}`)).body['code']).to.equal('SESSION_NOT_FOUND');
  });

  it('tells the certificate of a document, and says when it cannot sign', async () => {
    const { call, bodyFor, referenceData } = await begin();
    expect((await call(query, bodyFor(query, 'G2'))).body).to.deep.equal({
      state: 'OK',
      cert: {
        value: Buffer.from('SIGN certificate').toString('base64'),
        certificateLevel: 'QUALIFIED',
      },
    });
    for (const signing of [
      certificate('SIGN', { status: 'SUSPENDED' }),
      certificate('SIGN', { notAfter: '2026-05-31T23:59:59.999Z' }),
      certificate('SIGN', { certificate: null }),
    ]) {
      referenceData.devices.splice(0, 1, device({ signing }));
      const { status, body } = await call(query, bodyFor(query, 'G2'));
      expect([status, body]).to.deep.equal([200, { state: 'DOCUMENT_UNUSABLE' }]);
    }
    referenceData.devices.splice(0, 1, device({ active: false }));
    expect((await call(query, bodyFor(query, 'G2'))).body['code']).to.equal('DOCUMENT_NOT_FOUND');
  });

  it('needs the permission to sign for everything about signing certificates', async () => {
    const { call, bodyFor } = await begin({ permissions: ['AUTH'] });
    const linked = `/v3/signature/notification/linked/${documentNumber}`;
    for (const path of [query, choicePush, linked]) {
      const { status, body } = await call(path, bodyFor(path, 'G2'));
      expect([status, body['code']], path).to.deep.equal([403, 'PERMISSION_DENIED']);
    }
  });

  it("links a signature to a certificate choice, but not to another relying party's", async () => {
    const { call, bodyFor, addRelyingParty, sessions, started, context, clock } = await begin();
    const path = '/v3/signature/certificate-choice/device-link/anonymous';
    const answer = await call(path, bodyFor(path, 'G2'));
    const mine = await started(answer);
    const by = { documentNumber, civilId };
    const now = clock.now().toISOString();
    const { relyingPartyId } = addRelyingParty();
    const theirs = { ...mine, sessionId: randomUUID(), relyingPartyId };
    await sessions.handleNew(theirs.sessionId, { type: 'StartSession', started: theirs }, context);
    const chosen = { certificateSerial: '0b', certificateLevel: 'QUALIFIED' } as const;
    for (const { sessionId } of [mine, theirs]) {
      for (const command of [
        { type: 'ClaimSession', by, deviceLinkType: null, now },
        { type: 'ChooseCertificate', by, now, ...chosen },
      ] as const) {
        await sessions.handle(sessionId, command, context);
      }
    }
    const linked = `/v3/signature/notification/linked/${documentNumber}`;
    const body = (linkedSessionID: string) =>
      bodyFor(linked, 'G2', { linkedSessionID, nonce: 'one' });
    const mineBody = body(mine.sessionId);
    const own = await call(linked, mineBody);
    expect(own.status).to.equal(200);
    expect((await started(own)).nested?.linkedSessionId).to.equal(mine.sessionId);
    expect((await call(linked, mineBody)).body).to.deep.equal(own.body);
    const another = await call(linked, { ...mineBody, nonce: 'two' });
    expect(another.body['sessionID']).not.to.equal(own.body['sessionID']);
    const foreign = await call(linked, body(theirs.sessionId));
    expect([foreign.status, foreign.body['code']]).to.deep.equal([404, 'SESSION_NOT_FOUND']);
  });
});
