import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../support/assertions/eventually.ts';
import type pg from 'pg';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { createEventStoreDbEventLog } from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { collect } from '../contracts/eventLogContract.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { maintaining, prepareInstallation } from '../support/installation/installation.ts';
import { call } from '../../main/drill/callers.ts';
import {
  cycle,
  type LiveInstallation,
  startInstallation,
} from '../support/installation/liveInstallation.ts';
import { loseEventsAfter } from '../support/events/eventLogs.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  commonSettings,
  createServiceProcess,
  type Settings,
} from '../support/installation/serviceProcess.ts';
import { until } from '../support/assertions/waiting.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

const run = promisify(execFile);

/** Another installation, as far as keys go. */
const otherKey = { SVC_SW_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') };

describe('The log of a running installation', function () {
  this.timeout(120_000);
  let double: EventStoreDbDouble;
  let installed: LiveInstallation;

  before(async () => {
    double = await startEventStoreDbDouble();
    installed = await startInstallation({
      SVC_DATABASE_URL: await freshDatabase(),
      SVC_EVENTSTORE_URL: double.url,
    });
  });

  after(async () => {
    await installed.service.stop();
    await double.stop();
  });

  /** Everything in the log. */
  async function logged(): Promise<readonly LoggedEvent[]> {
    const log = createEventStoreDbEventLog({ url: double.url });
    await log.start();
    const seen = collect(log);
    await seen.caughtUp;
    await log.stop();
    return seen.events;
  }

  /** Nothing was added, every projection runs, and a citizen logs in. */
  async function isUntouched(before: readonly LoggedEvent[]): Promise<void> {
    expect(await logged()).to.deep.equal(before);
    await cycle(installed);
    const { status, body } = await call(`${installed.service.origin}/readyz`);
    expect(status).to.equal(200);
    const projections = body['projections'] as readonly { readonly running: boolean }[];
    expect(projections).to.not.deep.equal([]);
    expect(projections.filter(({ running }) => !running)).to.deep.equal([]);
  }

  it('begins with whose it is', async () => {
    expect((await logged())[0]).to.include({ type: 'LogEstablished', stream: 'log-identity' });
  });

  it("is not joined by another installation's process, which ends before it appended anything", async () => {
    const before = await logged();
    const other = await createServiceProcess({
      ...otherKey,
      SVC_DATABASE_URL: await freshDatabase(),
      SVC_EVENTSTORE_URL: double.url,
    });
    other.launch();
    await until(() => other.hasEnded());
    expect(other.output()).to.match(
      /^tamga: The event log belongs to another installation: .*\n$/u,
    );
    expect(await other.stop()).to.equal(78);
    await isUntouched(before);
  });

  it('is not joined by a command of an installation that has a log of its own', async () => {
    const settings: Settings = { SVC_DATABASE_URL: await freshDatabase() };
    await prepareInstallation(settings);
    const before = await logged();
    const { PATH } = process.env;
    const failure = await rejection(
      run(process.execPath, [tamgaProgram(), 'rp', 'list'], {
        env: { PATH, ...commonSettings(), ...settings, SVC_EVENTSTORE_URL: double.url },
        timeout: 30_000,
      }),
    );
    expect(failure).to.include({ code: 78, stdout: '' });
    expect((failure as { stderr?: string }).stderr).to.match(
      /^tamga: The event log belongs to another installation: .*\n$/u,
    );
    await isUntouched(before);
  });
});

/** docs/operations.md, "The identity of the log". `:N`: where the log ends, as the refusal says. */
const backToTheLog = (documentation: string) =>
  /```sql\n(update checkpoint[^`]*)```/u.exec(documentation)?.[1] ?? '';

describe('An installation whose log was restored from an older backup', function () {
  this.timeout(180_000);
  let installed: LiveInstallation;
  let settings: Settings;
  let pool: pg.Pool;

  before(async () => {
    settings = { SVC_DATABASE_URL: await freshDatabase() };
    pool = createPool({ url: settings['SVC_DATABASE_URL'] ?? '', max: 2 });
    installed = await startInstallation(settings);
  });

  after(async () => {
    await pool.end();
    await installed.service.stop();
  });

  async function headOf(): Promise<bigint> {
    const { rows } = await pool.query<{ head: bigint }>('select max(position) as head from event');
    return rows[0]?.head ?? 0n;
  }

  async function sessionsShown(): Promise<bigint> {
    const { rows } = await pool.query<{ count: bigint }>('select count(*) from session_view');
    return rows[0]?.count ?? 0n;
  }

  it('is refused with where both end, and goes on from the log as documented', async () => {
    const { service } = installed;
    await cycle(installed);
    const backup = await headOf();
    await cycle(installed);
    await until(async () => (await sessionsShown()) === 2n);
    await service.stop();
    await loseEventsAfter(pool, backup);

    service.launch();
    await until(() => service.hasEnded());
    const text = `tamga: The event log is shorter than the database expects: it ends at position ${backup},`;
    expect(service.output()).to.include(text);
    expect(await headOf()).to.equal(backup);

    const statements = backToTheLog(await readFile('docs/operations.md', 'utf8'));
    expect(statements).to.not.equal('');
    await pool.query(statements.replaceAll(':N', String(backup)));
    await maintaining(settings, async ({ readModels, rebuild }) => {
      for (const name of readModels) await rebuild(name, () => undefined);
    });
    expect(await sessionsShown()).to.equal(1n);
    await service.start();
    await cycle(installed);
    await until(async () => (await sessionsShown()) === 2n);
    await eventually(async () => {
      const { body } = await call(`${service.origin}/readyz`);
      expect(body['status']).to.equal('ready');
    });
  });
});
