import { createHash, randomUUID, verify, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import {
  ApiError,
  type AuthOptions,
  AuthenticationError,
  checkCallback,
  ConfigurationError,
  EidClient,
  ForbiddenError,
  type Generation,
  type HttpCall,
  NetworkError,
  type ProblemCode,
  RateLimitedError,
  SessionFailedError,
  type SessionResult,
  sha256Base64,
  signedDeviceLink,
  ValidationError,
} from '../../client/index.ts';
import { problemStatus } from '../../client/problemCodes.ts';
import {
  createFakePlatform,
  type FakeAnswer,
  type FakeOutcome,
  fakeOutcomes,
  type FakePlatform,
} from '../../client/testing/index.ts';
import { rejection } from '../support/assertions/rejection.ts';

const generations: readonly Generation[] = ['G1', 'G2'];
const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;
const digest = sha256Base64('three goats');

const pdf = Buffer.from('%PDF-1.7 lease');
const annex = Buffer.from('annex');
const documents = [
  { digest: sha256Base64(pdf), displayText60: 'Lease', fileName: 'lease.pdf' },
  {
    digest: createHash('sha512').update(annex).digest('base64'),
    hashType: 'SHA512',
    displayText60: 'Annex',
  },
] as const;

/** Base64 of the same 32 bytes with bits set behind them, which decoders drop. */
const otherTextOf = (digest: string) =>
  digest.replace(/.=$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`);

/** Error of a call that throws; null: it did not. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
    return null;
  } catch (error) {
    return error;
  }
}

/** Error that the library makes of each outcome: one that is missing here does not compile. */
const expected: Readonly<
  Record<Exclude<FakeOutcome, 'OK'>, typeof SessionFailedError | typeof ValidationError>
> = {
  TIMEOUT: SessionFailedError,
  USER_REFUSED: SessionFailedError,
  USER_REFUSED_INTERACTION: SessionFailedError,
  USER_REFUSED_DISPLAYTEXTANDPIN: SessionFailedError,
  USER_REFUSED_VC_CHOICE: SessionFailedError,
  USER_REFUSED_CONFIRMATIONMESSAGE: SessionFailedError,
  USER_REFUSED_CERT_CHOICE: SessionFailedError,
  USER_REFUSED_NOT_ME: SessionFailedError,
  WRONG_VC: SessionFailedError,
  DOCUMENT_UNUSABLE: SessionFailedError,
  PROTOCOL_FAILURE: SessionFailedError,
  REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP: SessionFailedError,
  EXPECTED_LINKED_SESSION: SessionFailedError,
  SERVER_ERROR: SessionFailedError,
  CANCELLED_BY_RP: SessionFailedError,
  UNKNOWN: SessionFailedError,
  SIGNATURE_INVALID: ValidationError,
  CHAIN_UNTRUSTED: ValidationError,
  CERTIFICATE_NOT_VALID_NOW: ValidationError,
  LEVEL_TOO_LOW: ValidationError,
  PERSON_MISMATCH: ValidationError,
  REVOKED: ValidationError,
};

describe('The fake platform', () => {
  let platform: FakePlatform;
  let client: EidClient;

  beforeEach(() => {
    platform = createFakePlatform();
    client = new EidClient(platform.config);
  });

  async function logIn(id: string, generation: Generation) {
    const login = await client.auth.notificationByEtsi(id, interactions, { generation });
    const answer = await client.session.waitForResult(login.sessionId);
    const validated = client.validator.validateAuth(answer, login, { personEtsi: id });
    await client.validator.checkRevocation(validated.certificate);
    return { login, validated };
  }

  async function sign(id: string, generation: Generation) {
    const session = await client.sign.digestByEtsi(id, digest, interactions, { generation });
    const answer = await client.session.waitForResult(session.sessionId);
    const validated = client.validator.validateSign(answer, digest, { session, personEtsi: id });
    await client.validator.checkRevocation(validated.certificate);
    return validated;
  }

  async function signBatch(id: string) {
    const session = await client.sign.batchByEtsi(id, documents, interactions);
    const answer = await client.session.waitForResult(session.sessionId);
    return { session, answer };
  }

  it('answers several documents with a signature for each, in their order', async () => {
    const { etsi } = platform.addCitizen();
    const { session, answer } = await signBatch(etsi);
    const signed = client.validator.validateBatch(answer, documents, { personEtsi: etsi });
    expect(signed.map(({ signatureAlgorithm }) => signatureAlgorithm)).to.deep.equal([
      'ecdsa-with-SHA256',
      'ecdsa-with-SHA512',
    ]);
    expect(new Set(signed.map(({ signatureValueB64 }) => signatureValueB64)).size).to.equal(2);
    expect(session.vc.value).to.match(/^\d{4}$/);
    await client.stamp.pdf(session.sessionId, pdf);
  });

  it('lets a batch be believed as a whole or not at all', async () => {
    const { answer } = await signBatch(platform.addCitizen().etsi);
    const [first, second] = answer.signatures;
    if (first === undefined || second === undefined) throw new Error('There are not two.');
    for (const [signatures, code] of [
      [[first], 'RESPONSE_INCOMPLETE'],
      [[second, first], 'RESPONSE_INCOMPLETE'],
      [[], 'RESPONSE_INCOMPLETE'],
      [[first, { ...second, signatureValueB64: first.signatureValueB64 }], 'SIGNATURE_INVALID'],
      [[first, { ...second, signatureAlgorithm: 'ecdsa-with-SHA256' }], 'ALGORITHM_UNSUPPORTED'],
    ] as const) {
      const forged = { ...answer, signatures };
      expect(thrownBy(() => client.validator.validateBatch(forged, documents)))
        .to.be.instanceOf(ValidationError)
        .with.property('code', code);
    }
    const spoilt = await signBatch(platform.citizenWho('SIGNATURE_INVALID').etsi);
    expect(thrownBy(() => client.validator.validateBatch(spoilt.answer, documents)))
      .to.be.instanceOf(ValidationError)
      .with.property('code', 'SIGNATURE_INVALID');
    const refused = await signBatch(platform.citizenWho('USER_REFUSED').etsi);
    expect(thrownBy(() => client.validator.validateBatch(refused.answer, documents)))
      .to.be.instanceOf(SessionFailedError)
      .with.property('endResult', 'USER_REFUSED');
  });

  it('names the hash of one digest, too', async () => {
    const { etsi } = platform.addCitizen();
    const [, { digest: long, hashType }] = documents;
    const session = await client.sign.digestByEtsi(etsi, long, interactions, { hashType });
    const answer = await client.session.waitForResult(session.sessionId);
    expect(client.validator.validateSign(answer, long).signatureAlgorithm).to.equal(
      'ecdsa-with-SHA512',
    );
  });

  it('takes each document once, its digest of its hash and in one form', async () => {
    const [one, two] = documents;
    const { answer } = await signBatch(platform.addCitizen().etsi);
    for (const [wrong, about] of [
      [[one, one], 'twice'],
      [[one, { ...two, hashType: 'SHA384' }], 'documents[1].digest'],
      [[one, { digest: two.digest, displayText60: 'Annex' }], 'documents[1].digest'],
      [[{ ...one, digest: otherTextOf(one.digest) }, two], 'documents[0].digest'],
    ] as const) {
      const call = client.sign.batchByEtsi('x', wrong, interactions);
      const errors = [
        await rejection(call),
        thrownBy(() => client.validator.validateBatch(answer, wrong)),
      ];
      for (const error of errors) {
        expect(error).to.be.instanceOf(ConfigurationError);
        expect((error as Error).message).to.include(about);
      }
    }
  });

  it('takes 2 to 20 documents', async () => {
    const [one] = documents;
    for (const wrong of [[], [one], Array.from({ length: 21 }, () => one)]) {
      const call = client.sign.batchByEtsi('x', wrong, interactions);
      expect(await rejection(call))
        .to.have.property('message')
        .that.includes('2 to 20');
    }
  });

  for (const generation of generations) {
    it(`answers logins and signatures of ${generation} that the library believes`, async () => {
      const citizen = platform.addCitizen({ firstName: 'Сараа', lastName: 'Бат', level: 'QSCD' });
      const { login, validated } = await logIn(citizen.etsi, generation);
      expect(validated.person).to.include({ etsi: citizen.etsi, firstName: 'Сараа' });
      expect(validated).to.include({ documentNumber: citizen.documentNumber });
      expect(validated.certificateLevel).to.equal('QSCD');
      expect(login.vc.value).to.match(generation === 'G1' ? /^\d{4}$/ : /^\d{5}$/);
      const signed = await sign(citizen.etsi, generation);
      expect(signed.signatureAlgorithm).to.equal('ecdsa-with-SHA256');
    });

    it(`ends logins and signatures of ${generation} in every way there is`, async () => {
      expect(fakeOutcomes).to.have.members(['OK', ...Object.keys(expected)]);
      for (const [outcome, kind] of Object.entries(expected)) {
        const { etsi } = platform.citizenWho(outcome as FakeOutcome);
        for (const attempt of [logIn, sign]) {
          const error = await rejection(attempt(etsi, generation));
          expect(error, outcome).to.be.instanceOf(kind);
          const field = kind === SessionFailedError ? 'endResult' : 'code';
          expect(error).to.have.property(field, outcome);
        }
      }
    });
  }

  it('is trusted by nobody else', async () => {
    const other = new EidClient({ ...platform.config, ...trustOf(createFakePlatform()) });
    const login = await other.auth.notificationByEtsi(platform.citizenWho('OK').etsi, interactions);
    const answer = await other.session.waitForResult(login.sessionId);
    expect(() => other.validator.validateAuth(answer, login))
      .to.throw(ValidationError)
      .with.property('code', 'CHAIN_UNTRUSTED');
  });

  it('lets polls wait until the test answers', async () => {
    const { etsi } = platform.addCitizen({ answers: null });
    const login = await client.auth.notificationByEtsi(etsi, interactions);
    const waiting = client.session.waitForResult(login.sessionId);
    platform.lastSession().answer('WRONG_VC');
    expect(await waiting).to.include({ state: 'COMPLETE', endResult: 'WRONG_VC' });
    expect(() => platform.lastSession().answer('OK')).to.throw('has ended');
  });

  it('answers with a request id and a trace id, which calls tell of', async () => {
    const calls: HttpCall[] = [];
    const watching = new EidClient({ ...platform.config, onCall: (call) => calls.push(call) });
    await watching.auth.notificationByEtsi(platform.citizenWho('OK').etsi, interactions);
    await rejection(watching.session.poll(randomUUID(), 0));
    for (const { requestId, traceId } of calls) {
      expect(requestId?.replaceAll('-', ''))
        .to.equal(traceId)
        .and.match(/^[0-9a-f]{32}$/);
    }
    expect(calls).to.have.length(2);
  });

  it('tells how far a request came', async () => {
    const { etsi } = platform.addCitizen({ answers: null });
    const { sessionId } = await client.auth.notificationByEtsi(etsi, interactions);
    const progress = async () => (await client.session.poll(sessionId, 0)).progress;
    expect(await progress()).to.equal(null);
    platform.lastSession().reach('OPENED');
    expect(await progress()).to.equal('OPENED');
    platform.lastSession().reach('PIN_ENTRY');
    expect(await progress()).to.equal('PIN_ENTRY');
    platform.lastSession().answer('OK');
    expect(await progress()).to.equal(null);
    expect(() => platform.lastSession().reach('OPENED')).to.throw('has ended');
  });

  it('tells the signals of a phone that were asked for', async () => {
    const { etsi } = platform.addCitizen({ answers: null });
    const ended = async (options: AuthOptions, answer?: FakeAnswer) => {
      const { sessionId } = await client.auth.notificationByEtsi(etsi, interactions, options);
      platform.lastSession().answer('OK', answer);
      return (await client.session.poll(sessionId, 0)).riskSignals;
    };
    const riskSignals = ['rooted', 'osVersion'] as const;
    const agrees = { riskSignals: { rooted: true, emulator: false } };
    expect(await ended({ riskSignals }, agrees)).to.deep.equal({ rooted: true, osVersion: null });
    expect(await ended({ riskSignals })).to.equal(null);
    expect(await ended({ riskSignals, riskSignalsRequired: true })).to.deep.equal({
      rooted: null,
      osVersion: null,
    });
    expect(await ended({}, agrees)).to.equal(null);
  });

  it('takes a session back, unless it has ended', async () => {
    const { etsi } = platform.addCitizen({ answers: null });
    const taken = { state: 'COMPLETE', endResult: 'CANCELLED_BY_RP' };
    const { sessionId } = await client.auth.notificationByEtsi(etsi, interactions);
    const waiting = client.session.waitForResult(sessionId);
    expect(await client.session.cancel(sessionId)).to.include(taken);
    expect(await waiting).to.include(taken);
    const answered = await client.auth.notificationByEtsi(
      platform.citizenWho('OK').etsi,
      interactions,
    );
    expect(await client.session.cancel(answered.sessionId)).to.include({ endResult: 'OK' });
    const unknown = await rejection(client.session.cancel(randomUUID()));
    expect(unknown).to.include({ code: 'SESSION_NOT_FOUND' });
  });

  it('lets time pass only when it is told to', async () => {
    const slow = platform.addCitizen({ answersAfterMs: 20_000 });
    const { sessionId } = await client.auth.notificationByEtsi(slow.etsi, interactions);
    const poll = client.session.poll(sessionId, 10_000);
    await asked(2);
    platform.advance(10_000);
    expect((await poll).state).to.equal('RUNNING');
    platform.advance(10_000);
    expect(await client.session.poll(sessionId)).to.have.property('endResult', 'OK');
    platform.advance(600_000);
    expect(await rejection(client.session.poll(sessionId))).to.include({
      code: 'SESSION_NOT_FOUND',
    });
  });

  it('ends a session nobody answers after 150 seconds', async () => {
    const { etsi } = platform.addCitizen({ answers: null });
    const { sessionId } = await client.auth.notificationByEtsi(etsi, interactions);
    expect(await client.session.poll(sessionId, 0)).to.have.property('state', 'RUNNING');
    platform.advance(149_999);
    expect(await client.session.poll(sessionId, 0)).to.have.property('state', 'RUNNING');
    platform.advance(1);
    expect(await client.session.poll(sessionId)).to.have.property('endResult', 'TIMEOUT');
  });

  it('ends a poll with its signal', async () => {
    const { etsi } = platform.addCitizen({ answers: null });
    const { sessionId } = await client.auth.notificationByEtsi(etsi, interactions);
    const gone = new AbortController();
    const poll = client.session.poll(sessionId, 30_000, { signal: gone.signal });
    gone.abort(new Error('The browser left.'));
    expect(await rejection(poll)).to.have.property('message', 'The browser left.');
  });

  it('answers device links, and comes back to the browser that started', async () => {
    const callbackUrl = 'https://shop.test/callback?state=s1';
    const session = await client.auth.deviceLinkAnonymous(interactions, {
      generation: 'G2',
      callbackUrl,
    });
    expect(signedDeviceLink(session, { type: 'QR' })).to.include('authCode=');
    const citizen = platform.addCitizen();
    platform.lastSession().answer('OK', { by: citizen, flowType: 'Web2App' });
    const result: SessionResult = await client.session.poll(session.sessionId);
    expect(client.validator.validateAuth(result, session).person.etsi).to.equal(citizen.etsi);
    const returned = platform.lastSession().returnUrl();
    expect(returned.pathname).to.equal('/auth/eid/callback');
    checkCallback(returned, { session, result, state: 's1' });
    await client.auth.deviceLinkAnonymous(interactions, { callbackUrl: 'http://shop.test/' });
    expect(() => platform.lastSession().returnUrl()).to.throw('drops');
  });

  it('chooses certificates, and signs on the phone that was chosen', async () => {
    const choice = await client.sign.certificateChoiceAnonymous();
    platform.lastSession().answer('OK');
    const chosen = await client.session.poll(choice.sessionId);
    const documentNumber = String(chosen.documentNumber);
    const { certificateDerB64 } = await client.sign.certificateOf(documentNumber);
    expect(chosen.certificateDerB64).to.equal(certificateDerB64);
    const answered = { sessionId: choice.sessionId, documentNumber };
    const session = await client.sign.linkedDigest(answered, digest, interactions);
    const result = await client.session.poll(session.sessionId);
    client.validator.validateSign(result, digest, { session, documentNumber });
  });

  it('stamps the PDF that was signed, and no other', async () => {
    const pdf = Buffer.from('%PDF-1.7\n%%EOF\n');
    const { etsi } = platform.addCitizen();
    const prepared = await client.stamp.prepare({ id: etsi }, pdf);
    const { sessionId } = await client.sign.digestByDocument(
      prepared.documentNumber,
      prepared.digestB64,
      interactions,
    );
    const original = { preparedId: prepared.preparedId, pdf };
    expect((await client.stamp.prepared(sessionId, original)).length).to.be.above(pdf.length);
    expect((await client.stamp.pdf(sessionId, pdf)).length).to.be.above(pdf.length);
    const other = Buffer.from('%PDF-1.7\n% another\n');
    const error = await rejection(client.stamp.pdf(sessionId, other));
    expect(error).to.include({ code: 'DIGEST_MISMATCH' });
  });

  it('refuses in every way there is', async () => {
    const { etsi } = platform.addCitizen();
    for (const [code, status] of Object.entries(problemStatus)) {
      platform.refuseNext(code as ProblemCode);
      const error = await rejection(client.auth.notificationByEtsi(etsi, interactions));
      expect(error).to.be.instanceOf(ApiError).and.include({ code, status });
    }
    platform.disconnectNext();
    const away = await rejection(client.auth.notificationByEtsi(etsi, interactions));
    expect(away).to.be.instanceOf(NetworkError);
  });

  it('says which limit is reached and until when, and which field is wrong', async () => {
    platform.refuseNext('RATE_LIMITED', { retryAfterMs: 19_500, detail: 'The citizen refused.' });
    const limited = await rejection(client.session.poll('s'));
    expect(limited).to.be.instanceOf(RateLimitedError);
    expect(limited).to.include({ reason: 'The citizen refused.', retryAfterMs: 20_000 });
    const faults = [{ pointer: '#/nonce', detail: 'Must not be empty.' }];
    platform.refuseNext('INVALID_REQUEST', { faults, detail: 'The request is malformed.' });
    const malformed = await rejection(client.session.poll('s'));
    expect(malformed).to.have.property('faults').that.deep.equals(faults);
    expect(String(malformed)).to.include('malformed. #/nonce: Must not be empty.');
  });

  it('knows its citizens, their rights and its relying party', async () => {
    const organization = { orgEtsi: 'NTRMN-1', orgName: 'Shop', role: null, rightType: 'ADMIN' };
    const director = platform.addCitizen({ represents: [organization] });
    const start = (id: string, options = {}) =>
      client.auth.notificationByEtsi(id, interactions, options);
    const { sessionId } = await start(director.regNo, { onBehalfOf: 'NTRMN-1' });
    const { onBehalfOf } = await client.session.poll(sessionId);
    expect(onBehalfOf).to.deep.equal(organization);
    expect(await rejection(start(director.civilId, { onBehalfOf: 'NTRMN-2' })))
      .to.be.instanceOf(ForbiddenError)
      .with.property('code', 'REPRESENTATION_DENIED');
    expect(await rejection(start('110000000001'))).to.include({ code: 'PERSON_NOT_FOUND' });
    const weak = platform.addCitizen({ level: 'ADVANCED' });
    expect(await rejection(start(weak.etsi))).to.include({ code: 'NO_SUITABLE_CERTIFICATE' });
    const credentials = { ...platform.config.credentials, apiSecret: 'another' };
    const stranger = new EidClient({ ...platform.config, credentials });
    expect(await rejection(stranger.session.poll('s'))).to.be.instanceOf(AuthenticationError);
    const renamed = { ...platform.config.credentials, rpName: 'Another' };
    const other = new EidClient({ ...platform.config, credentials: renamed });
    const misnamed = await rejection(other.auth.notificationByEtsi(director.etsi, interactions));
    expect(String(misnamed)).to.include('/relyingPartyName: Must be');
  });

  it('answers whatever else the test gives it an answer for', async () => {
    const path = '/v3/rp/requests';
    const ask = () =>
      platform.config.fetchImpl?.(`https://tamga.test${path}`, {
        headers: { authorization: `Bearer ${platform.config.credentials.apiSecret}` },
      });
    const unknown = await ask();
    expect(await unknown?.text()).to.include(`GET ${path}`);
    platform.answer('GET', path, { operations: [] });
    expect(await (await ask())?.json()).to.deep.equal({ operations: [] });
    expect(platform.requests.at(-1)).to.include({ method: 'GET', path });
  });

  it('seals for its organizations, with keys of their own', async () => {
    const { orgEtsi } = platform.addOrganization({ name: 'Тамга ХХК', level: 'QSCD' });
    const sealed = await client.seal.digest(orgEtsi, digest);
    expect(sealed).to.include({
      certificateLevel: 'QSCD',
      signatureAlgorithm: 'ecdsa-with-SHA256',
    });
    const certificate = await client.seal.certificate(orgEtsi);
    expect(certificate.certificateDerB64).to.equal(sealed.certificateDerB64);
    expect(certificate.subjectDn).to.include('Тамга ХХК');
    const { publicKey } = new X509Certificate(Buffer.from(sealed.certificateDerB64, 'base64'));
    const value = Buffer.from(sealed.signatureValueB64, 'base64');
    expect(verify('sha256', Buffer.from('three goats'), publicKey, value)).to.equal(true);

    const another = await client.seal.issueCertificate(orgEtsi);
    expect(another.serialNumber).not.to.equal(certificate.serialNumber);
    const pdf = await client.seal.pdf(orgEtsi, Buffer.from('%PDF-1.7 contract'));
    expect(pdf.toString()).to.include('%PDF-1.7 contract');

    const asleep = platform.addOrganization({ active: false });
    const refusals = [
      [client.seal.digest('NTRMN-0000000', digest), 'ORG_NOT_FOUND'],
      [client.seal.digest(asleep.orgEtsi, digest), 'ORG_NOT_ACTIVE'],
      [client.seal.digest(orgEtsi, 'AAAA'), 'INVALID_REQUEST'],
      [client.seal.pdf(orgEtsi, Buffer.from('no PDF')), 'NOT_A_PDF'],
    ] as const;
    for (const [call, code] of refusals) {
      expect(await rejection(call)).to.have.property('code', code);
    }
  });

  it('knows who represents an organization, once linked and named', async () => {
    const director = platform.addCitizen();
    const clerk = platform.citizenWho('OK');
    const away = platform.citizenWho('USER_REFUSED');
    const link = { orgRegister: '5512345', orgName: 'Тамга ХХК' };
    const { organization } = client;
    const denied = await rejection(organization.link(clerk.etsi, { ...link, affiliates: [] }));
    expect(denied).to.be.instanceOf(ForbiddenError);

    const linked = await organization.link(director.etsi, {
      ...link,
      affiliates: [{ regNo: director.regNo.toUpperCase(), role: 'Захирал' }],
    });

    const [right] = linked.representations;
    expect(right).to.include({ orgEtsi: 'NTRMN-5512345', rightType: 'ADMIN', role: 'Захирал' });
    const add = (signerRegNo: string, by = director.etsi) =>
      organization.addSigner('5512345', by, { signerRegNo });
    expect(await rejection(add(away.regNo, clerk.etsi))).to.include({ code: 'NOT_ORG_ADMIN' });
    expect(await rejection(add('уб00000000'))).to.include({ code: 'SIGNER_NOT_ENROLLED' });
    expect((await add(clerk.regNo)).pendingConfirmation).to.equal(null);
    expect((await add(away.regNo)).pendingConfirmation).to.include({ signerEtsi: away.etsi });
    const { signers } = await organization.signers('5512345', director.etsi);
    expect(signers.map(({ status, self }) => [status, self])).to.deep.equal([
      ['ACTIVE', true],
      ['ACTIVE', false],
      ['PENDING', false],
    ]);
    const again = await organization.resendConfirmation('5512345', director.etsi, away.regNo);
    expect(again.pendingConfirmation).to.have.property('signerRegNo', away.regNo);

    const options = { onBehalfOf: 'NTRMN-5512345' };
    const session = await client.sign.digestByEtsi(clerk.etsi, digest, interactions, options);
    const answer = await client.session.waitForResult(session.sessionId);
    expect(answer.onBehalfOf).to.include({ orgName: 'Тамга ХХК', rightType: 'MANAGER' });

    await organization.setNameLatin('5512345', director.etsi, 'TAMGA LLC');
    const { representations } = await organization.representations(clerk.etsi);
    expect(representations[0]).to.include({ orgNameEn: 'TAMGA LLC' });
    const remove = (regNo: string) => organization.removeSigner('5512345', director.etsi, regNo);
    expect((await remove(clerk.regNo)).signers).to.have.length(2);
    expect(await rejection(remove(director.regNo))).to.include({ code: 'LAST_ADMIN' });
    expect((await organization.unlink(director.etsi, '5512345')).representations).to.have.length(0);
  });

  it('tells of a citizen’s certificates, phone and sessions', async () => {
    const { etsi, documentNumber } = platform.citizenWho('USER_REFUSED');
    await client.auth.notificationByEtsi(etsi, interactions);
    platform.advance(1000);
    await client.sign.digestByEtsi(etsi, digest, interactions);
    const { personPki } = client;
    expect(await personPki.summary(etsi)).to.deep.include({
      activity: { authentication: 1, signature: 1 },
      devicesActive: 1,
      representationCount: 0,
    });
    const { certificates } = await personPki.certificates(etsi);
    expect(certificates.map(({ type, status }) => `${type} ${status}`)).to.deep.equal([
      'AUTH VALID',
      'SIGN VALID',
    ]);
    const { devices } = await personPki.devices(etsi);
    expect(devices[0]).to.include({ documentNumber, active: true });
    const { sessions, total } = await personPki.activity(etsi, { limit: 1 });
    expect(total).to.equal(2);
    expect(sessions).to.have.length(1);
    expect(sessions[0]).to.include({
      flow: 'SIGNATURE',
      outcome: 'USER_REFUSED',
      docText: 'Log in',
    });
    const logins = await personPki.activity(etsi, { flow: 'AUTHENTICATION' });
    expect(logins.sessions.map(({ flow }) => flow)).to.deep.equal(['AUTHENTICATION']);
    expect(await rejection(personPki.summary('110000000001'))).to.include({
      code: 'PERSON_NOT_FOUND',
    });
  });

  /** Waits until that many requests came in. */
  async function asked(count: number): Promise<void> {
    while (platform.requests.length < count) await Promise.resolve();
  }
});

function trustOf({ config: { trust = {} } }: FakePlatform) {
  return { trust };
}
