import { sign } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import { demoPassportHolder, prepareDemoPassport } from '../../main/cli/demoPassport.ts';
import { certificatePem } from '../../infrastructure/pki/trustFiles.ts';
import {
  type AuthorizationServerDouble,
  danClient,
  startAuthorizationServer,
} from '../support/doubles/authorizationServerDouble.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { prepareInstallation } from '../support/installation/installation.ts';
import {
  call,
  createLiveRelyingParty,
  enrolLivePhone,
  type LiveRelyingParty,
} from '../../main/drill/callers.ts';
import {
  createPersonalAuthority,
  type PersonalAuthority,
} from '../support/pki/personalAuthority.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';

type Json = Readonly<Record<string, unknown>>;

/** Each method at a service that runs as a process of its own: from not knowing who somebody is to their login. */
describe('From a verified identity to a login', function () {
  this.timeout(120_000);
  const [, second, third] = demoCitizens;
  let directory: string;
  let passport: object;
  let dan: AuthorizationServerDouble;
  let authority: PersonalAuthority;
  let service: ServiceProcess;
  let relyingParty: LiveRelyingParty;

  before(async () => {
    directory = await serverDirectory('kyc');
    const demo = await prepareDemoPassport(directory, new Date());
    passport = JSON.parse(await readFile(demo.step, 'utf8')) as object;
    dan = await startAuthorizationServer();
    authority = await createPersonalAuthority();
    const trust = join(directory, 'gsign.pem');
    await writeFile(trust, certificatePem(authority.root));
    const settings = {
      SVC_DATABASE_URL: await migratedDatabase(),
      SVC_DATA_DIR: directory,
      SVC_SOLE_PROCESS: 'true',
      SVC_KYC_PASSPORT_CSCA: demo.authority,
      SVC_KYC_GSIGN_TRUST: trust,
      SVC_KYC_GSIGN_OCSP: 'none',
      SVC_KYC_DAN_AUTHORIZE_URL: dan.urls.authorizeUrl,
      SVC_KYC_DAN_TOKEN_URL: dan.urls.tokenUrl,
      SVC_KYC_DAN_USERINFO_URL: dan.urls.userinfoUrl,
      SVC_KYC_DAN_CLIENT_ID: danClient.clientId,
      SVC_KYC_DAN_CLIENT_SECRET: danClient.clientSecret,
      SVC_LOG_LEVEL: 'info',
    };
    const credentials = await prepareInstallation(settings);
    service = await createServiceProcess(settings);
    await service.start();
    relyingParty = createLiveRelyingParty(service.origin, credentials);
  });

  after(async () => {
    await service.stop();
    await dan.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Starts a verification and takes its one step. */
  async function verified(method: string, answer: (step: Json) => Promise<object> | object) {
    const root = `${service.origin}/v3/kyc/verifications`;
    const started = await call(root, { method: 'POST', body: { method } });
    const { verificationId, step } = started.body['verification'] as Json;
    const { body } = await call(`${root}/${String(verificationId)}/steps/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${String(started.body['secret'])}` },
      body: await answer(step as Json),
    });
    expect(body).to.include({ status: 'VERIFIED', failure: null });
    return body['verified'] as { readonly enrolmentToken: string; readonly etsi: string };
  }

  /** Two phones at once with one token: one is enrolled, and its owner logs in with it. */
  async function logsIn(
    civilId: string,
    card: { readonly enrolmentToken: string; readonly etsi: string },
  ): Promise<void> {
    expect(card.etsi).to.equal(`PNOMN-${civilId}`);
    const enrolled = await Promise.allSettled(
      [1, 2].map(() => enrolLivePhone(service.origin, { civilId, card })),
    );
    const [phone, ...others] = enrolled.flatMap((each) =>
      each.status === 'fulfilled' ? [each.value] : [],
    );
    expect(others, 'phones enrolled with one token').to.have.length(0);
    if (phone === undefined) throw new Error('No phone was enrolled.');
    const { created } = await relyingParty.create(civilId);
    if (created === undefined) throw new Error('There is no session.');
    expect(await phone.confirm(created)).to.equal('OK');
    const { body } = await relyingParty.poll(created.sessionId, 10_000);
    expect(body).to.deep.include({ state: 'COMPLETE' });
    expect(body['result']).to.include({ endResult: 'OK' });
    const again = await rejection(enrolLivePhone(service.origin, { civilId, card }));
    expect(again).to.include({ code: 'ENROLMENT_TOKEN_INVALID' });
  }

  it('by passport', async () => {
    await logsIn(demoPassportHolder.civilId, await verified('passport', () => passport));
  });

  it('by DAN', async () => {
    const card = await verified('dan', ({ url }) => {
      const { state, code } = dan.signIn(String(url), { regnum: second?.regNo });
      return { state, code };
    });
    await logsIn(second?.civilId ?? '', card);
  });

  it('by G-Sign', async () => {
    const leaf = await authority.person({ serialNumbers: [third?.regNo ?? ''] });
    const card = await verified('gsign', ({ challenge }) => ({
      signature: sign('sha256', Buffer.from(String(challenge), 'base64'), leaf.privateKey).toString(
        'base64',
      ),
      certificate: leaf.certificate.toString('base64'),
      chain: [authority.issuing.toString('base64')],
    }));
    await logsIn(third?.civilId ?? '', card);
  });

  it('with nothing of it in the log of the process', () => {
    const told = service.output();
    expect(told).to.contain('/v3/kyc/verifications');
    const { page } = demoPassportHolder;
    for (const secret of [
      ...[page.documentNumber, page.surname, demoPassportHolder.civilId],
      ...[second?.regNo, second?.civilId, third?.regNo, third?.civilId].map(String),
      danClient.clientSecret,
    ]) {
      expect(told.toLowerCase(), secret).not.to.contain(secret.toLowerCase());
    }
    expect(told).not.to.match(/\d{12}\.[\w-]{43}/);
  });
});
