import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { migrate, thisRelease } from '../../infrastructure/postgres/migrate.ts';
import { expand } from '../../infrastructure/postgres/migrations/statements.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { startProxy, type TestProxy } from '../support/doubles/proxy.ts';
import { type LoadFigures, runCycleLoad } from '../../main/drill/cycleLoad.ts';
import { maintaining } from '../support/installation/installation.ts';
import {
  createLiveRelyingParty,
  enrolLivePhone,
  type LivePhone,
  type LiveRelyingParty,
} from '../../main/drill/callers.ts';
import { liveCitizen } from '../support/installation/liveInstallation.ts';
import {
  commonSettings,
  createServiceProcess,
  type ServiceProcess,
  type Settings,
} from '../support/installation/serviceProcess.ts';
import { formerRelease } from '../support/programs/formerRelease.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

const run = promisify(execFile);

/** The release after this one, as far as the former one meets it. */
const next = {
  level: thisRelease.level,
  migrations: {
    ...thisRelease.migrations,
    '999_next': expand(['alter table session_view add column next integer not null default 1']),
  },
};

describe('O3: the former release and this one, on one database and log', function () {
  // Six starts and four loads: some 25 s where the machine has nothing else to do.
  this.timeout(400_000);
  const opened: (() => Promise<unknown>)[] = [];
  let former: string;
  let settings: Settings;
  /** Address of the phones, and the process that answers there. */
  let proxy: TestProxy;
  let leading: ServiceProcess;
  let relyingParty: LiveRelyingParty;
  let phones: readonly LivePhone[];

  before(async function () {
    const found = await formerRelease();
    if ('missing' in found) {
      console.log(`      ${found.missing}`);
      return this.skip();
    }
    former = found.program;
    settings = { SVC_DATABASE_URL: await freshDatabase() };
    proxy = await startProxy(() => Number(new URL(leading.origin).port));
    opened.push(() => proxy.close());
  });

  after(() => Promise.all(opened.map((close) => close())));

  async function started(program: string): Promise<ServiceProcess> {
    const created = await createServiceProcess(
      { ...settings, SVC_ROLES: 'api,projector,worker' },
      undefined,
      ['serve'],
      program,
    );
    opened.push(() => created.stop());
    await created.start();
    return created;
  }

  /** Output of a command of the former release. */
  async function formerly(...parameters: readonly string[]): Promise<string> {
    const env = { ...process.env, ...commonSettings(), ...settings };
    return (await run(process.execPath, [former, ...parameters], { env })).stdout;
  }

  /** Logins, created at one process, polled at the other and confirmed at that, while something happens. */
  async function loggingIn(
    [here, there]: readonly [ServiceProcess, ServiceProcess],
    meanwhile: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<LoadFigures> {
    leading = there;
    const load = runCycleLoad({
      relyingParty,
      phones,
      origins: [here.origin, there.origin],
      perSecond: 6,
      milliseconds: 3000,
      slowMs: 10_000,
    });
    const [figures] = await Promise.all([load, meanwhile()]);
    return figures;
  }

  it('serve side by side, there and back, with no failed call and no lost fact', async () => {
    const registered = await formerly('rp', 'register', 'Fault tests');
    await formerly(
      'registry',
      'import',
      'civil',
      'infrastructure/registry/demo/civil-registry.csv',
    );
    const old = await started(former);
    const [relyingPartyId = ''] = /[\da-f-]{36}/u.exec(registered) ?? [];
    const [, apiSecret = ''] = /secret\S*\s+(\S+)/iu.exec(registered) ?? [];
    leading = old;
    const at = `http://127.0.0.1:${proxy.port}`;
    relyingParty = createLiveRelyingParty(old.origin, { relyingPartyId, apiSecret });
    phones = [await enrolLivePhone(at, liveCitizen(0)), await enrolLivePhone(at, liveCitizen(1))];
    const loads: LoadFigures[] = [];

    let upgraded = old;
    loads.push(await loggingIn([old, old], async () => (upgraded = await started(tamgaProgram()))));
    loads.push(await loggingIn([old, upgraded]));
    expect(await old.stop()).to.equal(0);
    const database = createDatabase<unknown>(
      createPool({ url: settings['SVC_DATABASE_URL'] ?? '', max: 1 }),
    );
    loads.push(await loggingIn([upgraded, upgraded], () => migrate(database, next)));
    await database.destroy();

    const back = await started(former);
    loads.push(await loggingIn([upgraded, back]));
    expect(await upgraded.stop()).to.equal(0);
    loads.push(await loggingIn([back, back]));

    for (const { createsFailed, othersRefused, unknown, slept, surprises } of loads) {
      expect({ createsFailed, othersRefused, unknown, slept, surprises }).to.deep.equal({
        createsFailed: [],
        othersRefused: [],
        unknown: [],
        slept: [],
        surprises: [],
      });
    }
    const sessions = loads.flatMap((load) => load.sessions);
    expect(sessions).to.have.length.above(80);
    await expectStored(sessions.map(({ sessionId }) => sessionId));
    expect(await back.stop()).to.equal(0);
    await expectReplay();
  });

  /** Every login in the log, with its beginning and its end, and shown. */
  async function expectStored(ids: readonly string[]): Promise<void> {
    const pool = new pg.Pool({ connectionString: settings['SVC_DATABASE_URL'], max: 1 });
    try {
      const { rows } = await pool.query<{ stream: string; types: string }>(
        `select stream, string_agg(type, ' ' order by revision) as types from event
         where stream = any($1) group by stream`,
        [ids.map((id) => `session-${id}`)],
      );
      expect(rows).to.have.length(ids.length);
      expect(new Set(rows.map(({ types }) => types))).to.deep.equal(
        new Set(['SessionStarted SessionConfirmed']),
      );
      await eventually(async () => {
        const { rowCount } = await pool.query(
          `select from session_view where session_id::text = any($1) and status = 'COMPLETE'`,
          [ids],
        );
        expect(rowCount).to.equal(ids.length);
      });
    } finally {
      await pool.end();
    }
  }

  async function expectReplay(): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), 'tamga-neighbours-'));
    try {
      const report = await maintaining(settings, async ({ auditExports }) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of await auditExports.events()) chunks.push(chunk);
        const path = join(directory, 'events.jsonl');
        await writeFile(path, Buffer.concat(chunks));
        return auditExports.replay(path);
      });
      const differing = report.models.filter((each) => each.failure !== null || each.different > 0);
      expect(differing).to.deep.equal([]);
      expect(report.isEqual).to.equal(true);
    } finally {
      await rm(directory, { recursive: true });
    }
  }
});
