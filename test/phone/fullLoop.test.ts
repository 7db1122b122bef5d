import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  ApiError,
  type AuthOptions,
  AuthenticationError,
  SessionFailedError,
  sha256Base64,
  ValidationError,
} from '../../client/index.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { simulatedSignals } from '../../apps/phone/riskSignals.ts';
import { type ScriptedOutcome, startScriptedPhones } from '../../apps/phone/scripted.ts';
import { type LoopWorld, openLoopWorld } from '../support/worlds/loopWorld.ts';
import { addRelyingParty } from '../support/worlds/relyingPartyWorld.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { bold, saran, cardOf } from '../support/given/persons.ts';

const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' }] as const;
const wait = { maxWaitMs: 20_000 };

describe('Relying party, service and phone together', () => {
  let loop: LoopWorld;
  let origin: string;
  let client: LoopWorld['client'];

  before(async () => {
    loop = await openLoopWorld();
    ({ origin, client } = loop);
  });

  after(() => loop.close());

  async function withPhone<Result>(
    outcome: ScriptedOutcome,
    use: (documentNumber: string) => Promise<Result>,
    options: { readonly record?: typeof bold; readonly keyType?: 'P-256' | 'RSA' } = {},
  ): Promise<Result> {
    const { record = bold, keyType = 'P-256' } = options;
    const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore(), keyType });
    const pins = { pin1: '1111', pin2: '22222' };
    const { documentNumber } = await phone.enrol({ card: cardOf(record), ...pins });
    const running = startScriptedPhones([{ phone, ...pins, outcome }]);
    try {
      return await use(documentNumber);
    } finally {
      await running.stop();
      await phone.deactivate();
    }
  }

  for (const keyType of ['P-256', 'RSA'] as const) {
    it(`authenticate a citizen whose phone has ${keyType} keys`, async () => {
      await withPhone(
        'OK',
        async (documentNumber) => {
          const rp = client();
          const session = await rp.auth.notificationByEtsi('PNOMN-УБ85031512', interactions);
          const result = await rp.session.waitForResult(session.sessionId, wait);
          const validated = rp.validator.validateAuth(result, session.rpChallenge);
          expect(validated).to.include({ documentNumber, certificateLevel: 'QUALIFIED' });
          expect(validated.subject.serialNumber).to.equal('PNOMN-110000000001');
          expect(result.person).to.include({ firstName: 'Болд', lastName: 'Дорж' });
          const other = await rp.auth.notificationByEtsi('PNOMN-110000000001', interactions);
          expect(() => rp.validator.validateAuth(result, other.rpChallenge)).to.throw(
            ValidationError,
          );
        },
        { keyType },
      );
    });

    it(`sign digests of every length with ${keyType} keys`, async () => {
      await withPhone(
        'OK',
        async (documentNumber) => {
          const rp = client();
          for (const hashType of ['SHA256', 'SHA384', 'SHA512'] as const) {
            const digest = createHash(hashType.toLowerCase()).update('contract').digest('base64');
            const session = await rp.sign.digestByDocument(documentNumber, digest, interactions, {
              hashType,
            });
            const result = await rp.session.waitForResult(session.sessionId, wait);
            const validated = rp.validator.validateSign(result, digest);
            expect(validated.statedByService.documentNumber).to.equal(documentNumber);
            const another = createHash(hashType.toLowerCase()).update('other').digest('base64');
            expect(() => rp.validator.validateSign(result, another)).to.throw(ValidationError);
          }
        },
        { keyType },
      );
    });
  }

  it('tell how far a request came: to a phone, onto its screen, and to its PIN field', async () => {
    const rp = client();
    const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
    await phone.enrol({ card: cardOf(bold), pin1: '1111', pin2: '22222' });
    const { sessionId } = await rp.auth.notificationByEtsi(`PNOMN-${bold.civilId}`, interactions);
    const progress = async () => (await rp.session.poll(sessionId, 0)).progress;
    expect(await progress()).to.equal(null);
    expect(await phone.inbox()).to.deep.equal([sessionId]);
    expect(await progress()).to.equal('DELIVERED');
    const request = await phone.open(sessionId);
    await phone.inbox();
    expect(await progress()).to.equal('OPENED');
    phone.showsPin(sessionId);
    await eventually(async () => expect(await progress()).to.equal('PIN_ENTRY'));
    await phone.confirm(request, '1111');
    expect(await rp.session.poll(sessionId, 0)).to.include({ endResult: 'OK', progress: null });
    const link = await rp.auth.deviceLinkAnonymous(interactions);
    await phone.open(link.sessionId);
    phone.showsPin(link.sessionId);
    const ofLink = async () => (await rp.session.poll(link.sessionId, 0)).progress;
    await eventually(async () => expect(await ofLink()).to.equal('PIN_ENTRY'));
    await phone.deactivate();
  });

  it('tell the signals of a phone that were asked for, when the citizen agrees', async () => {
    const { relyingPartyId, secret } = addRelyingParty(loop.world, {
      permissions: ['AUTH', 'SIGN', 'RISK_SIGNALS'],
    });
    const rp = client(secret, relyingPartyId);
    const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
    await phone.enrol({ card: cardOf(bold), pin1: '1111', pin2: '22222' });
    const etsi = `PNOMN-${bold.civilId}`;
    const names = ['platform', 'attested', 'rooted'] as const;

    async function asking(options: AuthOptions, tells?: boolean) {
      const { sessionId, rpChallenge } = await rp.auth.notificationByEtsi(
        etsi,
        interactions,
        options,
      );
      const request = await phone.open(sessionId);
      await phone.confirm(request, '1111', tells);
      const result = await rp.session.poll(sessionId, 0);
      return { request, result, rpChallenge };
    }

    const told = { platform: 'SIMULATED', attested: false, rooted: null };
    const agreed = await asking({ riskSignals: names, generation: 'G1' }, true);
    expect(agreed.request.riskSignals).to.deep.equal({ names, required: false });
    expect(agreed.result.riskSignals).to.deep.equal(told);
    const { statedByService } = rp.validator.validateAuth(agreed.result, agreed.rpChallenge);
    expect(statedByService.riskSignals).to.deep.equal(told);
    const refused = await asking({ riskSignals: names });
    expect(refused.result).to.include({ endResult: 'OK', riskSignals: null });
    const required = { riskSignals: true, riskSignalsRequired: true } as const;
    expect((await asking(required)).result.riskSignals).to.deep.equal(simulatedSignals);
    const unasked = await asking({}, true);
    expect(unasked.result).to.include({ endResult: 'OK', riskSignals: null });

    const without = await rejection(
      client().auth.notificationByEtsi(etsi, interactions, { riskSignals: true }),
    );
    expect(without).to.include({ code: 'PERMISSION_DENIED' });
    await phone.deactivate();
  });

  it('sign a text', async () => {
    await withPhone('OK', async () => {
      const rp = client();
      const session = await rp.sign.textByEtsi(bold.civilId, 'I agree', interactions);
      expect(session.rpChallenge).to.equal('');
      const result = await rp.session.waitForResult(session.sessionId, wait);
      expect(rp.validator.validateSign(result, sha256Base64('I agree')).subject.givenName).to.equal(
        'Болд',
      );
    });
  });

  it('authenticate the citizen who opens an anonymous device link', async () => {
    const rp = client();
    const link = await rp.auth.deviceLinkAnonymous(interactions, {
      callbackUrl: 'https://rp.example.com/x?state=7',
    });
    const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
    await phone.enrol({ card: cardOf(saran), pin1: '1111', pin2: '22222' });
    const request = await phone.open(`tamga://approve?sessionId=${link.sessionId}`);
    expect(request.verificationCode).to.equal(link.vc);
    expect(request.callbackUrl).to.equal('https://rp.example.com/auth/eid/callback?state=7');
    expect(await phone.confirm(request, '1111')).to.equal('OK');
    const result = await rp.session.waitForResult(link.sessionId, wait);
    expect(rp.validator.validateAuth(result, link.rpChallenge).subject.serialNumber).to.equal(
      'PNOMN-110000000002',
    );
  });

  it('show the same verification code on both sides', async () => {
    const rp = client();
    const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
    await phone.enrol({ card: cardOf(saran), pin1: '1111', pin2: '22222' });
    const login = await rp.auth.notificationByEtsi(saran.civilId, interactions);
    expect((await phone.open(login.sessionId)).verificationCode).to.equal(login.vc.value);
    const contract = await rp.sign.textByEtsi(saran.civilId, 'I agree', interactions);
    expect((await phone.open(contract.sessionId)).verificationCode).to.equal(contract.vc.value);
  });

  for (const outcome of ['USER_REFUSED', 'WRONG_VC', 'DOCUMENT_UNUSABLE'] as const) {
    it(`hear of ${outcome}`, async () => {
      await withPhone(outcome, async (documentNumber) => {
        const rp = client();
        const session = await rp.auth.notificationByDocument(documentNumber, interactions);
        const result = await rp.session.waitForResult(session.sessionId, wait);
        expect(() => rp.validator.validateAuth(result, session.rpChallenge))
          .to.throw(SessionFailedError)
          .with.property('endResult', outcome);
      });
    });
  }

  it('stay RUNNING while the citizen does nothing', async () => {
    await withPhone('TIMEOUT', async (documentNumber) => {
      const rp = client();
      const session = await rp.auth.notificationByDocument(documentNumber, interactions);
      const result = await rp.session.waitForResult(session.sessionId, { maxWaitMs: 100 });
      expect(result.state).to.equal('RUNNING');
    });
  });

  it('refuse a wrong secret and an unknown person', async () => {
    expect(
      await rejection(client('rp_sk_wrong').auth.deviceLinkAnonymous(interactions)),
    ).to.be.instanceOf(AuthenticationError);
    expect(await rejection(client().auth.notificationByEtsi('999999999999', interactions)))
      .to.be.instanceOf(ApiError)
      .with.property('code', 'PERSON_NOT_FOUND');
  });
});
