import { connect } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { isInstalled } from '../../main/cli/test.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import { maintaining, startServiceHere } from '../support/installation/installation.ts';
import type { Service } from '../../main/main.ts';
import {
  openOperatorWorld,
  type OperatorWorld,
  type SignedInOperator,
} from '../support/worlds/operatorWorld.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import {
  createServiceProcess,
  type ServiceProcess,
  type Settings,
} from '../support/installation/serviceProcess.ts';
import { run } from '../support/programs/tools.ts';

const seed = { email: 'first@tamga.example', password: 'changeme at once' };
const adminKey = 'break glass 0123456789';

/** Body of each refusal under `/v3/admin`, without the request id. */
const refusalOf = ({ status, body }: Answer) => `${status} ${String(body['code'])}`;

describe('Operators, over HTTP', function () {
  this.timeout(60_000);
  const services: Pick<Service, 'stop'>[] = [];
  let databaseUrl: string;
  /** Two processes of one installation, one of them this. */
  let here: Service;
  let there: ServiceProcess;
  let operators: OperatorWorld;
  let elsewhere: OperatorWorld;

  async function start(settings: Settings): Promise<Service> {
    const started = await startServiceHere({ SVC_DATABASE_URL: databaseUrl, ...settings });
    services.push(started);
    return started;
  }

  async function startProcess(settings: Settings): Promise<ServiceProcess> {
    const started = await createServiceProcess({ SVC_DATABASE_URL: databaseUrl, ...settings });
    services.push({ stop: () => started.stop().then(() => undefined) });
    await started.start();
    return started;
  }

  before(async () => {
    databaseUrl = await migratedDatabase();
    const seeding = {
      SVC_ADMIN_SEED_EMAIL: seed.email,
      SVC_ADMIN_SEED_PASSWORD: seed.password,
    };
    await maintaining({ SVC_DATABASE_URL: databaseUrl }, () => Promise.resolve());
    [here, there] = await Promise.all([
      start(seeding),
      startProcess({
        ...seeding,
        SVC_ROLES: 'api',
        SVC_ADMIN_API_KEY: adminKey,
        SVC_LOG_LEVEL: 'warn',
      }),
    ]);
    operators = openOperatorWorld(here.origin);
    elsewhere = openOperatorWorld(there.origin, adminKey);
  });

  after(async () => {
    await Promise.all(services.map((each) => each.stop()));
  });

  const account = (
    { origin }: { readonly origin: string },
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> => call(`${origin}/v3/admin/account`, { headers });

  it('are seeded once by all processes, and must change the password before anything else', async () => {
    const first = { ...seed, id: 'seed', role: 'SUPER_ADMIN' as const, secret: null };
    const session = await operators.signIn(first);
    expect(refusalOf(await session.call('GET', '/admins'))).to.equal(
      '403 PASSWORD_CHANGE_REQUIRED',
    );
    expect((await session.call('GET', '/account')).body).to.include({ mustChangePassword: true });
    const changed = await session.call('POST', '/auth/password', {
      currentPassword: seed.password,
      newPassword: 'another password',
    });
    expect(changed.status).to.equal(204);
    const { body } = await session.call('GET', '/admins');
    const items = body['items'] as readonly Readonly<Record<string, unknown>>[];
    expect(items.filter(({ email }) => email === seed.email)).to.have.length(1);
    expect(refusalOf(await operators.login(seed))).to.equal('401 SIGN_IN_FAILED');
    expect((await session.call('POST', '/auth/logout')).status).to.equal(204);
    const again = await start({
      SVC_ADMIN_SEED_EMAIL: seed.email.toUpperCase(),
      SVC_ADMIN_SEED_PASSWORD: seed.password,
    });
    expect(refusalOf(await openOperatorWorld(again.origin).login(seed))).to.equal(
      '401 SIGN_IN_FAILED',
    );
  });

  it('sign in with password and authenticator, and may do what their role allows', async () => {
    const auditor = await operators.signedIn('AUDITOR');
    const { status, body } = await auditor.call('GET', '/account');
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      id: auditor.id,
      role: 'AUDITOR',
      email: auditor.email,
      mustChangePassword: false,
    });
    expect(body['capabilities']).to.include('audit:read').and.not.to.include('admin:manage');
    const lifeMs = Date.parse(String(body['expiresAt'])) - Date.now();
    expect(lifeMs).to.be.within(3_500_000, 3_600_000);
    expect(refusalOf(await auditor.call('GET', '/admins'))).to.equal('403 PERMISSION_DENIED');
    await eventually(async () => {
      const { items } = (await operators.call('GET', '/admins?limit=200')).body as {
        readonly items: readonly { readonly id: string; readonly lastSignInAt: string | null }[];
      };
      const listed = items.find(({ id }) => id === auditor.id);
      expect(Date.now() - Date.parse(listed?.lastSignInAt ?? '')).to.be.within(0, 30_000);
    });
    const emails = async (sort: string) => {
      const { body } = await operators.call('GET', `/admins?limit=200&sort=${sort}`);
      return (body['items'] as readonly { readonly email: string }[]).map(({ email }) => email);
    };
    const sorted = await emails('email');
    expect(sorted).to.deep.equal(sorted.toSorted());
    expect(await emails('-email')).to.deep.equal(sorted.toReversed());
    expect((await operators.call('GET', '/admins?sort=password')).status).to.equal(400);
  });

  it('N8: are signed out at once, in every process, on every route', async () => {
    const admin = await operators.signedIn('SUPER_ADMIN');
    const headers = { authorization: `Bearer ${admin.token}` };
    const { body } = await admin.call('POST', '/auth/access-token');
    const assistant = { authorization: `Bearer ${String(body['token'])}` };
    const asAssistant = (origin: string) => call(`${origin}/documents`, { headers: assistant });
    // An operator just added is known to the other process a moment later.
    await eventually(async () => {
      expect((await account(there, headers)).status).to.equal(200);
      expect((await asAssistant(there.origin)).status).not.to.equal(401);
    });

    expect((await admin.call('POST', '/auth/logout')).status).to.equal(204);

    const routes = here.routes.filter(
      ({ guard }) => guard.security?.includes('operatorSession') === true,
    );
    expect(routes.length).to.be.greaterThan(60);
    for (const { method, path, name } of routes) {
      const at = path.replaceAll(/:\w+/gu, '1');
      const answer = await call(`${here.origin}${at}`, { method: method as 'GET', headers });
      expect(answer.status, name).to.equal(401);
    }
    expect((await account(there, headers)).status).to.equal(401);
    expect((await asAssistant(there.origin)).status).to.equal(401);
    expect((await asAssistant(here.origin)).status).to.equal(401);
  });

  it('sign in with the codes of another authenticator', async function () {
    if (!isInstalled('oathtool')) {
      process.stdout.write('  Skipped: there is no oathtool on this machine.\n');
      this.skip();
    }
    const operator = await operators.add('SUPPORT');
    const { body } = await operators.login(operator);
    const uri = new URL(String(body['otpauthUri']));
    expect(uri.protocol).to.equal('otpauth:');
    const secret = uri.searchParams.get('secret') ?? '';
    expect(secret).to.equal(body['secret']);
    const { output } = await run('oathtool', '--totp', '--base32', secret);
    const signedIn = await operators.mfa(String(body['token']), output.trim());
    expect(signedIn.body).to.include({ scope: 'session', role: 'SUPPORT' });
    const session = { authorization: `Bearer ${String(signedIn.body['token'])}` };
    expect((await account(here, session)).status).to.equal(200);
    const next = await run('oathtool', '--totp', '--base32', '--now', 'now + 30 seconds', secret);
    const again = await operators.login(operator);
    expect(again.body).not.to.have.property('secret');
    const second = await operators.mfa(String(again.body['token']), next.output.trim());
    expect(second.status).to.equal(200);
  });

  it('take one token for one step', async () => {
    const operator = await operators.signedIn('SUPPORT');
    const mfa = String((await operators.login(operator)).body['token']);
    expect(refusalOf(await account(here, { authorization: `Bearer ${mfa}` }))).to.equal(
      '401 UNAUTHENTICATED',
    );
    const code = operators.nextCode(operator);
    expect(refusalOf(await operators.mfa(operator.token, code))).to.equal('401 UNAUTHENTICATED');
    expect(refusalOf(await operators.mfa('', code))).to.equal('401 UNAUTHENTICATED');
  });

  it('lose a right at every process at once', async () => {
    const operator = await operators.signedIn('SUPER_ADMIN');
    const everywhere = async () =>
      Promise.all(
        [here, there].map((process) =>
          call(`${process.origin}/v3/admin/admins`, {
            headers: { authorization: `Bearer ${operator.token}` },
          }),
        ),
      );
    expect((await everywhere()).map(({ status }) => status)).to.deep.equal([200, 200]);
    const path = `/admins/${operator.id}`;
    expect((await elsewhere.call('PATCH', path, { role: 'SUPPORT' })).body).to.include({
      role: 'SUPPORT',
    });
    await untilAll(everywhere, '403 PERMISSION_DENIED');
    expect((await elsewhere.call('POST', `${path}/deactivate`)).body).to.include({
      active: false,
    });
    await untilAll(everywhere, '401 UNAUTHENTICATED');
    expect(refusalOf(await operators.login(operator))).to.equal('401 SIGN_IN_FAILED');
    const { body } = await operators.call('GET', '/admins?limit=200');
    expect(body['items']).to.satisfy((items: readonly { id: string; active: boolean }[]) =>
      items.some(({ id, active }) => id === operator.id && !active),
    );
  });

  it('enrol another authenticator after a reset', async () => {
    const operator = await operators.signedIn('SUPPORT');
    const reset = await operators.call('POST', `/admins/${operator.id}/reset-second-factor`);
    expect(reset.body).to.include({ secondFactorEnrolled: false });
    expect(refusalOf(await operator.call('GET', '/account'))).to.equal('401 UNAUTHENTICATED');
    const { body } = await operators.login(operator);
    expect(body).to.include({ enrolmentRequired: true }).and.not.to.include({
      secret: operator.secret,
    });
  });

  it('are added under one e-mail only, with a password that is long enough', async () => {
    const wanted = { email: 'new@tamga.example', password: 'eight 88', role: 'SUPPORT' };
    expect((await operators.call('POST', '/admins', wanted)).status).to.equal(201);
    const again = { ...wanted, email: 'NEW@tamga.example' };
    expect(refusalOf(await operators.call('POST', '/admins', again))).to.equal(
      '409 OPERATOR_EMAIL_TAKEN',
    );
    for (const wrong of [{ password: 'seven 7' }, { role: 'KING' }, { email: 'new' }]) {
      const answer = await operators.call('POST', '/admins', { ...wanted, ...wrong });
      const [field = ''] = Object.keys(wrong);
      expect(answer.body['errors']).to.deep.include({
        pointer: `/${field}`,
        detail: (answer.body['errors'] as { detail: string }[])[0]?.detail,
      });
    }
    expect(
      refusalOf(await operators.call('PATCH', '/admins/nobody', { role: 'SUPPORT' })),
    ).to.equal('404 OPERATOR_NOT_FOUND');
  });

  it('are not let in by tricks with headers', async () => {
    const { token } = await operators.signedIn('SUPPORT');
    const bearer = `Bearer ${token}`;
    const statusOf = (...headers: readonly string[]) => raw(here.origin, headers);
    expect(await statusOf('Authorization', `bearer ${token}`)).to.equal(200);
    for (const headers of [
      ['Authorization', ''],
      ['Authorization', token],
      ['Authorization', 'Bearer '],
      ['Authorization', `${bearer}x`],
      ['Authorization', `Basic ${token}`],
      ['Authorization', `${bearer}, ${bearer}`],
      ['Authorization', bearer, 'Authorization', bearer],
      ['Authorization', bearer, 'authorization', 'Bearer other'],
      ['Authorization', 'Bearer other', 'Authorization', bearer],
      ['X-Admin-Key', ''],
      ['X-Admin-Key', 'there is no such key'],
      ['Cookie', `admin_session=${token}`, 'Authorization', ''],
    ]) {
      expect(await statusOf(...headers), headers.join(': ')).to.equal(401);
    }
  });

  describe('with a break-glass key', () => {
    it('are let in by the key, but not in place of a token that is sent as well', async () => {
      const { body } = await account(there, { 'x-admin-key': adminKey });
      expect(body).to.include({ id: 'break-glass', role: 'SUPER_ADMIN', email: null });
      const { token } = await elsewhere.signedIn('SUPPORT');
      const both = { authorization: `Bearer ${token}`, 'x-admin-key': adminKey };
      expect((await account(there, both)).body).to.include({ role: 'SUPPORT' });
      const wrongToken = { ...both, authorization: `Bearer ${token}x` };
      expect(refusalOf(await account(there, wrongToken))).to.equal('401 UNAUTHENTICATED');
      const mine = { currentPassword: 'password', newPassword: 'another password' };
      expect(refusalOf(await elsewhere.call('POST', '/auth/password', mine))).to.equal(
        '403 PERMISSION_DENIED',
      );
    });

    it('are refused without it, or with another', async () => {
      expect(refusalOf(await account(there, {}))).to.equal('401 UNAUTHENTICATED');
      for (const wrong of ['', adminKey.slice(1), `${adminKey}0`, adminKey.toUpperCase()]) {
        const answer = await account(there, { 'x-admin-key': wrong });
        expect(refusalOf(answer)).to.equal('401 UNAUTHENTICATED');
      }
      const twice = ['X-Admin-Key', adminKey, 'X-Admin-Key', adminKey];
      expect(await raw(there.origin, twice)).to.equal(401);
    });
  });

  it('are told apart by the metrics, and their failures are in the log without a secret', async () => {
    const operator = await operators.signedIn('SUPPORT');
    await operators.login({ ...operator, password: 'wrong password' });
    const { token } = (await operators.login(operator)).body;
    await operators.mfa(String(token), '000000');
    const metrics = await (await fetch(`${here.origin}/metrics`)).text();
    for (const labels of [
      'method="OPERATOR_PASSWORD",result="OK"',
      'method="OPERATOR_PASSWORD",result="FAILED"',
      'method="OPERATOR_SECOND_FACTOR",result="OK"',
      'method="OPERATOR_SECOND_FACTOR",result="FAILED"',
    ]) {
      expect(metrics).to.match(new RegExp(`logins_total\\{${labels}\\} [1-9]`));
    }
    const rows = await untilLogged((events) =>
      ['PASSWORD', 'SECOND_FACTOR'].every((step) =>
        events.some(({ data }) => data.includes(operator.id) && data.includes(`"step":"${step}"`)),
      ),
    );
    const types = new Set(rows.map(({ type }) => type));
    expect([...types]).to.include.members(['BreakGlassKeyUsed', 'BreakGlassKeyRefused']);
    const kept = JSON.stringify(rows);
    for (const secret of [operator.secret ?? '', operator.password, '$scrypt$', 'wrong password']) {
      expect(kept).not.to.contain(secret);
    }
    expect(kept).not.to.contain('@tamga.example');
    expect(there.output()).to.contain('The break-glass key was used.');
  });

  describe('of an installation that is no development', () => {
    let strict: Service;
    let world: OperatorWorld;

    before(async () => {
      strict = await start({
        SVC_PROFILE: 'staging',
        SVC_RP_API_BASE: 'https://rp.example.mn',
        SVC_PKI_POLICY_ARC: '1.3.6.1.4.1.32473.1',
        SVC_ADMIN_ATTEMPTS_PER_ADDRESS: '3',
      });
      world = openOperatorWorld(strict.origin);
    });

    it('are let in by nothing but a token or the key', async () => {
      expect(refusalOf(await account(strict, {}))).to.equal('401 UNAUTHENTICATED');
      const { token } = await operators.signedIn('SUPPORT');
      expect((await account(strict, { authorization: `Bearer ${token}` })).status).to.equal(200);
    });

    it('are throttled, told how long', async () => {
      const operator: SignedInOperator = await operators.signedIn('SUPPORT');
      const wrong = { ...operator, password: 'wrong password' };
      for (let tries = 0; tries < 3; tries += 1) {
        expect(refusalOf(await world.login(wrong))).to.equal('401 SIGN_IN_FAILED');
      }
      const throttled = await world.login(operator);
      expect(refusalOf(throttled)).to.equal('429 RATE_LIMITED');
      expect(Number(throttled.headers.get('retry-after'))).to.be.within(1, 900);
      const token = String((await operators.login(operator)).body['token']);
      for (let tries = 0; tries < 3; tries += 1) {
        expect(refusalOf(await world.mfa(token, '000000'))).to.equal('401 SECOND_FACTOR_WRONG');
      }
      const code = operators.nextCode(operator);
      const late = await world.mfa(token, code);
      expect(refusalOf(late)).to.equal('429 RATE_LIMITED');
      expect(Number(late.headers.get('retry-after'))).to.be.within(1, 900);
    });

    it('cannot sign in without a secret for tokens', async () => {
      const closed = openOperatorWorld((await start({ SVC_ADMIN_TOKEN_SECRET: '' })).origin);
      const { status, body } = await closed.login(seed);
      expect({ status, code: body['code'] }).to.deep.equal({
        status: 503,
        code: 'SIGN_IN_DISABLED',
      });
    });
  });

  /** Asks again until every answer is this refusal. */
  async function untilAll(ask: () => Promise<readonly Answer[]>, expected: string): Promise<void> {
    const deadline = performance.now() + 5000;
    for (;;) {
      const answers = (await ask()).map(refusalOf);
      if (answers.every((answer) => answer === expected)) return;
      if (performance.now() > deadline) throw new Error(`Still ${answers.join(', ')}.`);
    }
  }

  interface LoggedRow {
    readonly type: string;
    readonly data: string;
  }

  /** All events as they are stored, once `isThere` finds in them what it looks for. */
  async function untilLogged(isThere: (rows: readonly LoggedRow[]) => boolean) {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      for (const deadline = performance.now() + 5000; ;) {
        const { rows } = await client.query<LoggedRow>('select type, data::text from event');
        if (isThere(rows)) return rows;
        if (performance.now() > deadline) throw new Error('It is not in the log.');
      }
    } finally {
      await client.end();
    }
  }
});

/** Status of the account with exactly these header lines, names and values in turn. */
async function raw(origin: string, headers: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(origin);
  const lines = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  const socket = connect({ host: hostname, port: Number(port) });
  // Stays open for the answer: Node.js ends a connection whose other half was closed.
  socket.write(
    `GET /v3/admin/account HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n${lines.join('')}\r\n`,
  );
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
