import { expect } from 'chai';
import {
  checkCallback,
  type DeviceLinkSession,
  type Person,
  randomChallenge,
  ResponseValidator,
  type SealResult,
  type SessionResult,
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

const challenge = randomChallenge();
const digest = sha256('a contract');
const digestB64 = digest.toString('base64');
const orgEtsi = 'NTRMN-1234567';

const stated: Person = {
  firstName: 'Болд',
  lastName: 'Дорж',
  familyName: 'Боржигон',
  firstNameEn: 'Bold',
  lastNameEn: 'Dorj',
  civilId: '110000000001',
  regNo: 'аб90010112',
  birthDate: '1990-01-01',
  gender: 'M',
  geID: null,
};

describe('F11: what the library returns was verified', () => {
  let auth: Issued;
  let sign: Issued;
  let seal: Issued;
  let validator: ResponseValidator;

  before(async () => {
    const root = await issue({ name: 'Root', ca: true });
    const issuer = await issue({ name: 'Issuing', ca: true, pathLength: 0, issuer: root });
    const signing = { usage: 'SIGN', policies: [policy.qcpN], issuer } as const;
    const qcStatements = [qc.compliance];
    auth = await issue({ name: 'A', usage: 'AUTH', policies: [policy.qcpN], issuer });
    sign = await issue({ name: 'S', ...signing, qcStatements });
    seal = await issue({ name: 'O', ...signing, qcStatements, organization: orgEtsi });
    validator = new ResponseValidator(
      { trustAnchorsPem: root.pem, intermediatesPem: issuer.pem },
      () => new Date('2026-06-01T00:00:00Z'),
    );
  });

  const loginWith = (changes: Partial<SessionResult>) =>
    validator.validateAuth(okResult(auth, signChallenge(auth, challenge), changes), challenge);

  function expectRefused(act: () => unknown, code: ValidationCode) {
    expect(act).to.throw(ValidationError).with.property('code', code);
  }

  it('takes the person from the certificate and the rest as the word of the service', () => {
    const onBehalfOf = { orgEtsi, orgName: 'Demo LLC', role: null, rightType: null };
    const login = loginWith({ person: stated, onBehalfOf });
    expect(login.person).to.deep.equal({
      etsi: 'PNOMN-110000000001',
      civilId: '110000000001',
      firstName: 'Болд',
      lastName: 'Дорж',
    });
    const { documentNumber } = login.statedByService;
    expect(documentNumber).to.equal('7c3f0c7e-5f0a-4d36-9f6a-9d2f6e1f2a10');
    expect(login.statedByService).to.deep.equal({
      documentNumber,
      person: stated,
      onBehalfOf,
      riskSignals: null,
    });
    expect(loginWith({}).person.civilId).to.equal('110000000001');
  });

  for (const change of [
    { civilId: '110000000002' },
    { firstName: 'Бат' },
    { lastName: 'Бат' },
  ] satisfies readonly Partial<Person>[]) {
    it(`refuses an answer that names somebody else by ${Object.keys(change).join()}`, () => {
      expectRefused(() => loginWith({ person: { ...stated, ...change } }), 'PERSON_MISMATCH');
    });
  }

  it('accepts a name in another encoding of the same letters', () => {
    const decomposed = { ...stated, lastName: 'Дорж'.normalize('NFD') };
    expect(loginWith({ person: decomposed }).person.lastName).to.equal('Дорж');
  });

  it('refuses a signature with the seal certificate of an organization', () => {
    const result = okResult(seal, signDigest(seal, digest));
    expectRefused(() => validator.validateSign(result, digestB64), 'PERSON_MISMATCH');
    const signature = validator.validateSign(okResult(sign, signDigest(sign, digest)), digestB64);
    expect(signature.person.civilId).to.equal('110000000001');
  });

  it('refuses a seal with the certificate of a person', () => {
    const sealed = (holder: Issued): SealResult => ({
      signatureValueB64: signDigest(holder, digest).toString('base64'),
      signatureAlgorithm: 'ecdsa-with-SHA256',
      certificateDerB64: holder.derB64,
      certificateLevel: 'QUALIFIED',
      sealedAt: '2026-06-01T00:00:00Z',
    });
    const validated = validator.validateSeal(sealed(seal), digestB64, orgEtsi);
    expect(validated.subject.organizationIdentifier).to.equal(orgEtsi);
    expectRefused(
      () => validator.validateSeal(sealed(sign), digestB64, orgEtsi),
      'ORGANIZATION_MISMATCH',
    );
  });

  it('refuses a first-generation callback that nothing ties to its browser', () => {
    const session: DeviceLinkSession = {
      sessionId: 's1',
      sessionToken: 'wGIrqveE6AuGDATZKmR1mtAZ',
      sessionSecret: 'B98ODiVCebRedSwdTk51zFSaGYyHtY1H2A0ocAi3/Ps=',
      deviceLinkBase: 'https://link.example/device-link',
      vc: '0419',
      rpChallenge: challenge,
    };
    const result = okResult(auth, signChallenge(auth, challenge));
    const returned = new URL('https://rp.example.mn/callback?state=of-another-browser');
    expectRefused(() => checkCallback(returned, { session, result }), 'INPUT_INVALID');
    expectRefused(() => checkCallback(returned, { session, result, state: '' }), 'INPUT_INVALID');
    checkCallback(returned, { session, result, state: 'of-another-browser' });
  });
});
