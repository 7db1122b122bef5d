import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  type HashAlgorithm,
  randomChallenge,
  ResponseValidator,
  type SentRequest,
  type SessionResult,
  type ValidationCode,
  ValidationError,
} from '../../client/index.ts';
import { nestedAuthResult, nestedRequest, nestedSignResult, nodeHash } from './nestedSupport.ts';
import {
  type Issued,
  issue,
  okResult,
  policy,
  qc,
  sha256,
  signChallenge,
  signDigest,
} from './support.ts';

const now = new Date('2026-06-01T00:00:00Z');
const content = Buffer.from('a contract');
const rpChallenge = randomChallenge();

/** Moduli whose encodings differ: a whole number of bytes, one bit less, one bit more. */
const rsaSizes = [2048, 2049, 4095] as const;

describe('The response validator, second generation', () => {
  let issuing: Issued;
  let validator: ResponseValidator;
  const auth = new Map<string, Issued>();
  const sign = new Map<string, Issued>();

  before(async function () {
    this.timeout(120_000);
    const root = await issue({ name: 'Root', ca: true });
    issuing = await issue({ name: 'Issuing', ca: true, pathLength: 0, issuer: root });
    const wish = { name: 'A', policies: [policy.qcpN], issuer: issuing } as const;
    const signing = { ...wish, usage: 'SIGN', qcStatements: [qc.compliance] } as const;
    auth.set('P-256', await issue({ ...wish, usage: 'AUTH' }));
    sign.set('P-256', await issue(signing));
    for (const rsaBits of rsaSizes) {
      const holder = await issue({ ...signing, rsaBits });
      sign.set(`RSA-${rsaBits}`, holder);
    }
    auth.set('RSA-2048', await issue({ ...wish, usage: 'AUTH', rsaBits: 2048 }));
    validator = new ResponseValidator(
      { trustAnchorsPem: root.pem, intermediatesPem: issuing.pem },
      () => now,
    );
  });

  const holderOf = (kind: Map<string, Issued>, key: string): Issued => {
    const holder = kind.get(key);
    if (holder === undefined) throw new Error(`Nobody has a ${key} key.`);
    return holder;
  };

  function expectRefused(act: () => unknown, code: ValidationCode) {
    expect(act).to.throw(ValidationError).with.property('code', code);
  }

  function validateAuth(result: SessionResult, request: SentRequest) {
    return validator.validateAuth(result, { rpChallenge, request });
  }

  const digestRequest = (hashAlgorithm: HashAlgorithm, changes: Partial<SentRequest> = {}) => {
    const digest = createHash(nodeHash[hashAlgorithm]).update(content).digest('base64');
    return nestedRequest(digest, {
      signatureProtocol: 'RAW_DIGEST_SIGNATURE',
      hashAlgorithm,
      ...changes,
    });
  };

  function validateSign(result: SessionResult, request: SentRequest) {
    return validator.validateSign(result, request.challengeOrDigest, {
      session: { rpChallenge: '', request },
    });
  }

  for (const key of ['P-256', 'RSA-2048'] as const) {
    for (const hashAlgorithm of ['SHA-256', 'SHA-512', 'SHA3-256'] as const) {
      it(`accepts an authentication of a ${key} key, ${hashAlgorithm} requested`, () => {
        const request = nestedRequest(rpChallenge, { hashAlgorithm });
        const result = nestedAuthResult(holderOf(auth, key), request);
        expect(validateAuth(result, request).certificateLevel).to.equal('QUALIFIED');
        const other = { ...request, challengeOrDigest: randomChallenge() };
        expectRefused(() => validateAuth(result, other), 'SIGNATURE_INVALID');
      });
    }
  }

  it('accepts PKCS#1 v1.5 where it was requested', () => {
    const request = nestedRequest(rpChallenge, { signatureAlgorithm: 'sha384WithRSAEncryption' });
    validateAuth(nestedAuthResult(holderOf(auth, 'RSA-2048'), request), request);
  });

  it('holds every field of the payload against what was sent', () => {
    const request = nestedRequest(rpChallenge);
    const result = nestedAuthResult(holderOf(auth, 'P-256'), request);
    for (const changes of [
      { schemeName: 'smart-id-demo' },
      { relyingPartyName: 'Another bank' },
      { brokeredRpName: 'A broker' },
      { initialCallbackUrl: 'https://rp.example/back' },
      {
        interactions: Buffer.from('[{"type":"displayTextAndPIN","displayText60":"Pay?"}]').toString(
          'base64',
        ),
      },
    ]) {
      expectRefused(() => validateAuth(result, { ...request, ...changes }), 'SIGNATURE_INVALID');
    }
    for (const changes of [
      { serverRandom: Buffer.alloc(18).toString('base64') },
      { userChallenge: 'A'.repeat(43) },
    ]) {
      expectRefused(() => validateAuth({ ...result, ...changes }, request), 'SIGNATURE_INVALID');
    }
  });

  it('refuses fields of the payload that are missing or malformed, even when they were signed so', () => {
    const request = nestedRequest(rpChallenge);
    for (const signed of [
      { serverRandom: 'AAAA' },
      { serverRandom: 'not base64' },
      { userChallenge: 'short' },
      { userChallenge: `${'A'.repeat(20)}|${'A'.repeat(22)}` },
      { flowType: 'Carrier|Pigeon' },
      { interactionTypeUsed: 'confirmationMessage' },
    ]) {
      const result = nestedAuthResult(holderOf(auth, 'P-256'), request, signed);
      expectRefused(() => validateAuth(result, request), 'RESPONSE_INCOMPLETE');
    }
    const whole = nestedAuthResult(holderOf(auth, 'P-256'), request);
    for (const field of ['serverRandom', 'userChallenge', 'flowType', 'interactionTypeUsed']) {
      expectRefused(
        () => validateAuth({ ...whole, [field]: null }, request),
        'RESPONSE_INCOMPLETE',
      );
    }
  });

  it('refuses a push answered through a link, and the reverse', () => {
    const holder = holderOf(auth, 'P-256');
    const pushed = nestedRequest(rpChallenge);
    const linked = nestedRequest(rpChallenge, { flow: 'device-link' });
    for (const flowType of ['QR', 'Web2App', 'App2App']) {
      const result = nestedAuthResult(holder, pushed, { flowType });
      expectRefused(() => validateAuth(result, pushed), 'RESPONSE_INCOMPLETE');
      validateAuth(nestedAuthResult(holder, linked, { flowType }), linked);
    }
    const result = nestedAuthResult(holder, linked);
    expectRefused(() => validateAuth(result, linked), 'RESPONSE_INCOMPLETE');
  });

  for (const key of ['P-256', ...rsaSizes.map((bits) => `RSA-${bits}`)]) {
    for (const hashAlgorithm of Object.keys(nodeHash) as HashAlgorithm[]) {
      it(`accepts a ${key} signature over a ${hashAlgorithm} digest, and over no other`, () => {
        const holder = holderOf(sign, key);
        const request = digestRequest(hashAlgorithm);
        if (key === 'P-256' && hashAlgorithm !== 'SHA-256') {
          // Node hashes with what is named; a P-256 phone signs the digest as it is.
          const digest = Buffer.from(request.challengeOrDigest, 'base64');
          const result = okResult(holder, signDigest(holder, digest), {
            signatureProtocol: 'RAW_DIGEST_SIGNATURE',
          });
          validateSign(result, request);
          return;
        }
        const result = nestedSignResult(holder, content, request);
        expect(validateSign(result, request).signatureValueB64).to.equal(result.signatureValueB64);
        const forged = nestedSignResult(holder, Buffer.from('another'), request);
        expectRefused(() => validateSign(forged, request), 'SIGNATURE_INVALID');
      });
    }

    if (key === 'P-256') continue;
    it(`accepts a ${key} signature by PKCS#1 v1.5, and over no other digest`, () => {
      const holder = holderOf(sign, key);
      const request = digestRequest('SHA-512', { signatureAlgorithm: 'sha512WithRSAEncryption' });
      validateSign(nestedSignResult(holder, content, request), request);
      const forged = nestedSignResult(holder, Buffer.from('another'), request);
      expectRefused(() => validateSign(forged, request), 'SIGNATURE_INVALID');
    });

    it(`refuses a ${key} signature with any byte changed`, () => {
      const request = digestRequest('SHA-256');
      const result = nestedSignResult(holderOf(sign, key), content, request);
      const bytes = Buffer.from(result.signatureValueB64 ?? '', 'base64');
      for (const at of [0, 1, 17, bytes.length - 1]) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        const forged = { ...result, signatureValueB64: changed.toString('base64') };
        expectRefused(() => validateSign(forged, request), 'SIGNATURE_INVALID');
      }
    });
  }

  it('refuses PSS signed with another salt length than it says', () => {
    const request = digestRequest('SHA-512');
    const holder = holderOf(sign, 'RSA-2048');
    const shorter = nestedSignResult(holder, content, request);
    const salted32 = nestedSignResult(holder, content, { ...request, hashAlgorithm: 'SHA-256' });
    const mixed = { ...shorter, signatureValueB64: salted32.signatureValueB64 };
    expectRefused(() => validateSign(mixed, request), 'SIGNATURE_INVALID');
  });

  it('refuses an algorithm, a hash or PSS parameters other than those requested', () => {
    const request = digestRequest('SHA-512');
    const holder = holderOf(sign, 'RSA-2048');
    const result = nestedSignResult(holder, content, request);
    const parameters = result.signatureAlgorithmParameters;
    if (parameters === null) throw new Error('PSS has parameters.');
    for (const changes of [
      { hashAlgorithm: 'SHA-256' },
      { hashAlgorithm: 'SHA-1' },
      { saltLength: 32 },
      { saltLength: 0 },
      { saltLength: null },
      { trailerField: '0xcc' },
      { trailerField: null },
      { maskGenAlgorithm: null },
      { maskGenAlgorithm: { algorithm: 'id-mgf1', hashAlgorithm: 'SHA-1' } },
      { maskGenAlgorithm: { algorithm: 'id-shake256', hashAlgorithm: 'SHA-512' } },
    ]) {
      const weaker = { ...result, signatureAlgorithmParameters: { ...parameters, ...changes } };
      expectRefused(() => validateSign(weaker, request), 'ALGORITHM_DOWNGRADED');
    }
    const without = { ...result, signatureAlgorithmParameters: null };
    expectRefused(() => validateSign(without, request), 'ALGORITHM_DOWNGRADED');

    const older = { ...request, signatureAlgorithm: 'sha512WithRSAEncryption' } as const;
    const pkcs1 = nestedSignResult(holder, content, older);
    expectRefused(() => validateSign(pkcs1, request), 'ALGORITHM_DOWNGRADED');
    for (const [signatureAlgorithm, code] of [
      ['md5WithRSAEncryption', 'ALGORITHM_UNSUPPORTED'],
      ['ecdsa-with-SHA256', 'ALGORITHM_DOWNGRADED'],
      [null, 'RESPONSE_INCOMPLETE'],
    ] as const) {
      expectRefused(() => validateSign({ ...result, signatureAlgorithm }, request), code);
    }
  });

  it('refuses the answer of another generation, whatever it holds', () => {
    const holder = holderOf(auth, 'P-256');
    const flat = okResult(holder, signChallenge(holder, rpChallenge));
    const request = nestedRequest(rpChallenge);
    const nested = nestedAuthResult(holder, request);
    expectRefused(() => validateAuth(flat, request), 'PROTOCOL_MISMATCH');
    expectRefused(() => validator.validateAuth(nested, rpChallenge), 'PROTOCOL_MISMATCH');
    const dressed = { ...nested, signatureProtocol: null };
    expectRefused(() => validator.validateAuth(dressed, rpChallenge), 'SIGNATURE_INVALID');
    const { signatureValueB64 } = flat;
    expectRefused(
      () => validateAuth({ ...nested, signatureValueB64 }, request),
      'SIGNATURE_INVALID',
    );
  });

  it('refuses an authentication where a signature was asked for, and the reverse', () => {
    const holder = holderOf(sign, 'P-256');
    const request = digestRequest('SHA-256');
    const result = nestedSignResult(holder, content, request);
    const asAuth = { ...result, signatureProtocol: 'ACSP_V2' };
    expectRefused(() => validateSign(asAuth, request), 'PROTOCOL_MISMATCH');
    expectRefused(() => validateAuth(result, request), 'INPUT_INVALID');
    expectRefused(
      () =>
        validator.validateSign(result, sha256('another').toString('base64'), {
          session: { rpChallenge: '', request },
        }),
      'INPUT_INVALID',
    );
  });

  it('refuses the answer of another person or device where one was named', () => {
    const holder = holderOf(auth, 'P-256');
    const result = okResult(holder, signChallenge(holder, rpChallenge));
    const person = { personEtsi: 'PNOMN-110000000001' };
    const documentNumber = result.documentNumber ?? '';
    validator.validateAuth(result, rpChallenge, { ...person, documentNumber });
    for (const other of [{ personEtsi: 'PNOMN-110000000002' }, { documentNumber: 'another' }]) {
      expectRefused(
        () => validator.validateAuth(result, rpChallenge, { ...person, ...other }),
        'PERSON_MISMATCH',
      );
    }
  });
});
