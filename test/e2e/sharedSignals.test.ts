import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { call } from '../../main/drill/callers.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { type Given, given } from '../support/given/given.ts';
import {
  beginLogin,
  discoverAs,
  logIn,
  redirectUri,
  registerClient,
} from '../support/oidc/oidcLogin.ts';

const citizen = '110000000001';
const push = 'urn:ietf:rfc:8935';
const poll = 'urn:ietf:rfc:8936';
const caep = 'https://schemas.openid.net/secevent/caep/event-type/';
const sessionRevoked = `${caep}session-revoked`;
const credentialChange = `${caep}credential-change`;
const verification = 'https://schemas.openid.net/secevent/ssf/event-type/verification';

type Members = Readonly<Record<string, unknown>>;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly set: string;
}

describe('Shared Signals: the transmitter', function () {
  this.timeout(120_000);
  let demo: Given<'citizen'>;
  let receiver: Server;
  let endpoint: string;
  let status = 202;
  const received: Received[] = [];

  before(async () => {
    receiver = createServer((request, response) => {
      void text(request).then((set) => {
        if (status === 202) received.push({ headers: request.headers, set });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    endpoint = `http://localhost:${(receiver.address() as AddressInfo).port}/sets`;
    demo = await given({ phones: { citizen }, answering: ['citizen'] });
  });

  after(async () => {
    receiver.close();
    await demo.stop();
  });

  beforeEach(() => {
    status = 202;
    received.length = 0;
  });

  /** A client that has an access token of its own, and what it calls. */
  async function aReceiver(settings: Partial<OidcClientSettings> = {}, scope = 'ssf.manage') {
    const issued: IssuedClientSecret = await registerClient(demo, settings);
    const configuration = await discoverAs(demo.origin, issued);
    const { access_token: token } = await openid.clientCredentialsGrant(configuration, { scope });
    const ask = (
      method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      path: string,
      body?: object,
    ) =>
      call(`${demo.origin}/ssf${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body !== undefined && { body }),
      });
    const create = async (body: object = {}): Promise<string> => {
      const made = await ask('POST', '/streams', body);
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      return String(made.body['stream_id']);
    };
    const fetchSets = async (streamId: string, body: object = {}) => {
      const answer = await ask('POST', `/poll/${streamId}`, { returnImmediately: true, ...body });
      expect(answer.status).to.equal(200);
      return answer.body as unknown as {
        readonly sets: Readonly<Record<string, string>>;
        readonly moreAvailable: boolean;
      };
    };
    return { ...issued, configuration, token, ask, create, fetchSets };
  }

  /** Claims of a token that verifies as the standard wants. */
  async function verified(set: string, audience: string): Promise<JWTPayload> {
    const keys = createRemoteJWKSet(new URL(`${demo.origin}/oidc/jwks`));
    const options = { issuer: demo.origin, audience, typ: 'secevent+jwt' };
    return (await jwtVerify(set, keys, options)).payload;
  }

  const eventIn = ({ events }: JWTPayload, type: string) =>
    (events as Record<string, Members>)[type];
  const typeIn = (set: string) => Object.keys(decodeJwt(set)['events'] as object)[0];

  const withdraw = (clientId: string) =>
    demo.service.openIdConnect.withdrawConsent(citizen, clientId);
  /** Deliveries on a stream as the relying party sees them, the newest first. */
  async function messagesOf(streamId: string): Promise<readonly Members[]> {
    const { body } = await call(`${demo.origin}/v3/rp/webhooks/messages`, {
      headers: { authorization: `Bearer ${demo.apiSecret}` },
    });
    return (body['messages'] as Members[]).filter(({ address }) => address === `ssf:${streamId}`);
  }

  it('describes itself (SSF 1.0 §7)', async () => {
    const { status: answered, body } = await call(`${demo.origin}/.well-known/ssf-configuration`);
    expect(answered).to.equal(200);
    expect(body).to.deep.equal({
      spec_version: '1_0',
      issuer: demo.origin,
      jwks_uri: `${demo.origin}/oidc/jwks`,
      delivery_methods_supported: [push, poll],
      configuration_endpoint: `${demo.origin}/ssf/streams`,
      status_endpoint: `${demo.origin}/ssf/status`,
      add_subject_endpoint: `${demo.origin}/ssf/subjects/add`,
      remove_subject_endpoint: `${demo.origin}/ssf/subjects/remove`,
      verification_endpoint: `${demo.origin}/ssf/verify`,
      authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
      default_subjects: 'ALL',
    });
  });

  it('has a stream for a client that asks for one, and polls unless it says otherwise (§8.1.1.1)', async () => {
    const { clientId, ask, create } = await aReceiver();
    expect((await ask('GET', '/streams')).body).to.deep.equal([]);
    const streamId = await create({ events_requested: [sessionRevoked, 'urn:example:other'] });
    const shown = {
      stream_id: streamId,
      iss: demo.origin,
      aud: clientId,
      delivery: { method: poll, endpoint_url: `${demo.origin}/ssf/poll/${streamId}` },
      events_supported: [sessionRevoked, `${caep}token-claims-change`, credentialChange],
      events_requested: [sessionRevoked, 'urn:example:other'],
      events_delivered: [sessionRevoked],
      min_verification_interval: 10,
    };
    expect((await ask('GET', `/streams?stream_id=${streamId}`)).body).to.deep.equal(shown);
    expect((await ask('GET', '/streams')).body).to.deep.equal([shown]);
    const second = await ask('POST', '/streams', {});
    expect([second.status, second.body['code']]).to.deep.equal([409, 'CONFLICT']);
  });

  it('tells a client that polls that a consent was withdrawn, until that is acknowledged', async () => {
    const { clientId, configuration, create, fetchSets } = await aReceiver();
    const streamId = await create();
    const { tokens } = await logIn(configuration, { citizen });
    const sub = tokens.claims()?.sub;
    await withdraw(clientId);
    await eventually(async () => {
      expect(Object.keys((await fetchSets(streamId)).sets)).to.have.length(1);
    });
    const { sets, moreAvailable } = await fetchSets(streamId);
    const [[jti, set] = expect.fail()] = Object.entries(sets);
    const claims = await verified(set, clientId);
    expect(claims).to.have.all.keys('iss', 'aud', 'jti', 'iat', 'txn', 'sub_id', 'events');
    expect(claims.jti).to.equal(jti);
    expect(claims['sub_id']).to.deep.equal({ format: 'iss_sub', iss: demo.origin, sub });
    expect(eventIn(claims, sessionRevoked)).to.deep.include({
      initiating_entity: 'admin',
      reason_admin: { en: 'The citizen withdrew the consent.' },
    });
    expect(moreAvailable).to.equal(false);
    expect(Object.keys((await fetchSets(streamId)).sets), 'at least once').to.deep.equal([jti]);
    expect((await fetchSets(streamId, { ack: [jti] })).sets).to.deep.equal({});
    expect((await fetchSets(streamId, { ack: [jti] })).sets, 'again').to.deep.equal({});
  });

  it('wants an access token of the client itself, for what it does (CAEP Interoperability Profile §2.7)', async () => {
    const manager = await aReceiver();
    const reader = await aReceiver({}, 'ssf.read');
    const streamId = await manager.create();
    const at = `${demo.origin}/ssf/streams`;
    for (const authorization of [undefined, 'Bearer unknown', `Basic ${manager.token}`]) {
      const headers = authorization === undefined ? {} : { authorization };
      const refused = await call(at, { headers });
      expect([refused.status, refused.headers.get('www-authenticate')]).to.deep.equal([
        401,
        'Bearer',
      ]);
    }
    const query = await call(`${at}?access_token=${manager.token}`);
    expect(query.status, 'in the address').to.equal(401);
    expect((await reader.ask('GET', '/streams')).body).to.deep.equal([]);
    const written = await reader.ask('POST', '/streams', {});
    expect([written.status, written.headers.get('www-authenticate')]).to.deep.equal([
      403,
      'Bearer error="insufficient_scope", scope="ssf.read ssf.manage"',
    ]);
    const { tokens } = await logIn(manager.configuration, { citizen });
    const ofCitizen = await call(at, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(ofCitizen.status, 'of a citizen').to.equal(401);
    await demo.service.openIdConnect.deactivate(manager.clientId);
    await eventually(async () => {
      expect((await manager.ask('GET', `/status?stream_id=${streamId}`)).status).to.equal(401);
    });
  });

  it('gives clients tokens for their stream alone: no API, no other scope, none without a secret', async () => {
    const { configuration } = await aReceiver();
    const refusal = async (work: Promise<unknown>) => {
      const error = await rejection(work);
      return error instanceof openid.ResponseBodyError ? error.error : String(error);
    };
    const ask = (parameters: Readonly<Record<string, string>>) =>
      refusal(openid.clientCredentialsGrant(configuration, parameters));
    expect(await ask({ scope: 'openid' })).to.equal('invalid_scope');
    expect(await ask({})).to.equal('invalid_scope');
    const api = { resource: 'https://orders.example.mn/', scope: 'ssf.read' };
    expect(await ask(api)).to.equal('invalid_target');
    const issued = await registerClient(demo, { authMethod: 'none' });
    const open = await discoverAs(demo.origin, issued);
    const anonymous = openid.clientCredentialsGrant(open, { scope: 'ssf.read' });
    expect(await refusal(anonymous)).to.equal('unauthorized_client');
  });

  it('answers 404 for what is not there, and for the stream of another client alike', async () => {
    const one = await aReceiver();
    const other = await aReceiver();
    const streamId = await one.create();
    const subject = { format: 'iss_sub', iss: demo.origin, sub: 'somebody' };
    const body = { stream_id: streamId };
    for (const id of [streamId, 'unknown']) {
      const about = { ...body, stream_id: id };
      for (const [method, path, sent] of [
        ['GET', `/streams?stream_id=${id}`, undefined],
        ['PATCH', '/streams', about],
        ['PUT', '/streams', about],
        ['DELETE', `/streams?stream_id=${id}`, undefined],
        ['GET', `/status?stream_id=${id}`, undefined],
        ['POST', '/status', { ...about, status: 'paused' }],
        ['POST', '/subjects/add', { ...about, subject }],
        ['POST', '/subjects/remove', { ...about, subject }],
        ['POST', '/verify', about],
        ['POST', `/poll/${id}`, {}],
      ] as const) {
        const { status: answered } = await other.ask(method, path, sent);
        expect(answered, `${method} ${path}`).to.equal(404);
      }
    }
    expect((await one.ask('GET', `/status?stream_id=${streamId}`)).body).to.deep.equal({
      stream_id: streamId,
      status: 'enabled',
    });
  });

  it('answers 400 for what cannot be read', async () => {
    const { ask, create } = await aReceiver();
    for (const delivery of [
      { method: 'urn:example:pigeon' },
      { method: push },
      { method: push, endpoint_url: 'http://rp.example/sets' },
      { method: push, endpoint_url: 'https://user:secret@rp.example/sets' },
      { method: push, endpoint_url: endpoint, authorization_header: 'Bearer a\r\nx: y' },
    ]) {
      const { status: answered } = await ask('POST', '/streams', { delivery });
      expect(answered, JSON.stringify(delivery)).to.equal(400);
    }
    const streamId = await create();
    const about = { stream_id: streamId };
    for (const [method, path, body] of [
      ['PATCH', '/streams', {}],
      ['POST', '/status', { ...about, status: 'asleep' }],
      ['POST', '/status', { status: 'paused' }],
      ['GET', '/status', undefined],
      ['POST', '/verify', {}],
      ['POST', '/subjects/add', { ...about, subject: { format: 'email', email: 'a@b.mn' } }],
      ['POST', '/subjects/remove', { ...about }],
      ['POST', `/poll/${streamId}`, { maxEvents: -1 }],
      ['POST', `/poll/${streamId}`, { ack: 'all' }],
    ] as const) {
      const { status: answered } = await ask(method, path, body);
      expect(answered, `${method} ${path} ${JSON.stringify(body)}`).to.equal(400);
    }
  });

  it('changes what is named, replaces all, and refuses other values of its own (§8.1.1.3, §8.1.1.4)', async () => {
    const { configuration, ask, create } = await aReceiver();
    const pushed = { method: push, endpoint_url: endpoint };
    const delivery = { ...pushed, authorization_header: 'Bearer r' };
    const streamId = await create({ delivery, description: 'Ours' });
    const about = { stream_id: streamId };
    const before = (await ask('GET', `/streams?stream_id=${streamId}`)).body;
    expect(before).to.deep.include({ delivery, description: 'Ours' });
    const { access_token: token } = await openid.clientCredentialsGrant(configuration, {
      scope: 'ssf.read',
    });
    const read = await call(`${demo.origin}/ssf/streams`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(read.body, 'to read alone').to.deep.equal([{ ...before, delivery: pushed }]);
    const patched = await ask('PATCH', '/streams', {
      ...before,
      events_requested: [sessionRevoked],
    });
    expect([patched.status, patched.body]).to.deep.equal([
      200,
      { ...before, events_requested: [sessionRevoked], events_delivered: [sessionRevoked] },
    ]);
    for (const wrong of [{ iss: 'https://other.example' }, { aud: 'another' }, before]) {
      const { status: answered } = await ask('PATCH', '/streams', { ...about, ...wrong });
      expect(answered, JSON.stringify(wrong)).to.equal(400);
    }
    const put = await ask('PUT', '/streams', { ...about, description: 'Theirs' });
    expect([put.status, put.body]).to.deep.equal([
      200,
      {
        ...about,
        iss: demo.origin,
        aud: before['aud'],
        delivery: { method: poll, endpoint_url: `${demo.origin}/ssf/poll/${streamId}` },
        events_supported: before['events_supported'],
        events_delivered: before['events_supported'],
        min_verification_interval: 10,
        description: 'Theirs',
      },
    ]);
    const gone = await ask('DELETE', `/streams?stream_id=${streamId}`);
    expect([gone.status, (await ask('GET', '/streams')).body]).to.deep.equal([204, []]);
    await create();
  });

  it('pushes a verification with its state, typed and signed, with the header it was given (§8.1.4)', async () => {
    const { clientId, ask, create } = await aReceiver({ idTokenSignedResponseAlg: 'RS256' });
    const delivery = { method: push, endpoint_url: endpoint, authorization_header: 'Bearer r' };
    const streamId = await create({ delivery, events_requested: [sessionRevoked] });
    const body = { stream_id: streamId, state: 'VGhpcyBpcyBhIHN0YXRl' };
    expect((await ask('POST', '/verify', body)).status).to.equal(204);
    await eventually(() => expect(received).to.have.length(1));
    const [{ headers, set } = expect.fail()] = received;
    expect(headers).to.include({
      'content-type': 'application/secevent+jwt',
      accept: 'application/json',
      authorization: 'Bearer r',
    });
    const claims = await verified(set, clientId);
    expect(claims).to.have.all.keys('iss', 'aud', 'jti', 'iat', 'txn', 'sub_id', 'events');
    expect(claims['sub_id']).to.deep.equal({ format: 'opaque', id: streamId });
    expect(claims['events']).to.deep.equal({ [verification]: { state: body.state } });
    expect(JSON.parse(String(Buffer.from(set.split('.')[0] ?? '', 'base64url')))).to.include({
      alg: 'RS256',
      typ: 'secevent+jwt',
    });
    const soon = await ask('POST', '/verify', body);
    expect([soon.status, soon.headers.get('retry-after')]).to.deep.equal([429, '10']);
  });

  it('pushes again what was not taken (RFC 8935 §2)', async () => {
    const { ask, create } = await aReceiver();
    const streamId = await create({ delivery: { method: push, endpoint_url: endpoint } });
    status = 400;
    await ask('POST', '/verify', { stream_id: streamId });
    await eventually(async () => {
      const [shown] = await messagesOf(streamId);
      expect(shown).to.include({ state: 'WAITING', attempts: 1, reason: 'HTTP 400.' });
    });
    status = 202;
    await eventually(() => expect(received).to.have.length(1), 20_000);
    const [shown] = await messagesOf(streamId);
    expect(decodeJwt(received[0]?.set ?? '').jti).to.equal(shown?.['id']);
  });

  it('holds what a paused stream would send, and drops what a disabled one would (§8.1.2)', async () => {
    const { clientId, configuration, ask, create } = await aReceiver();
    const streamId = await create({ delivery: { method: push, endpoint_url: endpoint } });
    const set = (to: string, reason?: string) =>
      ask('POST', '/status', { stream_id: streamId, status: to, ...(reason && { reason }) });
    const paused = await set('paused', 'We move.');
    const shown = { stream_id: streamId, status: 'paused', reason: 'We move.' };
    expect([paused.status, paused.body]).to.deep.equal([200, shown]);
    expect((await ask('GET', `/status?stream_id=${streamId}`)).body).to.deep.equal(shown);
    await logIn(configuration, { citizen });
    await withdraw(clientId);
    await eventually(async () => {
      const held = await messagesOf(streamId);
      expect(held.map(({ state }) => state)).to.deep.equal(['WAITING']);
    });
    expect(received).to.deep.equal([]);
    await set('enabled');
    await eventually(() => expect(received).to.have.length(1));
    expect(typeIn(received[0]?.set ?? '')).to.equal(sessionRevoked);
    await set('disabled');
    await ask('POST', '/verify', { stream_id: streamId });
    expect((await messagesOf(streamId)).map(({ state }) => state)).not.to.include('WAITING');
  });

  it('sends nothing about a citizen who was removed from a stream, until added again (§8.1.3)', async () => {
    const { clientId, configuration, ask, create, fetchSets } = await aReceiver();
    const streamId = await create();
    const { tokens } = await logIn(configuration, { citizen });
    const sub = tokens.claims()?.sub;
    const about = { stream_id: streamId, subject: { format: 'iss_sub', iss: demo.origin, sub } };
    expect((await ask('POST', '/subjects/remove', about)).status).to.equal(204);
    await withdraw(clientId);
    await logIn(configuration, { citizen });
    const added = await ask('POST', '/subjects/add', { ...about, verified: true });
    expect([added.status, added.body]).to.deep.equal([200, {}]);
    await withdraw(clientId);
    await eventually(async () => {
      expect(Object.keys((await fetchSets(streamId)).sets)).to.have.length.above(0);
    });
    expect(Object.keys((await fetchSets(streamId)).sets)).to.have.length(1);
  });

  it('tells of credentials of citizens who consented, and of the end of the last one (CAEP 1.0 §3)', async () => {
    const person = '110000000002';
    const [{ phone }] = (await demo.answering(person)) as [Awaited<ReturnType<typeof demo.enrol>>];
    const known = await aReceiver();
    const unknown = await aReceiver({ sector: 'another.example.mn' });
    const streamId = await known.create();
    const other = await unknown.create();
    const neighbour = await aReceiver({ sector: 'neighbour.example.mn' });
    const next = await neighbour.create();
    await logIn(neighbour.configuration, { citizen: person });
    const { tokens } = await logIn(known.configuration, { citizen: person });
    await phone.deactivate();
    await eventually(async () => {
      expect(Object.keys((await known.fetchSets(streamId)).sets)).to.have.length(4);
    });
    const all = Object.values((await known.fetchSets(streamId)).sets).map((set) => decodeJwt(set));
    const changes = all
      .map((claims) => eventIn(claims, credentialChange))
      .filter((each) => each !== undefined)
      .map((each) => `${String(each['credential_type'])} ${String(each['change_type'])}`);
    expect(changes.sort()).to.deep.equal(['app revoke', 'x509 revoke', 'x509 revoke']);
    expect(all.filter((claims) => eventIn(claims, sessionRevoked) !== undefined)).to.have.length(1);
    for (const claims of all) {
      const sub = tokens.claims()?.sub;
      expect(claims['sub_id']).to.deep.equal({ format: 'iss_sub', iss: demo.origin, sub });
    }
    expect(JSON.stringify(all), 'nothing that two sectors share').not.to.match(/11\d{10}|serial/u);
    await eventually(async () => {
      expect(Object.keys((await neighbour.fetchSets(next)).sets)).to.have.length(4);
    });
    const theirs = Object.values((await neighbour.fetchSets(next)).sets).map((set) =>
      decodeJwt(set),
    );
    const idsIn = (claims: readonly JWTPayload[]) =>
      claims.flatMap(({ jti, txn, sub_id: about }) => [jti, txn, (about as Members)['sub']]);
    expect(idsIn(all)).not.to.include.any.members(idsIn(theirs));
    expect((await unknown.fetchSets(other)).sets).to.deep.equal({});
  });

  it('tells the clients of a browser that the citizen logged out there (CAEP 1.0 §3.1)', async () => {
    const bye = 'http://127.0.0.1:9/bye';
    const one = await aReceiver();
    const other = await aReceiver();
    const elsewhere = await aReceiver();
    const streams = [await one.create(), await other.create(), await elsewhere.create()] as const;
    const { tokens, browser } = await logIn(one.configuration, { citizen });
    await logIn(other.configuration, { citizen, browser });
    await logIn(elsewhere.configuration, { citizen });
    const stranger = await aReceiver({ backchannelLogoutUri: endpoint });
    const strange = await stranger.create();
    const silent = await beginLogin(stranger.configuration, { prompt: 'none' });
    const refused = await browser.open(silent.url.href, redirectUri);
    expect(new URL(refused.url).searchParams.get('error')).to.equal('consent_required');
    const end = openid.buildEndSessionUrl(one.configuration, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: bye,
    });
    const asked = await browser.open(end.href);
    const [, xsrf = ''] = /name="xsrf"\s+value="([^"]+)"/.exec(asked.text) ?? [];
    await browser.submit(`${demo.origin}/oidc/logout/confirm`, { xsrf, logout: 'yes' }, bye);
    for (const [client, streamId] of [
      [one, streams[0]],
      [other, streams[1]],
    ] as const) {
      await eventually(async () => {
        const [set = ''] = Object.values((await client.fetchSets(streamId)).sets);
        expect(eventIn(decodeJwt(set), sessionRevoked)).to.deep.include({
          initiating_entity: 'user',
          reason_admin: { en: 'The citizen logged out.' },
        });
      });
    }
    expect((await elsewhere.fetchSets(streams[2])).sets).to.deep.equal({});
    expect((await stranger.fetchSets(strange)).sets, 'of no login there').to.deep.equal({});
    expect(received, 'a logout token').to.deep.equal([]);
    const auditor = await demo.operators.signedIn('AUDITOR');
    for (const type of ['OIDC_LOGOUT', 'OIDC_SIGNAL_STREAM_CHANGE']) {
      await eventually(async () => {
        const { body } = await auditor.call('GET', `/audit?type=${type}`);
        expect(body['items'], type).to.have.length.above(0);
      });
    }
  });

  it('has four polls of a stream wait at once, and answers others at once', async () => {
    const { ask, create, fetchSets } = await aReceiver();
    const streamId = await create();
    const polls = Array.from({ length: 5 }, () =>
      fetchSets(streamId, { returnImmediately: false }),
    );
    expect((await Promise.race(polls)).sets).to.deep.equal({});
    await ask('POST', '/verify', { stream_id: streamId });
    const counts = (await Promise.all(polls)).map(({ sets }) => Object.keys(sets).length);
    expect(counts.sort()).to.deep.equal([0, 1, 1, 1, 1]);
  });

  it('waits for an event in a poll that may wait, and settles what the client could not read (RFC 8936 §2)', async () => {
    const { ask, create, fetchSets } = await aReceiver();
    const streamId = await create();
    const waits = fetchSets(streamId, { returnImmediately: false });
    await ask('POST', '/verify', { stream_id: streamId });
    const [[jti, set] = expect.fail()] = Object.entries((await waits).sets);
    expect(typeIn(set)).to.equal(verification);
    const none = await fetchSets(streamId, { maxEvents: 0 });
    expect(none).to.deep.equal({ sets: {}, moreAvailable: true });
    const setErrs = { [jti]: { err: 'invalid_state', description: 'Another state.' } };
    expect((await fetchSets(streamId, { setErrs })).sets).to.deep.equal({});
    const [shown] = await messagesOf(streamId);
    expect(shown).to.include({ id: jti, state: 'DEAD', reason: 'invalid_state: Another state.' });
  });
});
