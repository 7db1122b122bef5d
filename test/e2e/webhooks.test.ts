import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import * as openid from 'openid-client';
import { verifyWebhook, type WebhookEvent } from '../../client/webhooks.ts';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import { call } from '../../main/drill/callers.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { aParty } from '../support/given/wishes.ts';
import {
  type DemoInstallation,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { discoverAs, logIn, registerClient } from '../support/oidc/oidcLogin.ts';
import { openOperatorWorld, type SignedInOperator } from '../support/worlds/operatorWorld.ts';

const civilId = '110000000001';

interface Party {
  readonly relyingPartyId: string;
  readonly apiSecret: string;
}

interface Message {
  readonly id: string;
  readonly type: string;
  readonly state: string;
}

describe('Events that a relying party is told of', function () {
  this.timeout(120_000);
  let demo: DemoInstallation;
  let operator: SignedInOperator;
  let admin: SignedInOperator;
  let told: Party;
  let other: Party;
  let address: string;
  let receiver: Server;
  let secret: string;
  let status = 204;
  const received: WebhookEvent[] = [];

  before(async () => {
    receiver = createServer((request, response) => {
      void text(request).then((body) => {
        if (status === 204) {
          received.push(verifyWebhook({ body, headers: request.headers, keys: secret }));
        }
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    address = `http://localhost:${(receiver.address() as AddressInfo).port}/events`;
    demo = await startDemoInstallation({ SVC_ADMIN_REQUIRE_4EYES: 'true' });
    const operators = openOperatorWorld(demo.service.origin);
    operator = await operators.signedIn('RP_OPERATOR');
    admin = await operators.signedIn('SUPER_ADMIN');
    const { registerRelyingParty } = demo.service;
    told = await registerRelyingParty(
      aParty('Told', ['AUTH'], { webhooks: [{ address, events: [] }] }),
    );
    other = await registerRelyingParty(
      aParty('Another', ['AUTH'], { webhooks: [{ address, events: [] }] }),
    );
    const made = await own(told, 'POST', '/keys');
    expect(made.status).to.equal(200);
    ({ secret } = made.body as { readonly secret: string });
  });

  after(async () => {
    receiver.close();
    await demo.stop();
  });

  const own = ({ apiSecret }: Party, method: 'GET' | 'POST', path = '', body?: object) =>
    call(`${demo.service.origin}/v3/rp/webhooks${path}`, {
      method,
      headers: { authorization: `Bearer ${apiSecret}` },
      ...(body !== undefined && { body }),
    });

  const messagesOf = async (party: Party) => {
    const { body } = await own(party, 'GET', '/messages');
    return (body as unknown as { readonly messages: readonly Message[] }).messages;
  };

  async function login(
    { relyingPartyId, apiSecret }: Party,
    name: string,
    citizen = civilId,
  ): Promise<string> {
    const { status: started, body } = await call(
      `${demo.service.origin}/v3/authentication/notification/etsi/PNOMN-${citizen}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${apiSecret}` },
        body: {
          relyingPartyUUID: relyingPartyId,
          relyingPartyName: name,
          certificateLevel: 'QUALIFIED',
          signatureProtocol: 'ACSP_V2',
          interactions: [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }],
          ...newChallenge(),
        },
      },
    );
    expect(started).to.equal(200);
    return String(body['sessionID']);
  }

  it('are its sessions, and the ends of phones it met, in ids alone', async () => {
    const { phone, pin1, documentNumber } = await demo.enrol(civilId);
    const sessionId = await login(told, 'Told');
    await phone.confirm(await phone.open(sessionId), pin1);
    await eventually(() => expect(received).to.have.length(1));
    expect(received[0]).to.deep.include({
      type: 'session.completed',
      data: { sessionId, endResult: 'OK' },
    });
    await phone.deactivate();
    await eventually(() => expect(received).to.have.length(4));
    const ends = received.slice(1);
    expect(ends.map(({ type }) => type).sort()).to.deep.equal([
      'certificate.revoked',
      'certificate.revoked',
      'device.ended',
    ]);
    expect(ends.find(({ type }) => type === 'device.ended')?.data).to.include({ documentNumber });
    expect(JSON.stringify(received)).not.to.match(/11\d{10}/u);
    await eventually(async () => {
      const shown = await messagesOf(told);
      expect(shown.map(({ id }) => id).sort()).to.deep.equal(received.map(({ id }) => id).sort());
      expect(new Set(shown.map(({ state }) => state))).to.deep.equal(new Set(['DELIVERED']));
    });
    expect(await messagesOf(other)).to.deep.equal([]);
  });

  it('are nothing of the logins of its OpenID Connect client, whose sessions it cannot read either', async () => {
    const { service } = demo;
    const { phone, pin1, documentNumber, citizen } = await demo.enrol('110000000002');
    const client = await discoverAs(
      service.origin,
      await registerClient(
        { service, relyingPartyId: told.relyingPartyId },
        { backchannelTokenDeliveryMode: 'poll' },
      ),
    );
    const before = received.length;
    const asked = await openid.initiateBackchannelAuthentication(client, {
      scope: 'openid',
      login_hint: documentNumber,
    });
    const [sessionId = ''] = await phone.inbox({ timeoutMs: 10_000 });
    const path = `${service.origin}/v3/session/${sessionId}`;
    const headers = { authorization: `Bearer ${told.apiSecret}` };
    const nothing = async (when: string) => {
      for (const answer of [
        await call(`${path}?timeoutMs=0`, { headers }),
        await call(`${path}/events`, { headers }),
        await call(path, { headers, method: 'DELETE' }),
      ]) {
        const { status: answered, body } = answer;
        expect([answered, body['code']], when).to.deep.equal([404, 'SESSION_NOT_FOUND']);
      }
    };
    await nothing('while it runs');
    await phone.confirm(await phone.open(sessionId), pin1);
    await nothing('once it ended');
    const tokens = await openid.pollBackchannelAuthenticationGrant(client, asked);
    expect(tokens.claims()).to.include.keys('sub').and.not.to.include.keys('given_name');
    // Told in the order of the log: what comes next is told alone.
    const own = await login(told, 'Told', citizen.civilId);
    await phone.refuse(own, 'USER_REFUSED');
    await phone.deactivate();
    await eventually(() => expect(received).to.have.length(before + 1));
    expect(received.at(-1)?.data).to.deep.equal({ sessionId: own, endResult: 'USER_REFUSED' });
    const other = await demo.enrol(civilId);
    const last = await login(told, 'Told');
    await other.phone.confirm(await other.phone.open(last), other.pin1);
    await eventually(() => expect(received).to.have.length(before + 2));
    expect(received.at(-1)?.data, 'it never met the phone').to.include({ sessionId: last });
  });

  it('are the signatures of documents that its client made for a citizen', async () => {
    const { service } = demo;
    const phone = await demo.enrol('110000000003');
    const client = await discoverAs(
      service.origin,
      await registerClient({ service, relyingPartyId: told.relyingPartyId }),
    );
    const phones = startScriptedPhones([{ ...phone, outcome: 'OK' }]);
    const { civilId: citizen } = phone.citizen;
    const scope = 'openid documents.read documents.manage documents.sign';
    const { tokens } = await logIn(client, { citizen, parameters: { scope } });
    await phones.stop();
    const ask = (path: string, body: object) =>
      call(`${service.origin}/documents${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.access_token}` },
        body,
      });
    const document = await ask('', { title: 'Гэрээ', doc_type: 'CONTRACT' });
    const documentId = String(document.body['id']);
    const started = await ask(`/${documentId}/sign/eid/start`, { reg_number: citizen });
    const session_id = String(started.body['session_id']);
    const before = received.length;
    await phone.phone.confirm(await phone.phone.open(session_id), phone.pin2);
    await ask(`/${documentId}/sign/eid/poll`, { session_id, timeout_ms: 20_000 });
    await eventually(() => expect(received).to.have.length(before + 1));
    expect(received.at(-1)).to.deep.include({
      type: 'document.signed',
      data: { documentId, sessionId: session_id, digest: null },
    });
  });

  it('that were not taken are seen by operators and the relying party, and sent again by both', async () => {
    status = 410;
    const path = `/relying-parties/${told.relyingPartyId}/webhook-messages`;
    const dead = async (count: number) => {
      await eventually(async () => {
        const { body } = await operator.call('GET', path);
        const { messages } = body as unknown as { readonly messages: readonly Message[] };
        expect(messages.filter(({ state }) => state === 'DEAD')).to.have.length(count);
      });
    };
    const { phone, pin1 } = await demo.enrol(civilId);
    const sessionId = await login(told, 'Told');
    await phone.confirm(await phone.open(sessionId), pin1);
    await dead(1);
    const { undelivered } = (await admin.call('GET', '/system')).body;
    const [shown] = undelivered as object[];
    const { relyingPartyId: clientId } = told;
    expect(shown).to.include({ kind: 'WEBHOOK', clientId, givenUp: 1 });
    const before = received.length;
    status = 204;
    expect((await own(other, 'POST', '/messages/resend', {})).body).to.deep.equal({ resent: 0 });
    const [{ id } = expect.fail()] = await messagesOf(told);
    expect((await own(other, 'POST', '/messages/resend', { id })).body).to.deep.equal({
      resent: 0,
    });
    const again = await operator.call('POST', `${path}/resend`, { id });
    expect([again.status, again.body]).to.deep.equal([200, { resent: 1 }]);
    await eventually(() => expect(received).to.have.length(before + 1));
    expect(received.at(-1)).to.deep.include({ id, data: { sessionId, endResult: 'OK' } });
    await dead(0);
  });

  it('are requests of operators about it that wait for approval', async () => {
    const { relyingPartyId } = told;
    const before = received.length;
    const asked = await operator.call('PATCH', `/relying-parties/${relyingPartyId}`, {
      relyingPartyName: 'Told again',
    });
    expect(asked.status).to.equal(202);
    const { id: approvalId, expiresAt } = asked.body;
    await eventually(() => expect(received).to.have.length(before + 1));
    const operation = 'relyingParty.edit';
    expect(received.at(-1)).to.deep.include({
      type: 'approval.waiting',
      data: { approvalId, operation, subject: relyingPartyId, expiresAt },
    });
  });

  it('are sent elsewhere by two operators, and no more by one', async () => {
    const path = `/relying-parties/${other.relyingPartyId}`;
    const elsewhere = await operator.call('PATCH', path, {
      webhooks: [{ address }, { address: 'https://elsewhere.example/' }],
    });
    expect([elsewhere.status, elsewhere.body['status']]).to.deep.equal([202, 'PENDING']);
    expect(elsewhere.body['effects']).to.deep.equal([
      {
        target: 'webhooks of relying party Another',
        before: address,
        after: `${address} https://elsewhere.example/`,
      },
    ]);
    const types = ['session.completed', 'device.ended'];
    const fewer = await operator.call('PATCH', path, { webhooks: [{ address, events: types }] });
    expect([fewer.status, fewer.body['webhooks']]).to.deep.equal([
      200,
      [{ address, events: types }],
    ]);
    const all = await operator.call('PATCH', path, { webhooks: [{ address }] });
    expect(all.status).to.equal(200);
    const before = await operator.call('GET', path);
    expect(before.body['webhooks']).to.deep.equal([{ address, events: [] }]);
    const none = await operator.call('PATCH', path, { webhooks: [] });
    expect([none.status, none.body['webhooks']]).to.deep.equal([200, []]);
    const unusable = await operator.call('PATCH', path, {
      webhooks: [{ address: 'http://rp.example/' }],
    });
    expect(unusable.status).to.equal(400);
    const twice = await operator.call('PATCH', path, { webhooks: [{ address }, { address }] });
    expect([twice.status, twice.body['errors']]).to.deep.equal([
      400,
      [{ pointer: '/webhooks/1', detail: 'Named twice.' }],
    ]);
  });

  it('are signed under new keys and, for a day, under those before', async () => {
    const { body } = await own(told, 'GET');
    expect(body).to.include.keys('addresses', 'publicKeys');
    expect(body).to.deep.include({ addresses: [{ address, events: [] }] });
    const [publicKey] = (body as unknown as { readonly publicKeys: readonly string[] }).publicKeys;
    const former = secret;
    const made = await own(told, 'POST', '/keys');
    expect(made.body['secret'])
      .to.match(/^whsec_/)
      .and.not.equal(former);
    const after = await own(told, 'GET');
    const { publicKeys } = after.body as unknown as { readonly publicKeys: readonly string[] };
    expect(publicKeys).to.deep.equal([made.body['publicKey'], publicKey]);
    const elsewhere = await own(other, 'GET');
    expect(elsewhere.body['publicKeys']).not.to.deep.include(publicKey);
  });
});
