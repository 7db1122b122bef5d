import { expect } from 'chai';
import { call } from '../../main/drill/callers.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  type RestoredInstallation,
  startRestored,
} from '../support/installation/restoredInstallation.ts';
import { queryOf } from '../support/programs/tamgaCommand.ts';
import type { SignedInOperator } from '../support/worlds/operatorWorld.ts';

describe('O2: a restored installation is accepted in the console, over HTTP', function () {
  this.timeout(60_000);
  let restored: RestoredInstallation;
  let admin: SignedInOperator;
  let officer: SignedInOperator;

  before(async () => {
    restored = await startRestored();
  });

  after(() => restored.service.stop());

  const ask = (path: string) => call(`${restored.service.origin}${path}`);
  const state = async () => (await ask('/v3/admin/restored')).body['pending'];
  /** Body of an operator who has seen so many findings. */
  const seen = (findings: number) => ({ findings });

  it('says that it was restored, and lets nobody in while codes of before the loss count', async () => {
    expect((await ask('/readyz')).body['reasons'])
      .to.have.property('restored')
      .that.matches(/not accepted/);
    const pending = (await state()) as { madeAt: string; settledAt: string };
    expect(Date.parse(pending.settledAt)).to.be.within(Date.now() + 60_000, Date.now() + 120_000);
    expect(Date.parse(pending.madeAt)).to.be.below(Date.now() - 86_000_000);
    expect((await restored.operators.login(restored.admin)).status).to.equal(503);
    expect((await restored.asBefore('/restored/report')).status).to.equal(503);
  });

  it('is opened by no session of before, no key, and nobody who had no authenticator in the backup', async () => {
    await restored.settle();
    const { operators, newcomer } = restored;
    const refused = await eventually(async () => {
      const answer = await operators.login(newcomer);
      expect(answer.status).to.not.equal(503);
      return answer;
    });
    expect([refused.status, refused.body['code']]).to.deep.equal([403, 'PERMISSION_DENIED']);
    for (const path of ['/account', '/restored/report']) {
      expect((await restored.asBefore(path)).status, path).to.equal(401);
      for (const headers of [{}, { 'x-admin-key': 'any' }] as const) {
        const answer = await call(`${restored.service.origin}/v3/admin${path}`, { headers });
        expect(answer.status, path).to.equal(401);
      }
    }
  });

  it('shows an operator who signs in what is known, and nothing else', async () => {
    admin = await restored.operators.signIn(restored.admin);
    const { status, body } = await admin.call('GET', '/restored/report');
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      root: 'a root',
      findings: [
        { what: 'certificate 0a (personal), revoked', isApplied: true },
        { what: '3 × DeviceEnrolled is lost', isApplied: false },
      ],
      asked: null,
    });
    for (const [method, path] of [
      ['GET', '/admins'],
      ['GET', '/audit'],
      ['GET', '/approvals'],
      ['POST', '/certificates/0a/revoke'],
      ['POST', '/auth/password'],
      ['POST', '/auth/access-token'],
    ] as const) {
      const answer = await admin.call(method, path, method === 'GET' ? undefined : {});
      expect(answer.status, path).to.equal(503);
    }
  });

  it('is asked for by one, whom it refuses, and accepted by another, as it was read', async () => {
    expect((await admin.call('POST', '/restored/accept', seen(2))).body['code']).to.equal(
      'CONFLICT',
    );
    expect((await admin.call('POST', '/restored/ask', seen(1))).body['code']).to.equal('CONFLICT');
    expect((await admin.call('POST', '/restored/ask', seen(2))).status).to.equal(204);
    const own = await admin.call('POST', '/restored/accept', seen(2));
    expect([own.status, own.body['code']]).to.deep.equal([403, 'ErrSelfApproval']);
    officer = await restored.operators.signIn(restored.officer);
    expect((await officer.call('GET', '/restored/report')).body['asked']).to.deep.include({
      by: admin.id,
      email: admin.email,
    });
    expect((await ask('/readyz')).status).to.equal(503);
    expect((await officer.call('POST', '/restored/accept', seen(2))).status).to.equal(204);
    await eventually(async () => expect((await ask('/readyz')).status).to.equal(200));
    const events = await queryOf<{ data: string }>(
      restored.settings,
      `select data from event where type = 'RestoredLogAccepted'`,
    );
    expect(events.map(({ data }) => JSON.parse(data) as object)).to.have.length(1);
    expect(JSON.parse(events[0]?.data ?? '{}')).to.include({
      operator: admin.id,
      approver: officer.id,
    });
  });

  it('is in use then', async () => {
    expect(await state()).to.equal(null);
    const report = await restored.operators.call('GET', '/restored/report');
    expect([report.status, report.body['code']]).to.deep.equal([404, 'NOT_FOUND']);
    expect((await restored.operators.call('GET', '/admins')).status).to.equal(200);
  });
});
