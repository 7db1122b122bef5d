import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  randomChallenge,
  ResponseValidator,
  type RevocationStatus,
  SessionFailedError,
  type TrustSettings,
  type ValidationCode,
  ValidationError,
} from '../../client/index.ts';
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
const challenge = randomChallenge();
const digest = sha256('a contract');
const digestB64 = digest.toString('base64');

describe('The response validator', () => {
  let root: Issued;
  let issuing: Issued;
  let auth: Issued;
  let sign: Issued;
  let signRsa: Issued;

  before(async () => {
    root = await issue({ name: 'Root', ca: true });
    issuing = await issue({ name: 'Issuing', ca: true, pathLength: 0, issuer: root });
    auth = await issue({ name: 'A', usage: 'AUTH', policies: [policy.qcpN], issuer: issuing });
    sign = await issue({
      name: 'S',
      usage: 'SIGN',
      policies: [policy.qcpN],
      qcStatements: [qc.compliance],
      issuer: issuing,
    });
    signRsa = await issue({
      name: 'R',
      usage: 'SIGN',
      qcStatements: [qc.compliance],
      rsaBits: 2048,
      issuer: issuing,
    });
  });

  function validator(changes: TrustSettings = {}, at = now) {
    return new ResponseValidator(
      { trustAnchorsPem: root.pem, intermediatesPem: [issuing.pem], ...changes },
      () => at,
    );
  }

  function authOf(holder: Issued) {
    return okResult(holder, signChallenge(holder, challenge));
  }

  function expectRefused(act: () => unknown, code: ValidationCode) {
    expect(act).to.throw(ValidationError).with.property('code', code);
  }

  it('returns who authenticated, with which certificate and level', () => {
    const validated = validator().validateAuth(authOf(auth), challenge);
    expect(validated.statedByService.documentNumber).to.equal(
      '7c3f0c7e-5f0a-4d36-9f6a-9d2f6e1f2a10',
    );
    expect(validated.certificateLevel).to.equal('QUALIFIED');
    expect(validated.subject).to.include({
      serialNumber: 'PNOMN-110000000001',
      givenName: 'Болд',
      surname: 'Дорж',
      country: 'MN',
    });
    expect(validated.certificate.raw.toString('base64')).to.equal(auth.derB64);
  });

  for (const keyType of ['P-256', 'RSA'] as const) {
    it(`accepts a ${keyType} signature over the digest itself`, () => {
      const holder = keyType === 'RSA' ? signRsa : sign;
      const signature = signDigest(holder, digest);
      const validated = validator().validateSign(okResult(holder, signature), digestB64);
      expect(validated.signatureValueB64).to.equal(signature.toString('base64'));
      expect(validated.subject.serialNumber).to.equal('PNOMN-110000000001');
    });

    it(`refuses a ${keyType} signature over another digest`, () => {
      const holder = keyType === 'RSA' ? signRsa : sign;
      const result = okResult(holder, signDigest(holder, sha256('another contract')));
      expectRefused(() => validator().validateSign(result, digestB64), 'SIGNATURE_INVALID');
    });
  }

  it('refuses a signature that names another hash than that of the digest', () => {
    const longDigest = createHash('sha512').update('a contract').digest();
    const named = (signatureAlgorithm: string) =>
      okResult(sign, signDigest(sign, longDigest), { signatureAlgorithm });
    const check = (signatureAlgorithm: string) =>
      validator().validateSign(named(signatureAlgorithm), longDigest.toString('base64'));
    expect(check('ecdsa-with-SHA512').signatureAlgorithm).to.equal('ecdsa-with-SHA512');
    expectRefused(() => check('ecdsa-with-SHA256'), 'ALGORITHM_UNSUPPORTED');
  });

  it('throws the endResult when the citizen did not confirm', () => {
    const refused = { ...authOf(auth), endResult: 'USER_REFUSED' } as const;
    expect(() => validator().validateAuth(refused, challenge))
      .to.throw(SessionFailedError)
      .with.property('endResult', 'USER_REFUSED');
    expect(() =>
      validator().validateAuth({ ...authOf(auth), state: 'RUNNING' }, challenge),
    ).to.throw(SessionFailedError);
  });

  it('refuses an answer to another challenge', () => {
    expectRefused(
      () => validator().validateAuth(authOf(auth), randomChallenge()),
      'SIGNATURE_INVALID',
    );
  });

  it('refuses a challenge too short to mean anything', () => {
    const result = okResult(auth, signChallenge(auth, ''));
    expectRefused(() => validator().validateAuth(result, ''), 'INPUT_INVALID');
  });

  it('refuses the certificate of somebody else over the same signature', async () => {
    const other = await issue({
      name: 'Other',
      usage: 'AUTH',
      policies: [policy.qcpN],
      issuer: issuing,
    });
    const swapped = { ...authOf(auth), certificateDerB64: other.derB64 };
    expectRefused(() => validator().validateAuth(swapped, challenge), 'SIGNATURE_INVALID');
  });

  it('refuses a signing certificate for authentication and the reverse', () => {
    expectRefused(() => validator().validateAuth(authOf(sign), challenge), 'KEY_USAGE_WRONG');
    const signedWithAuth = okResult(auth, signDigest(auth, digest));
    expectRefused(() => validator().validateSign(signedWithAuth, digestB64), 'KEY_USAGE_WRONG');
  });

  it('refuses a certificate that proves less than the response claims', async () => {
    const advanced = await issue({
      name: 'Advanced',
      usage: 'AUTH',
      policies: [policy.ncp],
      issuer: issuing,
    });
    expectRefused(() => validator().validateAuth(authOf(advanced), challenge), 'LEVEL_TOO_LOW');
    const lenient = validator({ requiredLevel: 'ADVANCED' });
    expect(lenient.validateAuth(authOf(advanced), challenge).certificateLevel).to.equal('ADVANCED');
  });

  it('refuses a certificate that names no level, whatever the response claims', async () => {
    const bare = await issue({ name: 'Bare', usage: 'AUTH', issuer: issuing });
    expectRefused(
      () => validator({ requiredLevel: 'ADVANCED' }).validateAuth(authOf(bare), challenge),
      'LEVEL_TOO_LOW',
    );
  });

  it('refuses a response that claims less than required', () => {
    const lower = { ...authOf(auth), certificateLevel: 'ADVANCED' };
    expectRefused(() => validator().validateAuth(lower, challenge), 'LEVEL_TOO_LOW');
  });

  it('reads the level of an authentication certificate from the policies below the arc it trusts', async () => {
    const policyArc = '2.25.326841593203561072937166432101827343217';
    const trusting = validator({ policyArc });
    const own = (suffix: string) =>
      issue({
        name: suffix,
        usage: 'AUTH',
        policies: [policy.ncp, `${policyArc}.${suffix}`],
        issuer: issuing,
      });
    const qualified = await own('1.2.1');
    expect(trusting.validateAuth(authOf(qualified), challenge).certificateLevel).to.equal(
      'QUALIFIED',
    );
    expectRefused(() => validator().validateAuth(authOf(qualified), challenge), 'LEVEL_TOO_LOW');
    for (const suffix of ['1.1.1', '2.2.1', '1.2.1.1', '1.2.3', '1.9.1']) {
      const lower = await own(suffix);
      expectRefused(() => trusting.validateAuth(authOf(lower), challenge), 'LEVEL_TOO_LOW');
    }
  });

  it('asks for QSCD when QSCD is required', async () => {
    const strict = validator({ requiredLevel: 'QSCD' });
    expectRefused(() => strict.validateAuth(authOf(auth), challenge), 'LEVEL_TOO_LOW');
    const qscd = await issue({
      name: 'Qscd',
      usage: 'AUTH',
      policies: [policy.qcpNQscd],
      issuer: issuing,
    });
    const result = { ...authOf(qscd), certificateLevel: 'QSCD' };
    expect(strict.validateAuth(result, challenge).certificateLevel).to.equal('QSCD');
  });

  it('refuses a certificate before, and after, its validity but for the clock skew', async () => {
    const short = await issue({
      name: 'Short',
      usage: 'AUTH',
      policies: [policy.qcpN],
      issuer: issuing,
      notBefore: new Date('2026-05-01T00:00:00Z'),
      notAfter: new Date('2026-06-01T00:00:00Z'),
    });
    const late = new Date('2026-06-01T00:00:30Z');
    const early = new Date('2026-04-30T23:59:30Z');
    for (const at of [late, early]) {
      expectRefused(
        () => validator({}, at).validateAuth(authOf(short), challenge),
        'CERTIFICATE_NOT_VALID_NOW',
      );
      validator({ clockSkewMs: 30_000 }, at).validateAuth(authOf(short), challenge);
    }
  });

  it('refuses a chain whose issuing CA has expired', async () => {
    const expired = await issue({
      name: 'Expired CA',
      ca: true,
      issuer: root,
      notAfter: new Date('2026-05-01T00:00:00Z'),
    });
    const holder = await issue({
      name: 'H',
      usage: 'AUTH',
      policies: [policy.qcpN],
      issuer: expired,
    });
    expectRefused(
      () => validator({ intermediatesPem: expired.pem }).validateAuth(authOf(holder), challenge),
      'CHAIN_UNTRUSTED',
    );
  });

  it('refuses an issuer that is no CA: a citizen cannot certify another', async () => {
    for (const citizen of [
      await issue({ name: 'No constraints', usage: 'AUTH', issuer: issuing }),
      await issue({ name: 'Not a CA', ca: false, usage: 'CA', issuer: root }),
      await issue({ name: 'May not sign certificates', ca: true, usage: 'AUTH', issuer: root }),
    ]) {
      const forged = await issue({
        name: 'Forged',
        usage: 'AUTH',
        policies: [policy.qcpN],
        issuer: citizen,
      });
      expectRefused(
        () =>
          validator({ intermediatesPem: [issuing.pem, citizen.pem] }).validateAuth(
            authOf(forged),
            challenge,
          ),
        'CHAIN_UNTRUSTED',
      );
    }
  });

  it('refuses a CA below one that may have none below it', async () => {
    const below = await issue({ name: 'Below', ca: true, issuer: issuing });
    const holder = await issue({
      name: 'H',
      usage: 'AUTH',
      policies: [policy.qcpN],
      issuer: below,
    });
    expectRefused(
      () =>
        validator({ intermediatesPem: [issuing.pem, below.pem] }).validateAuth(
          authOf(holder),
          challenge,
        ),
      'CHAIN_UNTRUSTED',
    );
  });

  it('refuses a root of the same name with another key', async () => {
    const impostor = await issue({ name: 'Root', ca: true });
    const fake = await issue({ name: 'Issuing', ca: true, issuer: impostor });
    const holder = await issue({ name: 'H', usage: 'AUTH', policies: [policy.qcpN], issuer: fake });
    expectRefused(
      () =>
        validator({ intermediatesPem: [issuing.pem, fake.pem] }).validateAuth(
          authOf(holder),
          challenge,
        ),
      'CHAIN_UNTRUSTED',
    );
  });

  it('follows a chain of eight certificates and no longer one', async () => {
    const cas = [root];
    for (let depth = 0; depth < 7; depth += 1) {
      const issuer = cas.at(-1) ?? root;
      cas.push(await issue({ name: `CA ${depth}`, ca: true, issuer }));
    }
    const intermediatesPem = cas.slice(1).map(({ pem }) => pem);
    const wish = { name: 'Deep', usage: 'AUTH', policies: [policy.qcpN] } as const;
    const eighth = await issue({ ...wish, issuer: cas[6] ?? root });
    const ninth = await issue({ ...wish, issuer: cas[7] ?? root });
    validator({ intermediatesPem }).validateAuth(authOf(eighth), challenge);
    expectRefused(
      () => validator({ intermediatesPem }).validateAuth(authOf(ninth), challenge),
      'CHAIN_UNTRUSTED',
    );
  });

  it('refuses a critical extension it does not understand', async () => {
    const odd = await issue({
      name: 'Odd',
      usage: 'AUTH',
      policies: [policy.qcpN],
      criticalExtra: true,
      issuer: issuing,
    });
    expectRefused(() => validator().validateAuth(authOf(odd), challenge), 'CERTIFICATE_MALFORMED');
  });

  it('refuses keys too weak', async () => {
    const weak = await issue({
      name: 'Weak',
      usage: 'SIGN',
      policies: [policy.qcpN],
      rsaBits: 1024,
      issuer: issuing,
    });
    const result = okResult(weak, signDigest(weak, digest));
    expectRefused(() => validator().validateSign(result, digestB64), 'KEY_UNSUPPORTED');
  });

  it('refuses an algorithm that does not suit the key', () => {
    const result = {
      ...okResult(sign, signDigest(sign, digest)),
      signatureAlgorithm: 'sha256WithRSAEncryption',
    };
    expectRefused(() => validator().validateSign(result, digestB64), 'ALGORITHM_UNSUPPORTED');
    expectRefused(
      () => validator().validateSign({ ...result, signatureAlgorithm: 'none' }, digestB64),
      'ALGORITHM_UNSUPPORTED',
    );
  });

  it('refuses junk instead of a signature or a certificate, and never anything but a ValidationError', () => {
    for (const junk of ['AAAA', '', 'not base64!', Buffer.alloc(256).toString('base64')]) {
      for (const holder of [sign, signRsa]) {
        const result = { ...okResult(holder, signDigest(holder, digest)), signatureValueB64: junk };
        expect(() => validator().validateSign(result, digestB64)).to.throw(ValidationError);
      }
      const result = { ...authOf(auth), certificateDerB64: junk };
      expect(() => validator().validateAuth(result, challenge)).to.throw(ValidationError);
    }
    const cutOff = Buffer.from(auth.derB64, 'base64');
    for (let length = 0; length < cutOff.length; length += 7) {
      const certificateDerB64 = cutOff.subarray(0, length).toString('base64');
      expect(() =>
        validator().validateAuth({ ...authOf(auth), certificateDerB64 }, challenge),
      ).to.throw(ValidationError);
    }
  });

  it('refuses a certificate with any bit changed, and never anything but a ValidationError', () => {
    const result = authOf(auth);
    const der = Buffer.from(auth.derB64, 'base64');
    for (let at = 0; at < der.length; at += 1) {
      const changed = Buffer.from(der);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const certificateDerB64 = changed.toString('base64');
      expect(() => validator().validateAuth({ ...result, certificateDerB64 }, challenge)).to.throw(
        ValidationError,
      );
    }
  });

  it('refuses a certificate followed by other bytes', () => {
    const padded = Buffer.concat([Buffer.from(auth.derB64, 'base64'), Buffer.of(0)]);
    const result = { ...authOf(auth), certificateDerB64: padded.toString('base64') };
    expectRefused(() => validator().validateAuth(result, challenge), 'CERTIFICATE_MALFORMED');
  });

  it('requires the document number', () => {
    const anonymous = { ...authOf(auth), documentNumber: null };
    expectRefused(() => validator().validateAuth(anonymous, challenge), 'RESPONSE_INCOMPLETE');
  });

  it('trusts nobody without trust anchors, unless allowed to', () => {
    const blind = new ResponseValidator({}, () => now);
    expectRefused(() => blind.validateAuth(authOf(auth), challenge), 'NO_TRUST_ANCHOR');
    const untrusting = new ResponseValidator({ allowUntrusted: true }, () => now);
    untrusting.validateAuth(authOf(auth), challenge);
    expectRefused(
      () => untrusting.validateAuth(authOf(auth), randomChallenge()),
      'SIGNATURE_INVALID',
    );
  });

  it('asks the revocation checker with the issuer and fails hard or softly', async () => {
    const asked: (string | undefined)[] = [];
    const answering = (answer: () => Promise<RevocationStatus>) => ({
      revocation: (_: unknown, issuer: { subject: string } | null) => {
        asked.push(issuer?.subject);
        return answer();
      },
    });
    const { certificate } = validator().validateAuth(authOf(auth), challenge);
    const outcome = (settings: TrustSettings) =>
      validator(settings)
        .checkRevocation(certificate)
        .then(
          () => 'accepted',
          (error: unknown) => (error as ValidationError).code,
        );
    const good = answering(() => Promise.resolve('good'));
    const revoked = answering(() => Promise.resolve('revoked'));
    const silent = answering(() => Promise.reject(new Error('no answer')));
    expect(await outcome({})).to.equal('accepted');
    expect(await outcome(good)).to.equal('accepted');
    expect(await outcome(revoked)).to.equal('REVOKED');
    expect(await outcome(silent)).to.equal('REVOCATION_UNKNOWN');
    expect(await outcome({ ...silent, revocationMode: 'soft-fail' })).to.equal('accepted');
    expect(await outcome({ ...revoked, revocationMode: 'soft-fail' })).to.equal('REVOKED');
    expect(asked[0]).to.contain('CN=Issuing');
  });
});
