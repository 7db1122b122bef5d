import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isInstalled } from '../../main/cli/test.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { prepareInstallation } from '../support/installation/installation.ts';
import {
  commonSettings,
  createServiceProcess,
  masterKey,
  type ServiceProcess,
  type Settings,
} from '../support/installation/serviceProcess.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { startRedis } from '../support/programs/redis.ts';
import { runShown, shownBlock } from '../support/programs/shownBlocks.ts';
import { queryOf } from '../support/programs/tamgaCommand.ts';
import { run } from '../support/programs/tools.ts';
import {
  openOperatorWorld,
  type OperatorWorld,
  type SignedInOperator,
} from '../support/worlds/operatorWorld.ts';

const OPERATIONS = 'docs/operations.md';
const ROTATION = 'docs/rotation.md';

describe('The commands of the pages on operation, in one installation', function () {
  this.timeout(300_000);
  const newKey = randomBytes(32).toString('base64');
  let directory: string;
  /** Settings beside the master keys. */
  let kept: Settings;
  let settings: Settings;
  let service: ServiceProcess;
  let operators: OperatorWorld;
  let two: readonly [SignedInOperator, SignedInOperator];

  const path = (name: string) => join(directory, name);

  /** Types commands, with the directories of the page here. @returns what they print */
  async function type(text: string, more: Settings = {}): Promise<string> {
    const here = text.replaceAll('/backup', path('backup'));
    const result = await runShown(here, directory, { ...commonSettings(), ...settings, ...more });
    expect(result.code, result.output).to.equal(0);
    return result.output;
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-shown-'));
    kept = { SVC_DATABASE_URL: await migratedDatabase(), SVC_DATA_DIR: path('data') };
    await mkdir(path('data'));
    await prepareInstallation(kept);
    // Settings as the page on rotation has them: the new key beside the present one, under which everything still is.
    settings = { ...kept, SVC_SW_MASTER_KEY: newKey, SVC_SW_MASTER_KEY_PREVIOUS: masterKey };
    service = await createServiceProcess(settings);
    await service.start();
    operators = openOperatorWorld(service.origin);
    const signedIn = async (email: string) =>
      operators.signIn(await operators.add('SUPER_ADMIN', { email }));
    two = [await signedIn('ops@example.mn'), await signedIn('security@example.mn')];
  });

  after(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('import registers', async () => {
    await cp('docs/samples/civil-register.csv', path('civil-register.csv'));
    await cp('docs/samples/organizations.jsonl', path('organizations.jsonl'));
    expect(await type(shownBlock(OPERATIONS, 'import'))).to.include(
      'Dry run: nothing was written.',
    );
    expect(await readFile(path('report.txt'), 'utf8')).to.match(/^Import \S+\./u);
    expect(JSON.parse(await readFile(path('report.json'), 'utf8'))).to.include({ refused: 0 });
  });

  it('look at it', async () => {
    const says = await type(shownBlock('docs/operating.md', 'read'));
    expect(says).to.include('ops@example.mn').and.to.include('Fault tests');
    expect(await type(shownBlock('docs/troubleshooting.md', 'first'))).to.include(
      'SVC_DATABASE_URL',
    );
  });

  it('rotate the master key while it serves', async () => {
    const says = await type(shownBlock(ROTATION, 'master-key'));
    expect(says).to.include('Nothing is wrapped under the previous one any more');
    await service.stop();
    settings = { ...kept, SVC_SW_MASTER_KEY: newKey };
    service = await createServiceProcess(settings, service.origin);
    await service.start();
  });

  it('change the password of the database, and check the settings', async function () {
    if (!isInstalled('psql')) return this.skip();
    const { hostname, port, username, pathname } = new URL(settings['SVC_DATABASE_URL'] ?? '');
    const role = `tamga_${process.pid}`;
    await queryOf(settings, `create role ${role} login password 'old'`);
    const hash = async () =>
      queryOf<{ rolpassword: string }>(
        settings,
        `select rolpassword from pg_authid where rolname = '${role}'`,
      );
    const before = await hash();
    const text = shownBlock(ROTATION, 'database-password').replace(' tamga', ` ${role}`);
    try {
      // Without a terminal the password is read from what comes in.
      await type(`printf 'new\\nnew\\n' | setsid ${text.replace(/\.\/tamga check-config/u, '')}`, {
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: username,
        PGDATABASE: pathname.slice(1),
      });
      expect(await hash()).to.not.deep.equal(before);
      expect(text).to.include('./tamga check-config');
      expect(await type('./tamga check-config', { SVC_PORT: '0' })).to.include('SVC_DATABASE_URL');
    } finally {
      await queryOf(settings, `drop role ${role}`);
    }
  });

  it('change the password of Redis, which takes both meanwhile', async function () {
    const users = path('users.acl');
    await writeFile(users, 'user default on nopass ~* &* +@all\nuser tamga on >old ~* &* +@all\n');
    const redis = isInstalled('redis-cli') ? await startRedis(['--aclfile', users]) : null;
    if (redis === null) return this.skip();
    const { port } = new URL(redis.url);
    const ping = async (password: string) =>
      (await run('redis-cli', '-p', port, '--user', 'tamga', '--pass', password, 'ping')).output;
    try {
      const [add = '', ...rest] = shownBlock(ROTATION, 'redis-password')
        .replaceAll('redis-cli', `redis-cli -p ${port}`)
        .trim()
        .split('\n');
      await type(add);
      for (const each of ['old', 'new']) expect(await ping(each)).to.include('PONG');
      await type(rest.join('\n'));
      expect(await ping('old')).to.include('WRONGPASS');
      expect(await ping('new')).to.include('PONG');
      expect(await readFile(users, 'utf8')).to.match(/^user tamga on/mu);
    } finally {
      await redis.stop();
    }
  });

  it('back up, list, verify and remove', async () => {
    const text = shownBlock(OPERATIONS, 'backup').replace(
      /\d{4}-\d\d-\d\dT\S+/u,
      '"$(./tamga backup list /backup | cut -d" " -f1)"',
    );
    const says = await type(text);
    expect(says)
      .to.match(/Backed up to \S+: \d+ parts/u)
      .and.to.match(/0 faults\./u);
    expect(says).to.match(/^Removed \S+ and/mu);
  });

  it('restore it elsewhere, take in evidence and accept it', async () => {
    const backup = shownBlock(OPERATIONS, 'backup')
      .split('\n')
      .find((line) => line.includes('--to'));
    for (const [name, list] of Object.entries({ personal: 'crl', organization: 'crl/org' })) {
      const answer = await fetch(`${service.origin}/${list}`);
      await writeFile(path(`${name}.crl`), Buffer.from(await answer.arrayBuffer()));
    }
    await service.stop();
    await type(backup ?? '');
    await type('./tamga audit export last-export.jsonl');
    settings = {
      ...settings,
      SVC_DATABASE_URL: await freshDatabase(),
      SVC_DATA_DIR: path('restored'),
    };
    await mkdir(path('restored'));
    const lines = shownBlock(OPERATIONS, 'restore').trim().split('\n');
    const accept = lines.pop() ?? '';
    const says = await type(lines.join('\n'));
    expect(says)
      .to.match(/Restored the backup of \S+/u)
      .and.to.match(/where the log ends: no event/u);
    await queryOf(settings, `update restored_backup set restored_at = now() - interval '1 hour'`);
    const answers = two.flatMap((each) => [each.password, operators.nextCode(each)]);
    const typed = answers.map((each) => `'${each}'`).join(' ');
    expect(await type(`printf '%s\\n' ${typed} | ${accept}`)).to.include('Accepted.');
    await service.start();
  });
});
