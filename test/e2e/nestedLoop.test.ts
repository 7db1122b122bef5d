import {
  constants,
  createHash,
  createPublicKey,
  type KeyObject,
  verify,
  X509Certificate,
} from 'node:crypto';
import { expect } from 'chai';
import { type SignOptions, ValidationError } from '../../client/index.ts';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { answerAsScripted } from '../../apps/phone/scripted.ts';
import { nodeHash } from '../support/pki/knownAnswers.ts';
import { oddRsaKeyPair } from '../support/pki/pkiFixtures.ts';
import { type LoopWorld, openLoopWorld } from '../support/worlds/loopWorld.ts';
import {
  encoded,
  nestedAuthenticationBody,
  nestedSignatureBody,
} from '../support/http/nestedRequests.ts';
import { bold, saran, cardOf } from '../support/given/persons.ts';

type Json = Record<string, unknown>;

interface CompleteSession {
  readonly state: string;
  readonly result: { readonly endResult: string; readonly documentNumber: string };
  readonly signatureProtocol: string;
  readonly signature: {
    readonly value: string;
    readonly signatureAlgorithm: string;
    readonly signatureAlgorithmParameters?: object;
    readonly serverRandom?: string;
    readonly userChallenge?: string;
    readonly flowType: string;
  };
  readonly cert: { readonly value: string; readonly certificateLevel: string };
  readonly interactionTypeUsed: string;
  readonly person?: Json;
}

const content = Buffer.from('what was agreed');
const hashOf = (hash: string, data: Buffer | string) =>
  createHash(nodeHash(hash)).update(data).digest();

/** Written down once more from the contract, apart from service and phone. */
function payloadOf(sent: ReturnType<typeof nestedAuthenticationBody>, answer: CompleteSession) {
  const { initialCallbackUrl = '' } = sent as { readonly initialCallbackUrl?: string };
  const { serverRandom, userChallenge, flowType } = answer.signature;
  return [
    'smart-id|ACSP_V2',
    serverRandom,
    sent.signatureProtocolParameters.rpChallenge,
    userChallenge,
    Buffer.from(sent.relyingPartyName).toString('base64'),
    '',
    hashOf('SHA-256', sent.interactions).toString('base64'),
    answer.interactionTypeUsed,
    initialCallbackUrl,
    flowType,
  ].join('|');
}

function keyOf({ cert }: CompleteSession): KeyObject {
  return createPublicKey(
    new X509Certificate(Buffer.from(cert.value, 'base64')).publicKey.export({
      format: 'pem',
      type: 'spki',
    }),
  );
}

/** Verifies the answer's signature over `message` with the answer's key and hash. */
function isSigned(answer: CompleteSession, message: Buffer | string, hash: string): boolean {
  const { value, signatureAlgorithm } = answer.signature;
  const pss = signatureAlgorithm === 'rsassa-pss';
  const saltLength = hashOf(hash, '').length;
  return verify(
    nodeHash(hash),
    Buffer.from(message),
    {
      key: keyOf(answer),
      ...(pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength } : {}),
    },
    Buffer.from(value, 'base64'),
  );
}

