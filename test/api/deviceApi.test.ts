import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { verificationCode } from '../../domain/shared/digest.ts';
import { base64, fromBase64 } from '../../apps/phone/bytes.ts';
import {
  deviceProof,
  newKeyPair,
  publicKeyOf,
  sha256,
  signPayload,
} from '../../apps/phone/crypto.ts';
import { verifyByCitizenCard } from '../../apps/phone/identityVerification.ts';
import { acspV2Layout, type Call, enrolmentProofLayout } from '../../apps/phone/layouts.ts';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import type { PhoneStore } from '../../apps/phone/phoneState.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { unlock } from '../../apps/phone/pinKeys.ts';
import { createService } from '../../apps/phone/service.ts';
import { sign } from '../../apps/phone/signing.ts';
import { createAddressLimit } from '../../api/bounds/admission.ts';
import { createKycRoutes } from '../../api/kyc/routes.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { startTestServer } from '../support/http/http.ts';
import { compressed } from '../support/pki/oddCertificates.ts';
import { oddRsaKeyPair, rsaKey } from '../support/pki/pkiFixtures.ts';
import { type DeviceWorld, openDeviceWorld } from '../support/worlds/deviceWorld.ts';
import { bold, saran, cardOf } from '../support/given/persons.ts';

interface Owned {
  readonly phone: Phone;
  readonly store: PhoneStore;
  readonly documentNumber: string;
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describe('The device API', () => {
  let world: DeviceWorld;
  let origin: string;
  let stop: () => Promise<void>;
  let boldPhone: Owned;
  let saranPhone: Owned;

  before(async () => {
    world = await openDeviceWorld();
    const served = await world.serve();
    ({ origin } = served);
    stop = () => served.server.stop();
    boldPhone = await enrol(bold);
    saranPhone = await enrol(saran, 'RSA');
  });

  after(async () => {
    await stop();
    await world.stop();
  });

  async function enrol(record: typeof bold, keyType: 'P-256' | 'RSA' = 'P-256'): Promise<Owned> {
    const store = createMemoryPhoneStore();
    const phone = createPhone({ baseUrl: origin, store, keyType });
    const { documentNumber } = await phone.enrol({
      card: cardOf(record),
      pin1: '1111',
      pin2: '22222',
    });
    return { phone, store, documentNumber };
  }

  async function transportKey({ store }: Owned) {
    const state = await store.load();
    if (state === null) throw new Error('no phone');
    return state.transport;
  }

  async function send(
    method: string,
    path: string,
    options: { readonly proof?: string; readonly body?: string } = {},
  ): Promise<Answer> {
    const { proof, body } = options;
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(proof === undefined ? {} : { dpop: proof }),
      },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  async function proofOf(owned: Owned, changes: Partial<Call> = {}): Promise<string> {
    const call = { method: 'GET', path: '/v3/device', body: '', time: new Date(), ...changes };
    return deviceProof(await transportKey(owned), owned.documentNumber, call);
  }

  /** A confirmation as the phone would send it, signed by the PIN1 key of `signer`. */
  async function confirmation(sessionId: string, signer: Owned): Promise<string> {
    const { started } = await runningSession(sessionId);
    const state = await signer.store.load();
    if (state === null) throw new Error('no phone');
    const challenge = fromBase64(started.rpChallenge ?? '');
    const payload = acspV2Layout(challenge, state.keys.PIN1.publicKey);
    const pin1 = { name: 'PIN1', pin: '1111' } as const;
    const signature = await unlock(signer.store, pin1, (key) => sign(key, { payload }));
    return JSON.stringify({
      verificationCode: started.verificationCode,
      signature: base64(signature),
      interactionTypeUsed: 'displayTextAndPIN',
    });
  }

  async function runningSession(sessionId: string) {
    const { state } = await world.sessions.load(sessionId);
    if (state.status === 'NONE') throw new Error('no session');
    return state;
  }

  async function confirm(sessionId: string, as: Owned, body: string): Promise<Answer> {
    const path = `/v3/device/sessions/${sessionId}/confirm`;
    return send('POST', path, { body, proof: await proofOf(as, { method: 'POST', path, body }) });
  }

  describe('asks every call for a proof', () => {
    const refusedWith = (answer: Answer, status: number, code: string) => {
      expect(answer.status).to.equal(status);
      expect(answer.body['code']).to.equal(code);
    };

    it('and takes that of a key enrolled with its point compressed, as a release before did', async () => {
      const { devices, device } = world.referenceData;
      const known = await device(boldPhone.documentNumber);
      if (known === null) throw new Error('There is no such device.');
      const odd = compressed(Buffer.from(known.transportKey, 'base64')).toString('base64');
      devices.push({ ...known, transportKey: odd });
      const { status } = await send('GET', '/v3/device', { proof: await proofOf(boldPhone) });
      devices.pop();
      expect(status).to.equal(200);
    });

    it('and lets a fresh one of the device in', async () => {
      const answer = await send('GET', '/v3/device', { proof: await proofOf(boldPhone) });
      expect(answer.status).to.equal(200);
      expect(answer.body).to.include({ documentNumber: boldPhone.documentNumber, active: true });
    });

    it('and refuses none, and anything that is not one', async () => {
      for (const proof of [
        undefined,
        'x',
        'a.b.c',
        `${'a'.repeat(5000)}.b.c`,
        `e30.e30.${'A'.repeat(86)}`,
      ]) {
        const options = proof === undefined ? {} : { proof };
        refusedWith(await send('GET', '/v3/device', options), 401, 'DEVICE_PROOF_INVALID');
      }
    });

    it('and refuses a stale one and one from the future', async () => {
      // Whole seconds: what is left of the second is cut off.
      for (const seconds of [-61, 62]) {
        const time = new Date(Date.now() + seconds * 1000);
        const proof = await proofOf(boldPhone, { time });
        refusedWith(await send('GET', '/v3/device', { proof }), 401, 'DEVICE_PROOF_INVALID');
      }
    });

    it('and refuses a replayed one', async () => {
      const proof = await proofOf(boldPhone);
      expect((await send('GET', '/v3/device', { proof })).status).to.equal(200);
      refusedWith(await send('GET', '/v3/device', { proof }), 401, 'DEVICE_PROOF_REPLAYED');
    });

    it('and refuses one made for another method, path, query or body', async () => {
      const sessionId = await world.start();
      const path = `/v3/device/sessions/${sessionId}/refuse`;
      const body = '{"reason":"USER_REFUSED"}';
      const right = { method: 'POST', path, body };
      for (const wrong of [
        { ...right, method: 'GET' },
        { ...right, path: `${path}?x=1` },
        { ...right, path: path.replace('refuse', 'confirm') },
        { ...right, body: '{"reason":"WRONG_VC"}' },
      ]) {
        const proof = await proofOf(boldPhone, wrong);
        refusedWith(await send('POST', path, { proof, body }), 401, 'DEVICE_PROOF_INVALID');
      }
      expect(await world.outcomeOf(sessionId)).to.equal(null);
      expect(
        (await send('POST', path, { proof: await proofOf(boldPhone, right), body })).status,
      ).to.equal(200);
    });

    it("and refuses one by another device's key, and of an unknown device, alike", async () => {
      const call = { method: 'GET', path: '/v3/device', body: '', time: new Date() };
      const foreign = await deviceProof(
        await transportKey(saranPhone),
        boldPhone.documentNumber,
        call,
      );
      const unknown = await deviceProof(
        await transportKey(saranPhone),
        '00000000-0000-8000-8000-000000000000',
        call,
      );
      const [first, second] = [
        await send('GET', '/v3/device', { proof: foreign }),
        await send('GET', '/v3/device', { proof: unknown }),
      ];
      refusedWith(first, 401, 'DEVICE_PROOF_INVALID');
      expect({ ...second.body, instance: null }).to.deep.equal({ ...first.body, instance: null });
    });
  });

  describe('confirms', () => {
    for (const [name, owned] of [
      ['P-256', () => boldPhone],
      ['RSA', () => saranPhone],
    ] as const) {
      it(`an authentication and a signature with ${name} keys`, async () => {
        const { phone } = owned();
        const { civilId } = name === 'P-256' ? bold : saran;
        const login = await phone.open(await world.start({ civilId }));
        expect(login).to.include({ relyingPartyName: 'DEMO', pin: 'PIN1' });
        expect(login.interactions[0]?.displayText60).to.equal('Log in to DEMO');
        expect(await phone.confirm(login, '1111')).to.equal('OK');
        const contract = await phone.open(await world.start({ civilId, kind: 'SIGNATURE' }));
        expect(contract.pin).to.equal('PIN2');
        expect(await phone.confirm(contract, '22222')).to.equal('OK');
        const outcome = await world.outcomeOf(contract.sessionId);
        expect(outcome?.confirmation?.signatureAlgorithm).to.equal(
          name === 'P-256' ? 'ecdsa-with-SHA256' : 'sha256WithRSAEncryption',
        );
      });

      it(`a signature over a SHA-512 digest with ${name} keys`, async () => {
        const digest = randomBytes(64);
        const { civilId } = name === 'P-256' ? bold : saran;
        const sessionId = await world.start({
          civilId,
          kind: 'SIGNATURE',
          digest: digest.toString('base64'),
          hashType: 'SHA512',
          verificationCode: verificationCode(digest),
        });
        const request = await owned().phone.open(sessionId);
        expect(await owned().phone.confirm(request, '22222')).to.equal('OK');
        const outcome = await world.outcomeOf(sessionId);
        expect(outcome?.confirmation?.signatureAlgorithm).to.equal(
          name === 'P-256' ? 'ecdsa-with-SHA512' : 'sha512WithRSAEncryption',
        );
      });
    }

    it('never sends the verification code to the phone', async () => {
      const sessionId = await world.start();
      const { started } = await runningSession(sessionId);
      const path = `/v3/device/sessions/${sessionId}`;
      const { body } = await send('GET', path, { proof: await proofOf(boldPhone, { path }) });
      expect(Object.keys(body)).not.to.include('verificationCode');
      expect((await boldPhone.phone.open(sessionId)).verificationCode).to.equal(
        started.verificationCode,
      );
    });

    it('nothing with a wrong signature: the session stays open', async () => {
      const sessionId = await world.start();
      const good = JSON.parse(await confirmation(sessionId, boldPhone)) as { signature: string };
      const bytes = Buffer.from(good.signature, 'base64');
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      const body = JSON.stringify({ ...good, signature: bytes.toString('base64') });
      const answer = await confirm(sessionId, boldPhone, body);
      expect(answer.body['code']).to.equal('SIGNATURE_INVALID');
      expect(await world.outcomeOf(sessionId)).to.equal(null);
      expect((await confirm(sessionId, boldPhone, JSON.stringify(good))).status).to.equal(200);
    });

    it("nothing with another citizen's key", async () => {
      const sessionId = await world.start();
      const body = await confirmation(sessionId, saranPhone);
      const byBold = await confirm(sessionId, boldPhone, body);
      expect(byBold.body['code']).to.equal('SIGNATURE_INVALID');
      const bySaran = await confirm(sessionId, saranPhone, body);
      expect(bySaran.status).to.equal(404);
      expect(bySaran.body['code']).to.equal('SESSION_NOT_FOUND');
      expect(await world.outcomeOf(sessionId)).to.equal(null);
    });

    it('nothing with the PIN1 key where PIN2 is asked for', async () => {
      const request = await boldPhone.phone.open(await world.start({ kind: 'SIGNATURE' }));
      const refused = await boldPhone.phone
        .confirm({ ...request, pin: 'PIN1' }, '1111')
        .catch((error: unknown) => error);
      expect(refused).to.include({ code: 'SIGNATURE_INVALID' });
    });

    it('once: an identical retry has the same result, anything else is refused', async () => {
      const sessionId = await world.start();
      const body = await confirmation(sessionId, boldPhone);
      const first = await confirm(sessionId, boldPhone, body);
      const again = await confirm(sessionId, boldPhone, body);
      expect(again).to.deep.equal(first);
      const other = await confirm(sessionId, boldPhone, await confirmation(sessionId, boldPhone));
      expect(other.status).to.equal(409);
      expect(other.body['code']).to.equal('SESSION_ALREADY_COMPLETE');
    });

    it('once of many at the same time', async () => {
      const sessionId = await world.start();
      const answers = await Promise.all(
        Array.from({ length: 8 }, async () =>
          confirm(sessionId, boldPhone, await confirmation(sessionId, boldPhone)),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      expect(
        answers.filter(({ body }) => body['code'] === 'SESSION_ALREADY_COMPLETE'),
      ).to.have.length(7);
      const types = world.eventsOf(`session-${sessionId}`).map(({ type }) => type);
      expect(types).to.deep.equal(['SessionStarted', 'SessionConfirmed']);
    });

    it('nothing after the time is over', async () => {
      const sessionId = await world.start({ answerBefore: new Date(Date.now() - 1).toISOString() });
      const answer = await confirm(sessionId, boldPhone, await confirmation(sessionId, boldPhone));
      expect(answer.status).to.equal(410);
      expect(answer.body['code']).to.equal('SESSION_EXPIRED');
    });

    it('nothing below the level asked for', async () => {
      const sessionId = await world.start({ certificateLevel: 'QSCD' });
      const answer = await confirm(sessionId, boldPhone, await confirmation(sessionId, boldPhone));
      expect(answer.body['code']).to.equal('NO_SUITABLE_CERTIFICATE');
      expect(await world.outcomeOf(sessionId)).to.equal(null);
    });

    it('and ends the session with WRONG_VC when the code is another', async () => {
      const request = await boldPhone.phone.open(await world.start());
      expect(await boldPhone.phone.confirmWithWrongCode(request, '1111')).to.equal('WRONG_VC');
    });

    it('refuses malformed bodies with pointers', async () => {
      const sessionId = await world.start();
      for (const [body, pointer] of [
        ['{}', '/signature'],
        [
          '{"verificationCode":"123456","signature":"AAAA","interactionTypeUsed":"x"}',
          '/verificationCode',
        ],
        ['{"verificationCode":"1234","signature":"*","interactionTypeUsed":"x"}', '/signature'],
      ] as const) {
        const answer = await confirm(sessionId, boldPhone, body);
        expect(answer.status).to.equal(400);
        expect(JSON.stringify(answer.body['errors'])).to.contain(pointer);
      }
    });
  });

  describe('takes refusals', () => {
    for (const reason of [
      'USER_REFUSED',
      'DOCUMENT_UNUSABLE',
      'WRONG_VC',
      'PROTOCOL_FAILURE',
    ] as const) {
      it(`of kind ${reason}`, async () => {
        const sessionId = await world.start();
        expect(await boldPhone.phone.refuse(sessionId, reason)).to.equal(reason);
        expect(await boldPhone.phone.refuse(sessionId, reason)).to.equal(reason);
        expect((await world.outcomeOf(sessionId))?.endResult).to.equal(reason);
      });
    }

    it('and remembers which interaction was refused', async () => {
      const sessionId = await world.start();
      await boldPhone.phone.refuse(sessionId, 'USER_REFUSED_INTERACTION');
      expect((await world.outcomeOf(sessionId))?.refusedInteraction).to.equal('displayTextAndPIN');
    });
  });

  describe('opens device links', () => {
    it('for the first phone, by link or session id', async () => {
      const sessionId = await world.start({ civilId: null, flow: 'DEVICE_LINK' });
      const request = await saranPhone.phone.open(`tamga://approve?sessionId=${sessionId}`);
      const late = await boldPhone.phone.open(sessionId).catch((error: unknown) => error);
      expect(late).to.include({ code: 'SESSION_ALREADY_CLAIMED' });
      const stolen = await boldPhone.phone
        .refuse(sessionId, 'USER_REFUSED')
        .catch((error: unknown) => error);
      expect(stolen).to.include({ code: 'SESSION_NOT_FOUND' });
      expect(await saranPhone.phone.confirm(request, '1111')).to.equal('OK');
    });

    it('only for the citizen they are meant for', async () => {
      const sessionId = await world.start({ civilId: bold.civilId, flow: 'DEVICE_LINK' });
      const stranger = await saranPhone.phone.open(sessionId).catch((error: unknown) => error);
      expect(stranger).to.include({ code: 'SESSION_NOT_FOUND' });
      expect((await boldPhone.phone.open(sessionId)).sessionId).to.equal(sessionId);
    });
  });

  describe('keeps an inbox', () => {
    it('that answers at once with what is there, without what the phone has seen', async () => {
      const seen = await saranPhone.phone.inbox({ timeoutMs: 0 });
      const first = await world.start({ civilId: saran.civilId });
      const second = await world.start({ civilId: saran.civilId });
      expect(await saranPhone.phone.inbox({ seen })).to.deep.equal([first, second]);
      expect(await saranPhone.phone.inbox({ seen: [...seen, first] })).to.deep.equal([second]);
      const begun = Date.now();
      expect(
        await saranPhone.phone.inbox({ seen: [...seen, first, second], timeoutMs: 60 }),
      ).to.deep.equal([]);
      expect(Date.now() - begun).to.be.at.least(59);
    });

    it('that wakes when a session begins', async () => {
      const seen = await saranPhone.phone.inbox({ timeoutMs: 0 });
      const waiting = saranPhone.phone.inbox({ seen, timeoutMs: 20_000 });
      await world.untilListening(saran.civilId);
      const sessionId = await world.start({ civilId: saran.civilId });
      expect(await waiting).to.deep.equal([sessionId]);
    });

    it('that wakes when a request the phone shows is taken back, and not for what ended before', async () => {
      const former = await saranPhone.phone.inbox({ timeoutMs: 0 });
      const shown = await world.start({ civilId: saran.civilId });
      const told: (readonly string[])[] = [];
      const onEnded = (ended: readonly string[]) => told.push(ended);
      const over = randomUUID();
      const seen = [...former, shown, over];
      const waiting = saranPhone.phone.inbox({ seen, timeoutMs: 20_000, onEnded });
      await world.untilListening(saran.civilId);
      await world.cancel(shown);
      expect(await waiting).to.deep.equal([]);
      expect(told).to.have.length(1);
      expect(told[0]).to.include.members([shown, over]);
      const opened = await rejection(saranPhone.phone.open(shown));
      expect(opened).to.include({ code: 'SESSION_ALREADY_COMPLETE' });
    });

    it('without sessions meant for another device', async () => {
      const seen = await saranPhone.phone.inbox({ timeoutMs: 0 });
      await world.start({ civilId: saran.civilId, documentNumber: boldPhone.documentNumber });
      expect(await saranPhone.phone.inbox({ seen, timeoutMs: 20 })).to.deep.equal([]);
    });
  });

  describe('gives phones up', () => {
    it('and refuses them from then on', async () => {
      const owned = await enrol(bold);
      await owned.phone.deactivate();
      const refused = await owned.phone.status().catch((error: unknown) => error);
      expect(refused).to.include({ status: 403, code: 'DEVICE_NOT_ACTIVE' });
      const device = await world.referenceData.device(owned.documentNumber);
      expect(device?.authentication.status).to.equal('REVOKED');
      expect(device?.signing.status).to.equal('REVOKED');
    });
  });

  describe('enrols', () => {
    async function verifiedToken(): Promise<string> {
      const service = createService({ baseUrl: origin });
      return (await verifyByCitizenCard(service, cardOf(bold))).enrolmentToken;
    }

    async function enrolmentBody(token: string, changes: object = {}) {
      const key = async (name: string) => {
        const pair = await newKeyPair('P-256', false);
        const publicKey = await publicKeyOf(pair);
        const payload = enrolmentProofLayout(await sha256(token), name, publicKey);
        const proof = base64(await signPayload(pair.privateKey, payload));
        return { publicKey: base64(publicKey), proof };
      };
      const keys = {
        authentication: await key('authentication'),
        signing: await key('signing'),
        transport: await key('transport'),
      };
      return { enrolmentToken: token, platform: 'SIM', keys: { ...keys, ...changes } };
    }

    const post = (body: object) =>
      send('POST', '/v3/device/enrolments', { body: JSON.stringify(body) });

    it('the same device when the same request comes again', async () => {
      const body = await enrolmentBody(await verifiedToken());
      const first = await post(body);
      expect(first.status).to.equal(200);
      expect(await post(body)).to.deep.equal(first);
      const [one, two] = await Promise.all([post(body), post(body)]);
      expect([one, two]).to.deep.equal([first, first]);
    });

    it('nobody else with a token already used', async () => {
      const token = await verifiedToken();
      expect((await post(await enrolmentBody(token))).status).to.equal(200);
      const thief = await post(await enrolmentBody(token));
      expect(thief.body['code']).to.equal('ENROLMENT_TOKEN_INVALID');
    });

    it('one of two that come at once with different keys', async () => {
      const token = await verifiedToken();
      const answers = await Promise.all([
        post(await enrolmentBody(token)),
        post(await enrolmentBody(token)),
      ]);
      expect(answers.map(({ status }) => status).sort()[0]).to.equal(200);
      expect(
        answers.filter(({ body }) => body['code'] === 'ENROLMENT_TOKEN_INVALID'),
      ).to.have.length(1);
    });

    it('nobody without, or with an old, token', async () => {
      const token = await verifiedToken();
      const body = await enrolmentBody(token);
      const forged = `${bold.civilId}.${randomBytes(32).toString('base64url')}`;
      for (const enrolmentToken of ['x', forged]) {
        const answer = await post(await enrolmentBody(enrolmentToken));
        expect(answer.body['code']).to.equal('ENROLMENT_TOKEN_INVALID');
      }
      world.clock.advance(15 * 60_000);
      expect((await post(body)).body['code']).to.equal('ENROLMENT_TOKEN_INVALID');
      world.clock.advance(-15 * 60_000);
    });

    it('no key without a proof of possession for this enrolment and this use', async () => {
      const token = await verifiedToken();
      const good = await enrolmentBody(token);
      const elsewhere = await enrolmentBody(
        `${bold.civilId}.${randomBytes(32).toString('base64url')}`,
      );
      for (const changes of [
        { authentication: elsewhere.keys.authentication },
        { signing: { ...good.keys.signing, proof: good.keys.authentication.proof } },
        { transport: { ...good.keys.transport, proof: 'AAAA' } },
      ]) {
        const answer = await post({ ...good, keys: { ...good.keys, ...changes } });
        expect(answer.body['code']).to.equal('KEY_PROOF_INVALID');
      }
      expect((await post(good)).status).to.equal(200);
    });

    it('no key of a wrong kind, and no key twice', async () => {
      const token = await verifiedToken();
      const good = await enrolmentBody(token);
      const inOtherEncoding = ({ publicKey }: (typeof good.keys)['signing']) => ({
        publicKey: compressed(Buffer.from(publicKey, 'base64')).toString('base64'),
        proof: 'AAAA',
      });
      const rsa = (bits: number) => ({
        publicKey: rsaKey(bits).publicKey.toString('base64'),
        proof: 'AAAA',
      });
      for (const changes of [
        { signing: rsa(1024) },
        { transport: rsa(2048) },
        { signing: good.keys.authentication },
        { signing: { publicKey: 'AAAA', proof: 'AAAA' } },
        { signing: inOtherEncoding(good.keys.signing) },
        { transport: inOtherEncoding(good.keys.transport) },
      ]) {
        const answer = await post({ ...good, keys: { ...good.keys, ...changes } });
        expect(answer.status).to.equal(400);
        expect(answer.body['code']).to.equal('INVALID_REQUEST');
        expect(JSON.stringify(answer.body['errors'])).to.match(/keys\/(signing|transport)/);
      }
    });

    it('phones with RSA keys whose length is no whole number of bytes', async () => {
      const store = createMemoryPhoneStore();
      const phone = createPhone({
        baseUrl: origin,
        store,
        keyType: 'RSA',
        newKeys: () => oddRsaKeyPair(2049),
      });
      await phone.enrol({ card: cardOf(bold), pin1: '1111', pin2: '22222' });
      const request = await phone.open(await world.start({ kind: 'SIGNATURE' }));
      expect(await phone.confirm(request, '22222')).to.equal('OK');
    });
  });

  describe('verifies identities by the citizen card', () => {
    it('with one answer for whatever does not match', async () => {
      const right = cardOf(saran);
      const answers = [];
      for (const wrong of [
        { ...right, cardNumber: 'E99999999' },
        { ...right, birthDate: '1990-11-08' },
        { ...right, identifier: '999999999999' },
      ]) {
        const { status, body } = await send('POST', '/v3/kyc/citizen-card', {
          body: JSON.stringify(wrong),
        });
        answers.push({ status, ...body, instance: null });
      }
      expect(answers[0]).to.include({ code: 'IDENTITY_NOT_VERIFIED' });
      expect(answers[1]).to.deep.equal(answers[0]);
      expect(answers[2]).to.deep.equal(answers[0]);
    });

    it('and stops guessing, whichever way the person is named', async () => {
      const guess = async (identifier: string, cardNumber: string) =>
        send('POST', '/v3/kyc/citizen-card', {
          body: JSON.stringify({ ...cardOf(bold), identifier, cardNumber }),
        });
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const name = attempt % 2 === 0 ? bold.civilId : 'PNOMN-УБ85031512';
        statuses.push((await guess(name, `E0000099${attempt}`)).status);
      }
      expect(new Set(statuses).has(429)).to.equal(false);
      const stopped = await guess(bold.civilId, bold.cardNumber ?? '');
      expect(stopped.body['code']).to.equal('RATE_LIMITED');
      world.clock.advance(15 * 60_000);
      expect((await guess('уб85031512', ' e00000001 ')).status).to.equal(200);
      world.clock.advance(-15 * 60_000);
    });

    it('and slows an address down that tries one person after the other', async () => {
      const addressLimit = createAddressLimit({ name: 'slow', redis: null }, 2);
      const slow = await startTestServer(createKycRoutes({ ...world, addressLimit }));
      const codes = [];
      for (const digit of ['1', '2', '3']) {
        const answer = await fetch(`${slow.origin}/v3/kyc/citizen-card`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...cardOf(bold), identifier: digit.repeat(12) }),
        });
        codes.push(((await answer.json()) as { code: string }).code);
      }
      await slow.server.stop();
      const unknown = 'IDENTITY_NOT_VERIFIED';
      expect(codes).to.deep.equal([unknown, unknown, 'RATE_LIMITED']);
    });

    it('and lists the ways there are', async () => {
      const { body } = await send('GET', '/v3/kyc/methods');
      expect(body['methods']).to.deep.include({ method: 'citizenCard', available: true });
    });
  });
});
