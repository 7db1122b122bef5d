import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makePartitions } from '../bench/support/growth.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { until } from '../support/assertions/waiting.ts';
import { archivedFromEventStoreDb, scavengeServers } from '../support/eventStoreDb/scavenging.ts';
import { loggedEvents, migratedDatabase } from '../support/events/eventLogs.ts';
import { call } from '../../main/drill/callers.ts';
import {
  createdBy,
  cycle,
  type LiveInstallation,
  startInstallation,
} from '../support/installation/liveInstallation.ts';
import {
  commonSettings,
  eventStoreUrl,
  type Settings,
} from '../support/installation/serviceProcess.ts';
import { run } from '../support/programs/tools.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

const KILLS = 6;

describe('The archive of an installation', function () {
  this.timeout(300_000);
  let directory: string;
  let settings: Settings;
  let installed: LiveInstallation;
  let sessions: readonly string[];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-archive-'));
    await mkdir(join(directory, 'archive'));
    const databaseUrl = await migratedDatabase();
    settings = { SVC_DATABASE_URL: databaseUrl, SVC_ARCHIVE_DIR: join(directory, 'archive') };
    if (eventStoreUrl === undefined) await makePartitions(databaseUrl, 30);
    else settings = { ...settings, ...archivedFromEventStoreDb(eventStoreUrl) };
    installed = await startInstallation(settings);
    for (let cycles = 0; cycles < 40; cycles += 1) await cycle(installed);
    sessions = (await inLog())
      .filter(({ revision }) => revision === 0n)
      .map(({ stream }) => stream.slice('session-'.length));
  });

  after(async () => {
    await installed.service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const environment = () => ({ PATH: process.env['PATH'] ?? '', ...commonSettings(), ...settings });
  const tamga = (...words: string[]) =>
    run(
      'env',
      '-i',
      ...Object.entries(environment()).map(([name, value]) => `${name}=${value}`),
      process.execPath,
      tamgaProgram(),
      ...words,
    );

  async function rows<Row extends object>(sql: string): Promise<readonly Row[]> {
    const pool = createPool({ url: settings['SVC_DATABASE_URL'] ?? '', max: 1 });
    const found = await pool.query<Row>(sql);
    await pool.end();
    return found.rows;
  }

  async function exported(name: string): Promise<string> {
    const file = join(directory, name);
    const { code, output } = await tamga('audit', 'export', file);
    expect(code, output).to.equal(0);
    const checked = await tamga('audit', 'verify', file, '--key', `${file}.keys.pem`);
    expect(checked.output).to.match(/^Verified: /);
    return readFile(file, 'utf8');
  }

  /** Events of sessions in the log itself. */
  const inLog = () => loggedEvents(settings['SVC_DATABASE_URL'] ?? '', ['session']);

  const archivedEvents = async () =>
    Number(
      (
        await rows<{ n: bigint }>(
          'select coalesce(sum(events), 0)::int8 as n from archive_entry where restored_at is null',
        )
      )[0]?.n,
    );

  /** Runs it and kills it after the progress it showed so many times. */
  async function killedRun(after: number): Promise<void> {
    const child = spawn(
      process.execPath,
      [tamgaProgram(), 'archive', 'run', '--before', new Date().toISOString()],
      { env: environment(), stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let shown = 0;
    child.stderr.on('data', (piece: Buffer) => {
      shown += piece.toString().split('…').length - 1;
      if (shown >= after) child.kill('SIGKILL');
    });
    await new Promise((resolve) => child.once('exit', resolve));
  }

  const shownTo = async (sessionId: string) =>
    call(`${installed.service.origin}/v3/admin/sessions/${sessionId}`);

  it('holds every event once after kill -9 at any moment, and exports and replays stay the same', async () => {
    const before = await exported('before.jsonl');
    const sessionEvents = (await inLog()).length;
    const seen = await Promise.all(sessions.map(shownTo));
    const csvBefore = (await tamga('audit', 'export', '--csv')).output;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await killedRun(kill * 2);
      if (eventStoreUrl === undefined) {
        expect((await inLog()).length + (await archivedEvents())).to.equal(sessionEvents);
      } else {
        expect((await exported(`killed-${kill}.jsonl`)).slice(0, before.length)).to.equal(before);
      }
    }
    const { code, output } = await tamga('archive', 'run', '--before', new Date().toISOString());
    expect(output).to.include('end of the log, which is never archived');
    expect(code).to.equal(0);
    expect(await archivedEvents()).to.be.greaterThan(30);
    if (eventStoreUrl !== undefined) {
      const left = sessionEvents - (await archivedEvents());
      await until(async () => {
        await scavengeServers(eventStoreUrl ?? '');
        return (await inLog()).length === left;
      }, 200_000);
      await installed.service.stop();
      await installed.service.start();
    }

    const after = await exported('after.jsonl');
    expect(after.slice(0, before.length)).to.equal(before);
    const replayed = await tamga('audit', 'replay', join(directory, 'after.jsonl'));
    expect(replayed.code, replayed.output).to.equal(0);
    const again = await Promise.all(sessions.map(shownTo));
    expect(again.map(({ status, body }) => ({ status, body }))).to.deep.equal(
      seen.map(({ status, body }) => ({ status, body })),
    );
    const csvAfter = (await tamga('audit', 'export', '--csv')).output;
    expect(csvAfter.slice(0, csvBefore.length)).to.equal(csvBefore);
    const verified = await tamga('archive', 'verify');
    expect(verified.output).to.match(/as they were signed/);
    expect(verified.code).to.equal(0);
  });

  it('is 503 for what is in it while it is unavailable, and nothing else', async () => {
    const { body } = await call(`${installed.service.origin}/v3/admin/system`);
    expect(body['archive']).to.include({ events: await archivedEvents() });
    const [oldest = ''] = sessions;
    // In a partition that appends go to, which none takes to the archive.
    await cycle(installed);
    const newest = (await inLog()).at(-1)?.stream.slice('session-'.length) ?? '';
    await rename(join(directory, 'archive'), join(directory, 'elsewhere'));
    expect((await shownTo(oldest)).status).to.equal(503);
    expect((await shownTo(newest)).status).to.equal(200);
    await cycle(installed);
    expect((await call(`${installed.service.origin}/readyz`)).status).to.equal(200);
    await rename(join(directory, 'elsewhere'), join(directory, 'archive'));
    expect((await shownTo(oldest)).status).to.equal(200);
  });

  it('keeps the log from being copied to where its positions mean nothing', async () => {
    const { code, output } = await tamga('log', 'copy', '--to', await migratedDatabase());
    expect(output).to.include('are in an archive');
    // Another log than the installation has (EX_CONFIG).
    expect(code).to.equal(78);
  });

  it('is restored while the service goes on, or says that it is not', async () => {
    const names = (await readdir(join(directory, 'archive')))
      .filter((file) => file.endsWith('.jws'))
      .map((file) => file.slice(0, -'.jws'.length));
    if (eventStoreUrl !== undefined) {
      const { code, output } = await tamga('archive', 'restore', names[0] ?? '');
      expect(output).to.include('stays in the archive');
      expect(code).to.equal(1);
      return;
    }
    const session = await createdBy(installed);
    for (const name of names) {
      const { code, output } = await tamga('archive', 'restore', name);
      expect(code, output).to.equal(0);
    }
    expect(await installed.phone.confirm(session)).to.equal('OK');
    await until(async () => (await archivedEvents()) === 0);
    const shown = await rows<{ n: bigint }>('select count(*) as n from session_view');
    expect(Number(shown[0]?.n)).to.equal(
      Number(
        (
          await rows<{ n: bigint }>(
            `select count(*) as n from event where stream like 'session-%' and revision = 0`,
          )
        )[0]?.n,
      ),
    );
  });
});