describe('Nested sessions, from relying party to phone and back,', function () {
  this.timeout(120_000);
  let loop: LoopWorld;
  const phones = new Map<string, Phone>();
  const pins = { pin1: '1111', pin2: '22222' };

  before(async () => {
    loop = await openLoopWorld();
    for (const [name, record, options] of [
      ['P-256', bold, { keyType: 'P-256' }],
      ['RSA', saran, { keyType: 'RSA' }],
      // Of 2049 bits, PSS encodes into a byte less than the modulus has.
      ['RSA-2049', saran, { keyType: 'RSA', newKeys: () => oddRsaKeyPair(2049) }],
      ['RSA-4095', saran, { keyType: 'RSA', newKeys: () => oddRsaKeyPair(4095) }],
    ] as const) {
      const store = createMemoryPhoneStore();
      const phone = createPhone({ baseUrl: loop.origin, store, ...options });
      await phone.enrol({ card: cardOf(record), ...pins });
      phones.set(name, phone);
    }
  });

  after(() => loop.close());

  async function call(path: string, body?: object): Promise<Json> {
    const response = await fetch(`${loop.origin}/v3${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${loop.secret}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Json;
    expect(response.status, JSON.stringify(answer)).to.equal(200);
    return answer;
  }

  const phoneNamed = (name: string) => {
    const phone = phones.get(name);
    if (phone === undefined) throw new Error('There is no such phone.');
    return phone;
  };

  async function documentOf(name: string): Promise<string> {
    return (await phoneNamed(name).identity())?.documentNumber ?? '';
  }

  /** The phone answers, and the relying party polls. */
  async function answered(name: string, started: Json): Promise<CompleteSession> {
    const phone = phoneNamed(name);
    const request = await phone.open(String(started['sessionID']));
    expect(await phone.confirm(request, request.pin === 'PIN1' ? pins.pin1 : pins.pin2)).to.equal(
      'OK',
    );
    return (await call(
      `/session/${String(started['sessionID'])}?timeoutMs=5000`,
    )) as unknown as CompleteSession;
  }

  const requests: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['nothing in particular', undefined, undefined],
    ...(['SHA-256', 'SHA-384', 'SHA-512', 'SHA3-256', 'SHA3-384', 'SHA3-512'] as const).map(
      (hash) => [`PSS and ${hash}`, 'rsassa-pss', hash] as const,
    ),
    ['PKCS#1 and SHA-256', 'sha256WithRSAEncryption', undefined],
    ['PKCS#1 and SHA-384', 'sha384WithRSAEncryption', 'SHA-384'],
    ['PKCS#1 and SHA-512', 'sha512WithRSAEncryption', 'SHA-512'],
  ];
  const parameters = (signatureAlgorithm?: string, hashAlgorithm?: string) => ({
    ...(signatureAlgorithm === undefined ? {} : { signatureAlgorithm }),
    ...(hashAlgorithm === undefined ? {} : { hashAlgorithm }),
  });
  const impliedHash = (algorithm?: string) => /^sha(\d+)With/.exec(algorithm ?? '')?.[1];

  const modulusBits: Readonly<Record<string, number | undefined>> = {
    'P-256': undefined,
    RSA: 2048,
    'RSA-2049': 2049,
    'RSA-4095': 4095,
  };
  for (const name of Object.keys(modulusBits)) {
    for (const [what, algorithm, hash] of requests) {
      const answeredWith = name === 'P-256' ? 'ecdsa-with-SHA256' : (algorithm ?? 'rsassa-pss');
      const implied = impliedHash(algorithm);
      const asked = hash ?? (implied === undefined ? undefined : `SHA-${implied}`);

      it(`authenticate with ${name} keys when ${what} is asked for`, async () => {
        const body = nestedAuthenticationBody(loop.relyingPartyId, parameters(algorithm, hash));
        const started = await call(
          `/authentication/notification/document/${await documentOf(name)}`,
          body,
        );
        expect(started['vc']).to.have.property('type', 'alphaNumeric5');
        const answer = await answered(name, started);
        expect(answer.signatureProtocol).to.equal('ACSP_V2');
        expect(answer.signature.flowType).to.equal('Notification');
        expect(answer.signature.userChallenge).to.match(/^[A-Za-z0-9_-]{43}$/);
        expect(Buffer.from(answer.signature.serverRandom ?? '', 'base64')).to.have.length.least(18);
        const expected = name === 'P-256' ? 'SHA-256' : (asked ?? 'SHA-512');
        expectAlgorithm(answer, answeredWith, expected);
        expect(isSigned(answer, payloadOf(body, answer), expected)).to.equal(true);
        const another = nestedAuthenticationBody(loop.relyingPartyId);
        expect(isSigned(answer, payloadOf(another, answer), expected)).to.equal(false);
        expect(answer.person).to.have.property('civilId');
      });

      it(`sign with ${name} keys when ${what} is asked for`, async () => {
        const expected = asked ?? 'SHA-256';
        const digest = hashOf(expected, content).toString('base64');
        const started = await call(
          `/signature/notification/document/${await documentOf(name)}`,
          nestedSignatureBody(loop.relyingPartyId, { digest, ...parameters(algorithm, hash) }),
        );
        const answer = await answered(name, started);
        expect(answer.signatureProtocol).to.equal('RAW_DIGEST_SIGNATURE');
        expectAlgorithm(answer, answeredWith, expected);
        expect(keyOf(answer).asymmetricKeyDetails?.modulusLength).to.equal(modulusBits[name]);
        expect(isSigned(answer, content, expected)).to.equal(true);
        expect(isSigned(answer, 'something else', expected)).to.equal(false);
        expect(answer.signature).not.to.have.any.keys('serverRandom', 'userChallenge');
        expect(answer).not.to.have.property('person');
      });
    }
  }

  for (const name of Object.keys(modulusBits)) {
    it(`are believed by the library when made with ${name} keys, and no other in their place`, async () => {
      const rp = loop.client();
      const documentNumber = await documentOf(name);
      const text = [{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' }] as const;
      const answer = async ({ sessionId }: { readonly sessionId: string }) => {
        const request = await phoneNamed(name).open(sessionId);
        await phoneNamed(name).confirm(request, request.pin === 'PIN1' ? pins.pin1 : pins.pin2);
        return rp.session.waitForResult(sessionId);
      };
      for (const [, algorithm, hash] of requests) {
        const implied = impliedHash(algorithm);
        const asked = hash ?? (implied === undefined ? 'SHA-256' : `SHA-${implied}`);
        const wish = { generation: 'G2', ...parameters(algorithm, hash) } as SignOptions;

        const login = await rp.auth.notificationByDocument(documentNumber, text, wish);
        const another = await rp.auth.notificationByDocument(documentNumber, text, wish);
        const loggedIn = await answer(login);
        expect(rp.validator.validateAuth(loggedIn, login)).to.include({ documentNumber });
        expect(() => rp.validator.validateAuth(loggedIn, another))
          .to.throw(ValidationError)
          .with.property('code', 'SIGNATURE_INVALID');

        const digest = hashOf(asked, content).toString('base64');
        const signing = await rp.sign.digestByDocument(documentNumber, digest, text, wish);
        const signed = await answer(signing);
        expect(rp.validator.validateSign(signed, digest, { session: signing })).to.include({
          documentNumber,
        });
        const other = hashOf(asked, 'something else').toString('base64');
        const session = await rp.sign.digestByDocument(documentNumber, other, text, wish);
        expect(() => rp.validator.validateSign(signed, other, { session }))
          .to.throw(ValidationError)
          .with.property('code', 'SIGNATURE_INVALID');
      }
    });
  }

  function expectAlgorithm(
    { signature }: CompleteSession,
    signatureAlgorithm: string,
    hashAlgorithm: string,
  ): void {
    expect(signature.signatureAlgorithm).to.equal(signatureAlgorithm);
    if (signature.signatureAlgorithm !== 'rsassa-pss') {
      expect(signature).not.to.have.property('signatureAlgorithmParameters');
      return;
    }
    expect(signature.signatureAlgorithmParameters).to.deep.equal({
      hashAlgorithm,
      maskGenAlgorithm: { algorithm: 'id-mgf1', parameters: { hashAlgorithm } },
      saltLength: hashOf(hashAlgorithm, '').length,
      trailerField: '0xbc',
    });
  }

  it('sign the interactions and the return address exactly as they were sent', async () => {
    const interactions = encoded([
      { type: 'confirmationMessage', displayText200: 'Урт тайлбар'.repeat(10) },
      { type: 'displayTextAndPIN', displayText60: 'Богино' },
    ]);
    for (const initialCallbackUrl of [
      'https://rp.example.com/any/path?state=1',
      'https://not-on-the-list.example/',
      'myapp://back',
    ]) {
      const body = nestedAuthenticationBody(
        loop.relyingPartyId,
        {},
        { interactions, initialCallbackUrl },
      );
      const answer = await answered(
        'RSA',
        await call('/authentication/device-link/anonymous', body),
      );
      expect(answer.interactionTypeUsed).to.equal('confirmationMessage');
      expect(isSigned(answer, payloadOf(body, answer), 'SHA-512')).to.equal(true);
      const without = { ...body, initialCallbackUrl: '' };
      expect(isSigned(answer, payloadOf(without, answer), 'SHA-512')).to.equal(false);
    }
  });

  it('say how a device link was opened', async () => {
    for (const flowType of ['QR', 'App2App', 'Web2App'] as const) {
      const body = nestedAuthenticationBody(loop.relyingPartyId);
      const started = await call('/authentication/device-link/anonymous', body);
      expect(started['vc']).to.match(/^\d{5}$/);
      const link = `${String(started['deviceLinkBase'])}?sessionId=${String(started['sessionID'])}&vc=${String(started['vc'])}`;
      const phone = phoneNamed('P-256');
      const request = await phone.open(link, flowType);
      expect(request.verificationCode).to.equal(started['vc']);
      await phone.confirm(request, pins.pin1);
      const answer = (await call(
        `/session/${String(started['sessionID'])}?timeoutMs=0`,
      )) as unknown as CompleteSession;
      expect(answer.signature.flowType).to.equal(flowType);
      expect(isSigned(answer, payloadOf(body, answer), 'SHA-256')).to.equal(true);
    }
  });

  it('stand beside flat ones for the same citizen on the same path', async () => {
    const path = `/authentication/notification/document/${await documentOf('P-256')}`;
    const flat = await call(path, {
      relyingPartyUUID: loop.relyingPartyId,
      relyingPartyName: 'DEMO',
      signatureProtocol: 'ACSP_V2',
      rpChallenge: Buffer.alloc(64, 7).toString('base64'),
      interactions: [{ type: 'displayTextAndPIN', displayText60: 'Log in' }],
    });
    const nested = await call(path, nestedAuthenticationBody(loop.relyingPartyId));
    const [flatAnswer, nestedAnswer] = [
      await answered('P-256', flat),
      await answered('P-256', nested),
    ];
    expect(flatAnswer).not.to.have.property('signatureProtocol');
    expect(Object.keys(flatAnswer.signature)).to.have.members(['value', 'signatureAlgorithm']);
    expect(nestedAnswer.signatureProtocol).to.equal('ACSP_V2');
    expect(flat['vc']).to.have.property('type', 'alphaNumeric4');
  });

  it('end with the reason of a phone that can show none of the interactions', async () => {
    const store = createMemoryPhoneStore();
    const plain = createPhone({
      baseUrl: loop.origin,
      store,
      interactions: ['displayTextAndPIN'],
    });
    const { documentNumber } = await plain.enrol({ card: cardOf(bold), ...pins });
    const offered = encoded([
      { type: 'confirmationMessageAndVerificationCodeChoice', displayText200: 'x' },
      { type: 'displayTextAndPIN', displayText60: 'y' },
    ]);
    const path = `/authentication/notification/document/${documentNumber}`;
    const shown = await call(
      path,
      nestedAuthenticationBody(loop.relyingPartyId, {}, { interactions: offered }),
    );
    expect((await plain.open(String(shown['sessionID']))).interaction).to.deep.equal({
      type: 'displayTextAndPIN',
      text: 'y',
    });
    const reason = 'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP';
    const only = encoded([{ type: 'confirmationMessage', displayText200: 'x' }]);
    const hidden = await call(
      path,
      nestedAuthenticationBody(loop.relyingPartyId, {}, { interactions: only }),
    );
    const request = await plain.open(String(hidden['sessionID']));
    expect(request.interaction).to.equal(null);
    const scripted = { phone: plain, ...pins, outcome: 'OK' } as const;
    expect(await answerAsScripted(scripted, request)).to.equal(reason);
    const { result } = (await call(
      `/session/${request.sessionId}?timeoutMs=0`,
    )) as unknown as CompleteSession;
    expect(result.endResult).to.equal(reason);
  });
});
