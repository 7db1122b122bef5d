import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { SessionStarted } from '../../domain/session/events.ts';
import { verificationCode } from '../../domain/shared/digest.ts';
import { base64, type Bytes, fromBase64 } from '../../apps/phone/bytes.ts';
import { deviceProof } from '../../apps/phone/crypto.ts';
import { acspV2Layout } from '../../apps/phone/layouts.ts';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import type { PhoneState } from '../../apps/phone/phoneState.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { unlock } from '../../apps/phone/pinKeys.ts';
import { createService, type Service, ServiceError } from '../../apps/phone/service.ts';
import type { PhoneRequest, PinName } from '../../apps/phone/session.ts';
import {
  nestedPayload,
  sign,
  type SignatureForm,
  type Unlocked,
  userChallengeOf,
} from '../../apps/phone/signing.ts';
import {
  context as testContext,
  type DeviceWorld,
  openDeviceWorld,
} from '../support/worlds/deviceWorld.ts';
import { encoded } from '../support/http/nestedRequests.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { bold, saran, cardOf } from '../support/given/persons.ts';

const offered = [
  { type: 'confirmationMessage', displayText200: 'Нэвтрэх үү? Дэлгэрэнгүй.' },
  { type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' },
] as const;

interface Owned {
  readonly civilId: string;
  readonly phone: Phone;
  readonly state: PhoneState;
  readonly authenticationKey: Unlocked;
  readonly signingKey: Unlocked;
}

/** Signed response of a phone, before a test changes it. */
interface Draft {
  readonly parts: Parameters<typeof nestedPayload>[0];
  readonly form: SignatureForm;
  readonly key: Unlocked;
  readonly sent: {
    readonly verificationCode: string;
    readonly interactionTypeUsed: string;
    readonly flowType: string | null | undefined;
    readonly userChallenge: string | null;
  };
}

describe('Confirming a nested session', () => {
  let world: DeviceWorld;
  let service: Service;
  let answered: { readonly errors?: readonly { readonly pointer: string }[] };
  let stop: () => Promise<void>;
  const owners = new Map<string, Owned>();

  before(async () => {
    world = await openDeviceWorld();
    const { origin, server } = await world.serve();
    stop = () => server.stop();
    service = createService({
      baseUrl: origin,
      fetchImpl: async (...call) => {
        const response = await fetch(...call);
        answered = (await response.clone().json()) as typeof answered;
        return response;
      },
    });
    owners.set('P-256', await enrol(origin, bold, 'P-256'));
    owners.set('RSA', await enrol(origin, saran, 'RSA'));
  });

  after(async () => {
    await stop();
    await world.stop();
  });

  async function enrol(origin: string, record: typeof bold, keyType: 'P-256' | 'RSA') {
    const store = createMemoryPhoneStore();
    const phone = createPhone({ baseUrl: origin, store, keyType });
    await phone.enrol({ card: cardOf(record), pin1: '1111', pin2: '22222' });
    const state = await store.load();
    if (state === null) throw new Error('The phone kept nothing.');
    const opened = (name: PinName, pin: string) =>
      unlock(store, { name, pin }, (key) => Promise.resolve(key));
    return {
      civilId: record.civilId,
      phone,
      state,
      authenticationKey: await opened('PIN1', '1111'),
      signingKey: await opened('PIN2', '22222'),
    };
  }

  function owner(name: string): Owned {
    const owned = owners.get(name);
    if (owned === undefined) throw new Error('There is no such phone.');
    return owned;
  }

  async function start(
    { civilId }: Owned,
    changes: Partial<SessionStarted['data']> = {},
    nested: Partial<SessionStarted['data']['nested']> = {},
  ): Promise<string> {
    const signed = randomBytes(64);
    return world.start({
      civilId,
      generation: 'G2',
      interactions: offered,
      interactionsAsSent: encoded(offered),
      rpChallenge: signed.toString('base64'),
      hashType: 'SHA512',
      vcType: 'alphaNumeric5',
      verificationCode: verificationCode(signed, 'alphaNumeric5'),
      nested: {
        signatureAlgorithm: 'rsassa-pss',
        scheme: 'smart-id',
        serverRandom: randomBytes(24).toString('base64'),
        initialCallbackUrl: null,
        linkedSessionId: null,
        ...nested,
      },
      ...changes,
    });
  }

  async function draft({ authenticationKey }: Owned, request: PhoneRequest): Promise<Draft> {
    if (request.nested === null) throw new Error('The session is not nested.');
    const interactionTypeUsed = request.interaction?.type ?? '';
    const userChallenge = await userChallengeOf(request.userChallengeVerifier);
    const { flowType } = request;
    return {
      parts: { ...request, ...request.nested, interactionTypeUsed, userChallenge },
      form: {
        hash: authenticationKey.keyType === 'P-256' ? 'SHA256' : 'SHA512',
        padding: 'pss',
      },
      key: authenticationKey,
      sent: {
        verificationCode: request.verificationCode,
        interactionTypeUsed,
        flowType,
        userChallenge,
      },
    };
  }

  async function send({ state }: Owned, sessionId: string, signature: Bytes, sent: object) {
    const { documentNumber, transport } = state;
    return service.call<{ endResult: string }>({
      method: 'POST',
      path: `/v3/device/sessions/${sessionId}/confirm`,
      body: { ...sent, signature: base64(signature) },
      prove: (call) => deviceProof(transport, documentNumber ?? '', call),
    });
  }

  async function confirm(owned: Owned, sessionId: string, { key, parts, form, sent }: Draft) {
    const hash = createHash(form.hash).update(await nestedPayload(parts));
    const digest = new Uint8Array(hash.digest());
    return send(owned, sessionId, await sign(key, { digest }, form), sent);
  }

  async function refusal(answering: Promise<unknown>): Promise<string> {
    const error = await rejection(answering);
    if (!(error instanceof ServiceError)) throw error;
    return error.code;
  }

  /** Each signs or sends one thing otherwise than the session and the message say. */
  const wrong: Readonly<Record<string, (draft: Draft, request: PhoneRequest) => Draft>> = {
    scheme: part({ scheme: 'smart-id-demo' }),
    serverRandom: part({ serverRandom: randomBytes(24).toString('base64') }),
    rpChallenge: part({ rpChallenge: randomBytes(64).toString('base64') }),
    userChallenge: part({ userChallenge: 'x'.repeat(43) }),
    'relying party': part({ relyingPartyName: 'DEMO ' }),
    broker: part({ brokerName: 'Example RP' }),
    'text of the interactions': part({
      interactionsAsSent: encoded([{ type: 'displayTextAndPIN', displayText60: 'Log in' }]),
    }),
    'interactions written otherwise': part({
      interactionsAsSent: Buffer.from(JSON.stringify(offered, null, 1)).toString('base64'),
    }),
    'interaction used': part({ interactionTypeUsed: 'displayTextAndPIN' }),
    'return address': part({ initialCallbackUrl: 'https://rp.example.com/' }),
    flow: part({ flowType: 'QR' }),
    'interaction told': (made) => ({
      ...made,
      sent: { ...made.sent, interactionTypeUsed: 'displayTextAndPIN' },
    }),
    'userChallenge told': (made) => ({
      ...made,
      sent: { ...made.sent, userChallenge: 'x'.repeat(43) },
    }),
    hash: (made) => ({ ...made, form: { ...made.form, hash: 'SHA384' } }),
    "citizen's key": (made) => ({ ...made, key: stranger(made).authenticationKey }),
    'key of the phone': (made) => ({ ...made, key: ownerOf(made).signingKey }),
  };

  function part(changes: Partial<Draft['parts']>) {
    return (made: Draft): Draft => ({ ...made, parts: { ...made.parts, ...changes } });
  }
  const ownerOf = ({ key }: Draft) => owner(key.keyType);
  const stranger = ({ key }: Draft) => owner(key.keyType === 'RSA' ? 'P-256' : 'RSA');

  for (const name of ['P-256', 'RSA']) {
    describe(`with ${name} keys`, () => {
      for (const [what, changed] of Object.entries(wrong)) {
        it(`is refused for another ${what}, and goes on`, async () => {
          const owned = owner(name);
          const sessionId = await start(owned);
          const request = await owned.phone.open(sessionId);
          const right = await draft(owned, request);
          const answering = confirm(owned, sessionId, changed(right, request));
          expect(await refusal(answering)).to.equal('SIGNATURE_INVALID');
          expect(await world.outcomeOf(sessionId)).to.equal(null);
          expect((await confirm(owned, sessionId, right)).endResult).to.equal('OK');
        });
      }

      it('is refused for the flat payload', async () => {
        const owned = owner(name);
        const sessionId = await start(owned);
        const { form, key, sent, parts } = await draft(owned, await owned.phone.open(sessionId));
        const { publicKey } = owned.state.keys.PIN1;
        const payload = acspV2Layout(fromBase64(parts.rpChallenge ?? ''), publicKey);
        const answering = send(owned, sessionId, await sign(key, { payload }, form), sent);
        expect(await refusal(answering)).to.equal('SIGNATURE_INVALID');
      });

      it('is refused for a digest hashed again, and for another digest', async () => {
        const owned = owner(name);
        const digest = new Uint8Array(createHash('sha3-256').update('contract').digest());
        const sessionId = await start(owned, {
          kind: 'SIGNATURE',
          rpChallenge: null,
          digest: base64(digest),
          hashType: 'SHA3-256',
          verificationCode: verificationCode(digest, 'alphaNumeric5'),
        });
        const request = await owned.phone.open(sessionId);
        const { sent } = await draft(owned, request);
        const form = { hash: 'SHA3-256', padding: 'pss' } as const;
        for (const signature of [
          sign(owned.signingKey, { payload: digest }, form),
          sign(owned.signingKey, { digest: new Uint8Array(randomBytes(32)) }, form),
          sign(owned.authenticationKey, { digest }, form),
          ...(name === 'RSA'
            ? [
                sign(owned.signingKey, { digest }, { ...form, hash: 'SHA256' }),
                sign(owned.signingKey, { digest }, { ...form, padding: 'pkcs1' }),
              ]
            : []),
        ]) {
          const answering = send(owned, sessionId, await signature, sent);
          expect(await refusal(answering)).to.equal('SIGNATURE_INVALID');
        }
        const right = await sign(owned.signingKey, { digest }, form);
        expect((await send(owned, sessionId, right, sent)).endResult).to.equal('OK');
        const outcome = await world.outcomeOf(sessionId);
        expect(outcome?.confirmation?.nested).to.deep.equal({
          flowType: 'Notification',
          userChallenge: null,
          pss: name === 'RSA' ? { hashAlgorithm: 'SHA3-256', saltLength: 32 } : null,
        });
      });
    });
  }

  it('is refused for the padding that was not asked for', async () => {
    const owned = owner('RSA');
    for (const [signatureAlgorithm, padding] of [
      ['rsassa-pss', 'pkcs1'],
      ['sha512WithRSAEncryption', 'pss'],
    ] as const) {
      const sessionId = await start(owned, {}, { signatureAlgorithm });
      const made = await draft(owned, await owned.phone.open(sessionId));
      const other = { ...made, form: { ...made.form, padding } };
      expect(await refusal(confirm(owned, sessionId, other))).to.equal('SIGNATURE_INVALID');
      expect(await owned.phone.confirm(await owned.phone.open(sessionId), '1111')).to.equal('OK');
    }
  });

  it('asks for what the answer must hold, with pointers', async () => {
    const owned = owner('P-256');
    const link = { flow: 'DEVICE_LINK', civilId: null } as const;
    for (const [changes, sent, pointer] of [
      [{}, { flowType: null }, '/flowType'],
      [{}, { flowType: undefined }, '/flowType'],
      [{}, { flowType: 'QR' }, '/flowType'],
      [{}, { flowType: 'Carrier pigeon' }, '/flowType'],
      [link, { flowType: 'Notification' }, '/flowType'],
      [{}, { userChallenge: null }, '/userChallenge'],
      [{}, { userChallenge: 'x'.repeat(42) }, '/userChallenge'],
      [{}, { userChallenge: `${'x'.repeat(42)}|` }, '/userChallenge'],
      [
        {},
        { interactionTypeUsed: 'confirmationMessageAndVerificationCodeChoice' },
        '/interactionTypeUsed',
      ],
    ] as const) {
      const sessionId = await start(owned, changes);
      const made = await draft(owned, await owned.phone.open(sessionId));
      const answering = confirm(owned, sessionId, { ...made, sent: { ...made.sent, ...sent } });
      const error = await rejection(answering);
      expect(error).to.include({ status: 400, code: 'INVALID_REQUEST' });
      expect(answered.errors?.map((fault) => fault.pointer)).to.deep.equal([pointer]);
      expect(await world.outcomeOf(sessionId)).to.equal(null);
    }
  });

  it('holds the phone to the kind of signed link the session was opened with', async () => {
    const owned = owner('P-256');
    const sessionId = await start(owned, { flow: 'DEVICE_LINK', civilId: null });
    const by = { documentNumber: owned.state.documentNumber ?? '', civilId: owned.civilId };
    const claim = { type: 'ClaimSession', by, deviceLinkType: 'QR' } as const;
    const now = world.clock.now().toISOString();
    await world.sessions.handle(sessionId, { ...claim, now }, testContext);
    const request = await owned.phone.open(sessionId);
    const other = await draft(owned, { ...request, flowType: 'Web2App' });
    expect(await refusal(confirm(owned, sessionId, other))).to.equal('INVALID_REQUEST');
    const right = await draft(owned, request);
    expect((await confirm(owned, sessionId, right)).endResult).to.equal('OK');
  });

  it('ends with the interaction the citizen refused', async () => {
    const owned = owner('P-256');
    const refused = await start(owned);
    const { phone } = owned;
    await phone.refuse(refused, 'USER_REFUSED_INTERACTION', 'displayTextAndPIN');
    expect((await world.outcomeOf(refused))?.refusedInteraction).to.equal('displayTextAndPIN');
    const unnamed = await start(owned);
    await phone.refuse(unnamed, 'USER_REFUSED_INTERACTION');
    expect((await world.outcomeOf(unnamed))?.refusedInteraction).to.equal('confirmationMessage');
    const never = phone.refuse(await start(owned), 'USER_REFUSED_INTERACTION', 'verificationCode');
    expect(await refusal(never)).to.equal('INVALID_REQUEST');
  });

  it('with a code of four digits is a wrong code', async () => {
    const owned = owner('P-256');
    const sessionId = await start(owned);
    const made = await draft(owned, await owned.phone.open(sessionId));
    const sent = { ...made.sent, verificationCode: made.sent.verificationCode.slice(1) };
    expect((await confirm(owned, sessionId, { ...made, sent })).endResult).to.equal('WRONG_VC');
  });
});
