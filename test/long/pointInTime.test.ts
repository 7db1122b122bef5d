import { chown, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { serverUser, type ServerUser } from '../../infrastructure/postgres/binaries.ts';
import {
  type EmbeddedServer,
  startEmbeddedPostgres,
} from '../../infrastructure/postgres/embedded.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { maintaining } from '../support/installation/installation.ts';
import { call } from '../../main/drill/callers.ts';
import {
  cycle,
  type LiveInstallation,
  startInstallation,
} from '../support/installation/liveInstallation.ts';
import { type OcspStatusAt, openOcspStatus } from '../support/installation/ocspStatus.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import {
  createServiceProcess,
  type ServiceProcess,
  type Settings,
} from '../support/installation/serviceProcess.ts';
import { runShown, shownBlock } from '../support/programs/shownBlocks.ts';
import { queryOf, runTamga } from '../support/programs/tamgaCommand.ts';
import { run } from '../support/programs/tools.ts';

const REVOKED = 1;

/** Base backup of the page. */
const BASE = 'base-2026-01-31';

describe('O2: an installation whose database was recovered to a point in time', function () {
  this.timeout(120_000);
  let directory: string;
  let user: ServerUser | null;
  let primary: EmbeddedServer;
  let recovered: EmbeddedServer;
  let settings: Settings;
  let installed: LiveInstallation;
  let service: ServiceProcess;
  let statusAt: OcspStatusAt;
  let revoked: string;

  const path = (name: string) => join(directory, name);

  async function own(name: string): Promise<void> {
    if (user !== null) await chown(path(name), user.uid, user.gid);
  }

  /** Copies the data as `pg_basebackup` does, which does not come with every server (its manual, Low Level API). */
  async function baseBackup(): Promise<void> {
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    await client.query(`select pg_backup_start('base', true)`);
    await run('cp', '-a', path('primary'), path(BASE));
    const { rows } = await client.query<{ labelfile: string }>('select * from pg_backup_stop()');
    await client.end();
    await rm(path(`${BASE}/postmaster.pid`));
    for (const name of await readdir(path(`${BASE}/pg_wal`))) {
      await rm(path(`${BASE}/pg_wal/${name}`), { recursive: true });
    }
    await writeFile(path(`${BASE}/backup_label`), rows[0]?.labelfile ?? '');
    await own(`${BASE}/backup_label`);
    await cp(path('primary.password'), path('recovered.password'));
  }

  async function recoverTo(time: string): Promise<void> {
    const commands = shownBlock('docs/operations.md', 'recovery')
      .replaceAll('/backup/', `${directory}/`)
      .replaceAll('/var/lib/postgresql/18/main', path('recovered'));
    const { code, output } = await runShown(commands, directory, {});
    expect(code, output).to.equal(0);
    await own('recovered/recovery.signal');
    recovered = await startEmbeddedPostgres({
      dataDir: path('recovered'),
      flags: [
        ...['-c', `restore_command=cp ${path('wal')}/%f %p`],
        ...['-c', `recovery_target_time=${time}`, '-c', 'recovery_target_action=promote'],
      ],
    });
    settings = { ...settings, SVC_DATABASE_URL: recovered.url };
    await eventually(async () => {
      const [row] = await queryOf<{ is: boolean }>(settings, 'select pg_is_in_recovery() as is');
      expect(row?.is).to.equal(false);
    });
  }

  before(async () => {
    directory = await serverDirectory('pitr');
    user = await serverUser();
    await mkdir(path('wal'));
    await own('wal');
    primary = await startEmbeddedPostgres({
      dataDir: path('primary'),
      flags: ['-c', 'archive_mode=on', '-c', `archive_command=cp %p ${path('wal')}/%f`],
    });
    settings = { SVC_DATABASE_URL: primary.url, SVC_DATA_DIR: path('data') };
    installed = await startInstallation(settings);
    const { origin } = installed.service;
    statusAt = await openOcspStatus(origin);
    await baseBackup();
    // Writes on: the archived log brings the base backup up to the time asked for.
    await cycle(installed);
    const { civilId } = installed.phone;
    [revoked = ''] = await maintaining(settings, async (on) =>
      (await on.listCertificates({ civilId })).map(({ serial }) => serial),
    );
    const [between] = await queryOf<{ at: string }>(settings, 'select now()::text as at');
    await maintaining(settings, (on) => on.revokeCertificate(revoked, 1));
    await eventually(async () => expect(await statusAt(origin, revoked)).to.equal(REVOKED));
    const list = await eventually(async () => {
      const answer = Buffer.from(await (await fetch(`${origin}/crl`)).arrayBuffer());
      expect(answer.includes(Buffer.from(revoked, 'hex'))).to.equal(true);
      return answer;
    });
    await writeFile(path('last.crl'), list);
    await installed.service.stop();
    await primary.stop();
    await recoverTo(between?.at ?? '');
    service = await createServiceProcess(settings, origin);
  });

  after(async () => {
    await service.stop();
    await recovered.stop();
    await rm(directory, { recursive: true });
  });

  it('knows it, signs nothing and says why', async () => {
    service.launch();
    const ready = await eventually(async () => call(`${service.origin}/readyz`), 30_000);
    expect(ready.status).to.equal(503);
    expect(ready.body['reasons'])
      .to.have.property('restored')
      .that.matches(/not accepted/);
    expect(await statusAt(service.origin, revoked), 'good at that time').to.equal('tryLater');
    const { status } = await installed.relyingParty.create(installed.phone.civilId);
    expect(status).to.equal(503);
  });

  it('is in use once it is accepted, after evidence of what was lost', async () => {
    const taken = await runTamga(settings, 'restore', 'evidence', path('last.crl'));
    expect(taken.output).to.match(/TO DO: the database was recovered, or a standby took over/u);
    expect(taken.output).to.include(`done again: certificate ${revoked} (personal), revoked`);
    expect(taken.output).to.match(/The log ends at position \d+, after \d+ events\./u);
    const early = await runTamga(settings, 'restore', 'accept', '--yes');
    expect(early.output).to.match(/may still be valid/u);
    await queryOf(settings, `update restored_backup set restored_at = now() - interval '1 hour'`);
    const accepted = await runTamga(settings, 'restore', 'accept', '--yes');
    expect(accepted.code, accepted.output).to.equal(0);
    await service.untilReady();
    expect(await statusAt(service.origin, revoked)).to.equal(REVOKED);
  });

  it('starts as ever afterwards', async () => {
    await service.stop();
    await service.start();
    expect(await statusAt(service.origin, revoked)).to.equal(REVOKED);
  });
});
