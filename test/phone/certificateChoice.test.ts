import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { authCodeOf } from '../../domain/session/deviceLink.ts';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import { type LoopWorld, openLoopWorld } from '../support/worlds/loopWorld.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { openAsScripted } from '../support/programs/openAsScripted.ts';
import { bold, saran, cardOf } from '../support/given/persons.ts';

const pins = { pin1: '1111', pin2: '22222' };
const choice = '/signature/certificate-choice';
const digest = createHash('sha256').update('contract').digest('base64');
const interactions = Buffer.from(
  JSON.stringify([{ type: 'displayTextAndPIN', displayText60: 'Гэрээ' }]),
).toString('base64');

describe('A certificate choice', () => {
  let loop: LoopWorld;
  let boldPhone: Phone;
  let saranPhone: Phone;
  let boldDocument: string;
  let saranDocument: string;

  before(async () => {
    loop = await openLoopWorld();
    [boldPhone, saranPhone] = await Promise.all([enrol(bold), enrol(saran)]);
    boldDocument = (await boldPhone.identity())?.documentNumber ?? '';
    saranDocument = (await saranPhone.identity())?.documentNumber ?? '';
  });

  after(() => loop.close());

  async function enrol(record: typeof bold): Promise<Phone> {
    const now = () => loop.world.clock.now();
    const store = createMemoryPhoneStore();
    const phone = createPhone({ baseUrl: loop.origin, store, now });
    await phone.enrol({ card: cardOf(record), ...pins });
    return phone;
  }

  const scripted = (phone: Phone) => ({ phone, ...pins, outcome: 'OK' }) as const;

  function post(path: string, fields: object = {}): Promise<Answer> {
    return call(`${loop.origin}/v3${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${loop.secret}` },
      body: {
        relyingPartyUUID: loop.relyingPartyId,
        relyingPartyName: 'DEMO',
        certificateLevel: 'QUALIFIED',
        ...fields,
      },
    });
  }

  async function poll(sessionId: unknown) {
    const url = `${loop.origin}/v3/session/${String(sessionId)}?timeoutMs=10000`;
    return (await call(url, { headers: { authorization: `Bearer ${loop.secret}` } })).body;
  }

  /** The link as a relying party makes it: three fields of its authCode are empty. */
  function linkOf(body: Answer['body'], initialCallbackUrl = ''): string {
    const { sessionToken, sessionSecret, deviceLinkBase } = body as Record<string, string>;
    const unsigned =
      `${deviceLinkBase ?? ''}?deviceLinkType=App2App&sessionToken=${sessionToken ?? ''}` +
      '&sessionType=cert&version=1.0&lang=mon';
    const session = {
      scheme: 'smart-id',
      signatureProtocol: '',
      challengeOrDigest: '',
      interactions: '',
      relyingPartyName: 'DEMO',
      brokerName: '',
      initialCallbackUrl,
    };
    const link = { unsigned, deviceLinkType: 'App2App' } as const;
    return `${unsigned}&authCode=${authCodeOf(session, sessionSecret ?? '', link)}`;
  }

  const signature = (linkedSessionID: unknown, fields: object = {}) => ({
    signatureProtocol: 'RAW_DIGEST_SIGNATURE',
    signatureProtocolParameters: { digest },
    interactions,
    linkedSessionID,
    ...fields,
  });

  it('by device link ends with the signing certificate of the citizen who opened it, and no signature', async () => {
    const initialCallbackUrl = 'https://rp.example.com/?state=1';
    const { status, body } = await post(`${choice}/device-link/anonymous`, { initialCallbackUrl });
    expect(status).to.equal(200);
    expect(Object.keys(body)).to.have.members([
      ...['sessionID', 'sessionToken', 'sessionSecret', 'deviceLinkBase'],
    ]);
    const link = linkOf(body, initialCallbackUrl);
    const { request, endResult, returnTo } = await openAsScripted(scripted(saranPhone), link);
    expect([request.kind, request.pin, endResult]).to.deep.equal([
      'CERTIFICATE_CHOICE',
      null,
      'OK',
    ]);
    expect(returnTo).to.match(
      /^https:\/\/rp\.example\.com\/auth\/eid\/callback\?state=1&sessionSecretDigest=[\w-]{43}$/,
    );
    const result = await poll(body['sessionID']);
    expect(Object.keys(result)).to.have.members(['state', 'result', 'cert', 'onBehalfOf']);
    expect(result['result']).to.deep.equal({ endResult: 'OK', documentNumber: saranDocument });
    const { value, certificateLevel } = result['cert'] as Record<string, string>;
    expect(certificateLevel).to.equal('QUALIFIED');
    const { signing } = (await loop.world.referenceData.device(saranDocument)) ?? {};
    expect(value).to.equal(signing?.certificate);
  });

  it('by device link for one person is nothing to others', async () => {
    const { body } = await post(`${choice}/device-link/etsi/${bold.civilId}`);
    const stranger = await rejection(saranPhone.open(linkOf(body)));
    expect(stranger).to.have.property('code', 'SESSION_NOT_FOUND');
    expect((await openAsScripted(scripted(boldPhone), linkOf(body))).endResult).to.equal('OK');
  });

  it('by push is answered by a scripted phone as it answers everything', async () => {
    for (const outcome of ['OK', 'USER_REFUSED_CERT_CHOICE', 'DOCUMENT_UNUSABLE'] as const) {
      const running = startScriptedPhones([{ phone: boldPhone, ...pins, outcome }]);
      try {
        const { body } = await post(`${choice}/notification/etsi/PNOMN-${bold.civilId}`, {
          nonce: outcome,
        });
        expect(Object.keys(body)).to.deep.equal(['sessionID']);
        expect(await poll(body['sessionID'])).to.have.nested.property('result.endResult', outcome);
      } finally {
        await running.stop();
      }
    }
  });

  it('is not answered by a signature, nor a signature by a certificate', async () => {
    const { body } = await post(`${choice}/device-link/anonymous`);
    const request = await boldPhone.open(linkOf(body));
    const asSignature = await rejection(boldPhone.confirm(request, pins.pin2));
    expect(asSignature).to.be.instanceOf(Error);
    const login = await loop
      .client()
      .auth.deviceLinkAnonymous([{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' }]);
    const authentication = await boldPhone.open(login.sessionId);
    expect(await rejection(boldPhone.giveCertificate(authentication))).to.include({
      status: 400,
      code: 'INVALID_REQUEST',
    });
    expect(await boldPhone.giveCertificate(request)).to.equal('OK');
    expect(await boldPhone.giveCertificate(request)).to.equal('OK');
  });

  describe('is continued by a linked signature', () => {
    async function chosen(by: Phone = boldPhone) {
      const { body } = await post(`${choice}/device-link/anonymous`);
      await openAsScripted(scripted(by), linkOf(body));
      return body['sessionID'];
    }

    it('on the same phone', async () => {
      const running = startScriptedPhones([scripted(boldPhone)]);
      try {
        const linked = await chosen();
        const { status, body } = await post(
          `/signature/notification/linked/${boldDocument}`,
          signature(linked),
        );
        expect(status).to.equal(200);
        const result = await poll(body['sessionID']);
        expect(result).to.include({ signatureProtocol: 'RAW_DIGEST_SIGNATURE' });
        expect(result['result']).to.deep.equal({ endResult: 'OK', documentNumber: boldDocument });
      } finally {
        await running.stop();
      }
    });

    it('and by nothing that is not: another document, a push, one still running, none', async () => {
      const byBold = await chosen();
      const { body: pushed } = await post(`${choice}/notification/etsi/${bold.civilId}`);
      await boldPhone.giveCertificate(await boldPhone.open(String(pushed['sessionID'])));
      const { body: running } = await post(`${choice}/device-link/anonymous`, { nonce: '1' });
      for (const [document, linked] of [
        [saranDocument, byBold],
        [boldDocument, pushed['sessionID']],
        [boldDocument, running['sessionID']],
      ]) {
        const answer = await post(
          `/signature/notification/linked/${String(document)}`,
          signature(linked),
        );
        expect([answer.status, answer.body['errors']]).to.deep.equal([
          400,
          [
            {
              pointer: '/linkedSessionID',
              detail:
                'Must be a certificate choice by device link that ended with OK on this document.',
            },
          ],
        ]);
      }
      const unknown = await post(
        `/signature/notification/linked/${boldDocument}`,
        signature('6f9619ff-8b86-4d01-b42d-00cf4fc964ff'),
      );
      expect([unknown.status, unknown.body['code']]).to.deep.equal([404, 'SESSION_NOT_FOUND']);
      const missing = await post(
        `/signature/notification/linked/${boldDocument}`,
        signature(undefined),
      );
      expect(missing.body['errors']).to.have.nested.property('0.pointer', '/linkedSessionID');
    });

    it('within the life of the choice', async () => {
      const linked = await chosen();
      loop.world.clock.advance(600_000);
      const { status } = await post(
        `/signature/notification/linked/${boldDocument}`,
        signature(linked),
      );
      expect(status).to.equal(404);
    });
  });

  it('can be skipped when the document is known: its certificate is returned at once', async () => {
    const { status, body } = await post(`/signature/certificate/${boldDocument}`);
    expect([status, body['state']]).to.deep.equal([200, 'OK']);
    const { value } = body['cert'] as Record<string, string>;
    const { body: session } = await post(`${choice}/device-link/anonymous`, { nonce: 'spared' });
    await openAsScripted(scripted(boldPhone), linkOf(session));
    expect(await poll(session['sessionID'])).to.have.nested.property('cert.value', value);

    const unknown = await post('/signature/certificate/6f9619ff-8b86-4d01-b42d-00cf4fc964ff');
    expect([unknown.status, unknown.body['code']]).to.deep.equal([404, 'DOCUMENT_NOT_FOUND']);
    const higher = await post(`/signature/certificate/${boldDocument}`, {
      certificateLevel: 'QSCD',
    });
    expect([higher.status, higher.body['code']]).to.deep.equal([404, 'NO_SUITABLE_CERTIFICATE']);
    const foreign = await post(`/signature/certificate/${boldDocument}`, {
      relyingPartyUUID: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    });
    expect(foreign.status).to.equal(401);
  });
});
