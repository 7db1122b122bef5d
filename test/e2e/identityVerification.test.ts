import { sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import { certificatePem } from '../../infrastructure/pki/trustFiles.ts';
import type { Service } from '../../main/main.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import type { ServiceError } from '../../apps/phone/service.ts';
import {
  type AuthorizationServerDouble,
  danClient,
  startAuthorizationServer,
} from '../support/doubles/authorizationServerDouble.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { call } from '../../main/drill/callers.ts';
import { openOperatorWorld } from '../support/worlds/operatorWorld.ts';
import {
  createPersonalAuthority,
  type PersonalAuthority,
} from '../support/pki/personalAuthority.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import { createServiceHere } from '../support/installation/serviceHere.ts';
import type { Settings } from '../support/installation/serviceProcess.ts';

type Json = Readonly<Record<string, unknown>>;

/** Whoever verifies an identity, over HTTP. */
async function startAt(origin: string, method: string) {
  const root = `${origin}/v3/kyc/verifications`;
  const { status, body } = await call(root, { method: 'POST', body: { method } });
  expect(status).to.equal(201);
  const verification = body['verification'] as Json;
  const id = String(verification['verificationId']);
  const headers = { authorization: `Bearer ${String(body['secret'])}` };
  const at = (other: string) => ({
    read: () => call(`${other}/v3/kyc/verifications/${id}`, { headers }),
    submit: (step: string, sent: object) =>
      call(`${other}/v3/kyc/verifications/${id}/steps/${step}`, {
        method: 'POST',
        headers,
        body: sent,
      }),
  });
  return { id, headers, verification, at, ...at(origin) };
}

describe('Identity verification, over HTTP', function () {
  this.timeout(60_000);
  const [citizen, other, third] = demoCitizens;
  let dan: AuthorizationServerDouble;
  let authority: PersonalAuthority;
  let settings: Settings;
  let demo: DemoInstallation;
  let second: Service;
  let operator: { readonly authorization: string };

  before(async () => {
    dan = await startAuthorizationServer();
    authority = await createPersonalAuthority();
    const trust = join(await serverDirectory('gsign'), 'trust.pem');
    await writeFile(trust, certificatePem(authority.root));
    settings = {
      SVC_SOLE_PROCESS: 'false',
      SVC_KYC_ATTEMPTS: '2',
      SVC_KYC_GSIGN_TRUST: trust,
      SVC_KYC_GSIGN_OCSP: 'none',
      SVC_KYC_DAN_AUTHORIZE_URL: dan.urls.authorizeUrl,
      SVC_KYC_DAN_TOKEN_URL: dan.urls.tokenUrl,
      SVC_KYC_DAN_USERINFO_URL: dan.urls.userinfoUrl,
      SVC_KYC_DAN_CLIENT_ID: danClient.clientId,
      SVC_KYC_DAN_CLIENT_SECRET: danClient.clientSecret,
    };
    demo = await startDemoInstallation(settings);
    second = await another();
    const { token } = await openOperatorWorld(demo.service.origin).signedIn('SUPPORT');
    operator = { authorization: `Bearer ${token}` };
  });

  after(async () => {
    await second.stop();
    await demo.stop();
    await dan.stop();
  });

  /** Another process at the same log. */
  async function another(): Promise<Service> {
    const own = { SVC_DATABASE_URL: demo.databaseUrl, SVC_ROLES: 'api' };
    const service = createServiceHere({ ...settings, ...own });
    await service.start();
    return service;
  }

  /** Of two phones at once, at two processes, one is enrolled with the token; later none is. */
  async function enrols(body: Json, civilId: string) {
    expect(body).to.include({ status: 'VERIFIED' });
    const card = body['verified'] as { enrolmentToken: string; etsi: string };
    expect(card.etsi).to.equal(`PNOMN-${civilId}`);
    const enrol = (baseUrl: string) =>
      createPhone({ baseUrl, store: createMemoryPhoneStore() })
        .enrol({ card, pin1: '1234', pin2: '12345' })
        .then(
          () => 'enrolled',
          (error: unknown) => (error as ServiceError).code,
        );
    const origins = [demo.service.origin, second.origin];
    const outcomes = await Promise.all(origins.map(enrol));
    expect(outcomes.filter((outcome) => outcome === 'enrolled')).to.have.length(1);
    expect(await enrol(demo.service.origin)).to.equal('ENROLMENT_TOKEN_INVALID');
    expect(await enrol(second.origin)).to.equal('ENROLMENT_TOKEN_INVALID');
  }

  async function systemStatus(): Promise<Json> {
    const { token } = await openOperatorWorld(demo.service.origin).signedIn('AUDITOR');
    const headers = { authorization: `Bearer ${token}` };
    return (await call(`${demo.service.origin}/v3/admin/system`, { headers })).body;
  }

  const cardOf = () => ({
    identifier: citizen?.civilId,
    cardNumber: citizen?.cardNumber,
    birthDate: citizen?.birthDate,
  });

  async function signedBy(regNo: string, step: Json): Promise<object> {
    const leaf = await authority.person({ serialNumbers: [regNo] });
    const challenge = Buffer.from(String(step['challenge']), 'base64');
    const base64 = (bytes: Buffer) => bytes.toString('base64');
    return {
      signature: base64(sign('sha256', challenge, leaf.privateKey)),
      certificate: base64(leaf.certificate),
      chain: [base64(authority.issuing)],
    };
  }

  it('lists the methods that are active, and discovery says where', async () => {
    const { body } = await call(`${demo.service.origin}/v3/kyc/methods`);
    expect(body['methods']).to.deep.equal([
      { method: 'citizenCard', available: true },
      { method: 'dan', available: true },
      { method: 'gsign', available: true },
      { method: 'passport', available: false, reason: 'not_configured' },
    ]);
    const system = await systemStatus();
    expect(system['identityVerification']).to.deep.include.members([
      { method: 'dan', available: true, state: 'active', missing: [] },
      {
        method: 'passport',
        available: false,
        state: 'not_configured',
        missing: ['SVC_KYC_PASSPORT_CSCA'],
      },
    ]);
    const discovery = await call(`${demo.service.origin}/.well-known/eid`);
    const { endpoints } = discovery.body as { endpoints: Json };
    expect(String(endpoints['kyc_verifications'])).to.match(/\/v3\/kyc\/verifications$/);
  });

  it('by the citizen card: to an enrolled phone', async () => {
    const { submit } = await startAt(demo.service.origin, 'citizenCard');
    const wrong = await submit('citizen-card', { ...cardOf(), cardNumber: 'E99999999' });
    expect(wrong.body).to.include({ status: 'PENDING', failure: 'NOT_MATCHED', attemptsLeft: 1 });
    const { body } = await submit('citizen-card', cardOf());
    await enrols(body, citizen?.civilId ?? '');
  });

  it('by DAN: through the callback and the app to an enrolled phone', async () => {
    const { submit, verification } = await startAt(demo.service.origin, 'dan');
    const url = String((verification['step'] as Json)['url']);
    const back = dan.signIn(url, { regnum: other?.regNo });
    const { origin, pathname } = new URL(back.redirectUri);
    expect(pathname).to.equal('/v3/kyc/dan/callback');
    expect(origin).to.be.a('string');
    const query = new URLSearchParams({ state: back.state, code: back.code });
    const bounced = await fetch(`${demo.service.origin}${pathname}?${query.toString()}`, {
      redirect: 'manual',
    });
    expect(bounced.status).to.equal(303);
    const app = new URL(bounced.headers.get('location') ?? '');
    expect(app.href).to.match(/^\w[\w+.-]*:\/\/kyc\/dan\?/);
    const { body } = await submit('dan', Object.fromEntries(app.searchParams));
    await enrols(body, other?.civilId ?? '');
  });

  it('is degraded while DAN is unavailable, and says when to try again', async () => {
    const { submit, verification } = await startAt(demo.service.origin, 'dan');
    const { state, code } = dan.signIn(String((verification['step'] as Json)['url']), {
      regnum: other?.regNo,
    });
    dan.state.isAway = true;
    const refused = await submit('dan', { state, code });
    dan.state.isAway = false;
    expect(refused.body).to.include({ status: 503, code: 'DEPENDENCY_UNAVAILABLE' });
    expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0);
    const ready = await call(`${demo.service.origin}/readyz`);
    expect(ready).to.include({ status: 200 });
    expect(ready.body).to.deep.include({ status: 'degraded' });
    expect(ready.body['dependencies']).to.include({ dan: 'degraded', database: 'up' });
    const system = await systemStatus();
    expect(system['identityVerification']).to.deep.include({
      method: 'dan',
      available: true,
      state: 'degraded',
      missing: [],
    });
    // Nobody else's fault: the attempt is there again, with a state of its own.
    expect((await submit('dan', { state: 'x', code: 'x' })).body).to.include({
      failure: 'STATE_INVALID',
      attemptsLeft: 1,
    });
  });

  it('by G-Sign: to an enrolled phone', async () => {
    const { submit, verification } = await startAt(demo.service.origin, 'gsign');
    const signed = await signedBy(third?.regNo ?? '', verification['step'] as Json);
    const { body } = await submit('gsign', signed);
    await enrols(body, third?.civilId ?? '');
  });

  it('continues in another process, with the same limit of attempts', async () => {
    const { submit, at, id } = await startAt(demo.service.origin, 'citizenCard');
    const elsewhere = at(second.origin);
    const wrong = { ...cardOf(), cardNumber: 'E99999999' };
    expect((await submit('citizen-card', wrong)).body).to.include({ attemptsLeft: 1 });
    expect((await elsewhere.submit('citizen-card', wrong)).body).to.include({
      status: 'EXHAUSTED',
    });
    const ended = await submit('citizen-card', cardOf());
    expect(ended.body).to.include({ status: 409, code: 'VERIFICATION_ENDED' });
    await eventually(async () => {
      const path = `/v3/admin/identity-verifications?status=EXHAUSTED&q=${id}`;
      const { body } = await call(demo.service.origin + path, { headers: operator });
      expect(body['items']).to.have.length(1);
    });
  });

  it('discloses nothing without the secret', async () => {
    const { id, headers } = await startAt(demo.service.origin, 'citizenCard');
    const address = `${demo.service.origin}/v3/kyc/verifications/${id}`;
    expect((await call(address)).status).to.equal(401);
    const stranger = { authorization: `Bearer ${'A'.repeat(43)}` };
    const refused = await call(address, { headers: stranger });
    const unknown = await call(address.replace(id, '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'), {
      headers,
    });
    expect(refused.body).to.include({ status: 404, code: 'VERIFICATION_NOT_FOUND' });
    expect({ ...unknown.body, instance: '' }).to.deep.equal({ ...refused.body, instance: '' });
  });

  it('is given up by whoever started it', async () => {
    const { id, headers } = await startAt(demo.service.origin, 'gsign');
    const address = `${demo.service.origin}/v3/kyc/verifications/${id}/cancel`;
    const { body } = await call(address, { method: 'POST', headers });
    expect(body).to.include({ status: 'CANCELLED', step: null });
  });

  it('is seen by operators, with what it was decided by, until the person is forgotten', async () => {
    const civilId = third?.civilId ?? '';
    const list = await eventually(async () => {
      const path = `/v3/admin/identity-verifications?q=PNOMN-${civilId}&method=gsign&status=VERIFIED`;
      const { body } = await call(demo.service.origin + path, { headers: operator });
      expect(body).to.include({ total: 1, limit: 50, offset: 0 });
      return body['items'] as readonly Json[];
    });
    expect(list[0]).to.include({ personEtsi: `PNOMN-${civilId}`, attempts: 1, failure: null });
    const address = `${demo.service.origin}/v3/admin/identity-verifications/${String(list[0]?.['verificationId'])}`;
    const details = await call(address, { headers: operator });
    const evidence = details.body['evidence'] as readonly { name: string; text: string }[];
    expect(evidence.find(({ name }) => name === 'certificateIssuer')?.text).to.contain('CN=');
    expect((details.body['timeline'] as readonly Json[]).map(({ type }) => type)).to.deep.equal([
      'IdentityVerificationStarted',
      'IdentityVerificationAttempted',
      'IdentityVerificationSucceeded',
    ]);
    expect(JSON.stringify(details.body)).not.to.match(/secretHash|TokenHash/);
    await demo.service.forgetPerson(civilId);
    const forgotten = await call(address, { headers: operator });
    expect(forgotten.body['evidence']).to.deep.equal([
      { name: '[forgotten]', text: '[forgotten]' },
    ]);
  });

  it('is counted by method and result', async () => {
    const metrics = await (await fetch(`${demo.service.origin}/metrics`)).text();
    expect(metrics).to.contain('identity_verifications_total{method="gsign",result="OK"} 1');
    expect(metrics).to.match(
      /identity_verifications_total\{method="citizenCard",result="NOT_MATCHED"\}/,
    );
    expect(metrics).to.match(
      /external_request_duration_seconds_count\{system="dan",operation="token",status="200"\}/,
    );
  });
});
