import { expect } from 'chai';
import { type DemoInstallation, startDemoInstallation } from '../support/demoInstallation.ts';
import { call } from '../support/liveCallers.ts';
import { openOperatorWorld, type OperatorWorld } from '../support/operatorWorld.ts';

const seed = { email: 'first@tamga.example', password: 'changeme at once' };

describe('Operators, over HTTP', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let operators: OperatorWorld;

  before(async () => {
    demo = await startDemoInstallation({
      SVC_ADMIN_SEED_EMAIL: seed.email,
      SVC_ADMIN_SEED_PASSWORD: seed.password,
    });
    operators = openOperatorWorld(demo.service.origin);
  });

  after(() => demo.stop());

  it('sign in with password and authenticator, and may do what their role allows', async () => {
    const auditor = await operators.signedIn('AUDITOR');
    const { status, body } = await auditor.call('GET', '/account');
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      ...{ id: auditor.id, role: 'AUDITOR', email: auditor.email, mustChangePassword: false },
    });
    expect(body['capabilities']).to.include('audit:read').and.not.to.include('admin:manage');
    const lifeMs = Date.parse(String(body['expiresAt'])) - Date.now();
    expect(lifeMs).to.be.within(3_500_000, 3_600_000);
    expect((await auditor.call('GET', '/admins')).body).to.deep.include({
      ...{ status: 403, code: 'PERMISSION_DENIED' },
    });
  });

  it('are seeded once, and must change the password before anything else', async () => {
    const first = { ...seed, id: 'seed', role: 'SUPER_ADMIN' as const, secret: null };
    const session = await operators.signIn(first);
    const refused = await session.call('GET', '/admins');
    expect(refused.body).to.deep.include({ status: 403, code: 'PASSWORD_CHANGE_REQUIRED' });
    expect((await session.call('GET', '/account')).body).to.include({ mustChangePassword: true });
    const changed = await session.call('POST', '/auth/password', {
      currentPassword: seed.password,
      newPassword: 'another password',
    });
    expect(changed.status).to.equal(204);
    expect((await session.call('GET', '/admins')).status).to.equal(200);
    expect((await operators.login(seed)).status).to.equal(401);
    expect((await session.call('POST', '/auth/logout')).status).to.equal(204);
  });

  it('are refused without credentials that count', async () => {
    const { token } = await operators.signedIn('SUPPORT');
    const account = (authorization: string) =>
      call(`${demo.service.origin}/v3/admin/account`, { headers: { authorization } });
    expect((await account(`bearer ${token}`)).status).to.equal(200);
    for (const wrong of ['', token, 'Bearer ', `Bearer ${token}x`, `Basic ${token}`]) {
      expect((await account(wrong)).status, wrong).to.equal(401);
    }
  });
});
