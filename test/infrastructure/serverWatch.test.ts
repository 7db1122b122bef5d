import { expect } from 'chai';
import pg from 'pg';
import type { Clock } from '../../application/ports/clock.ts';
import type { Log } from '../../application/ports/log.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { readServerState } from '../../infrastructure/postgres/serverState.ts';
import {
  createServerWatch,
  type ServerWatch,
  type ServerWatchOptions,
} from '../../infrastructure/postgres/serverWatch.ts';
import { startEmbeddedPostgres } from '../../infrastructure/postgres/embedded.ts';
import { systemClock } from '../../infrastructure/system.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';

describe('What the service relies on in PostgreSQL', function () {
  this.timeout(120_000);
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  let admin: pg.Client;
  let url: string;
  let databases = 0;
  let watches: (() => Promise<void>)[];
  let lines: { readonly level: string; readonly fields: object }[];

  before(async () => {
    server = await startEmbeddedPostgres({
      dataDir: `${await serverDirectory('watch')}/postgres`,
      flags: ['-c', 'max_connections=60'],
    });
    admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
  });

  after(async () => {
    await admin.end();
    await server.stop();
  });

  beforeEach(async () => {
    databases += 1;
    url = await server.createDatabase(`watched_${databases}`);
    watches = [];
    lines = [];
  });

  afterEach(() => Promise.all(watches.map((stop) => stop())));

  const line = (level: string) => (fields: object) => void lines.push({ level, fields });
  const log: Log = {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
  };

  function watching(options: Partial<ServerWatchOptions> = {}): ServerWatch {
    const pool = createPool({ url, max: 1 });
    const watch = createServerWatch({
      pool,
      log,
      clock: systemClock,
      connections: 10,
      isStrict: true,
      everyMs: 20,
      ...options,
    });
    watches.push(async () => {
      watch.stop();
      await pool.end();
    });
    return watch;
  }

  const refusal = async (promise: Promise<unknown>) => (await rejection(promise)) as Error;

  /** A setting of this database alone, as a slip in its administration leaves it. */
  const given = (name: string, value: string) =>
    admin.query(`alter database watched_${databases} set ${name} = '${value}'`);

  it('is right as PostgreSQL is installed', async () => {
    const watch = watching();
    await watch.start();
    await watch.checks.durability();
    await watch.checks.clock();
    expect(lines).to.deep.equal([]);
  });

  for (const [name, value] of [
    ['synchronous_commit', 'off'],
    ['default_transaction_isolation', 'serializable'],
    ['default_transaction_read_only', 'on'],
  ] as const) {
    it(`refuses ${name} = ${value}, and says what to change`, async () => {
      await given(name, value);
      const refused = await refusal(watching().start());
      expect(refused).to.have.property('name', 'UnsafeServer');
      expect(refused.message)
        .to.include('SVC_DATABASE_URL')
        .and.to.include(`${name} is "${value}"`);
      expect(refused.message).to.match(/Set it to "[a-z ]+" in postgresql\.conf/u);
    });
  }

  it('refuses a server that does not wait for its disk', async () => {
    const careless = await startEmbeddedPostgres({
      dataDir: `${await serverDirectory('careless')}/postgres`,
      flags: ['-c', 'fsync=off', '-c', 'full_page_writes=off'],
    });
    url = careless.url;
    const refused = await refusal(watching().start());
    await Promise.all(watches.splice(0).map((stop) => stop()));
    await careless.stop();
    expect(refused.message)
      .to.include('fsync is "off"')
      .and.to.include('full_page_writes is "off"');
  });

  it('only warns in development', async () => {
    await given('synchronous_commit', 'off');
    const watch = watching({ isStrict: false });
    await watch.start();
    await watch.checks.durability();
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn']);
  });

  it('notices while running what was changed, and that it was mended', async () => {
    const watch = watching();
    await watch.start();
    await given('synchronous_commit', 'off');
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'watched_${databases}'`,
    );
    const reason = await eventually(() => refusal(watch.checks.durability()));
    expect(reason).to.have.property('name', 'NotReady');
    expect(lines.map(({ level }) => level)).to.deep.equal(['error']);
    await admin.query(`alter database watched_${databases} reset synchronous_commit`);
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'watched_${databases}'`,
    );
    await eventually(() => watch.checks.durability());
  });

  it('refuses a server with too few connections left, with the numbers and the setting', async () => {
    const { message } = await refusal(watching({ connections: 70 }).start());
    expect(message)
      .to.include('max_connections is 60')
      .and.to.match(/opens up to 69 more/u)
      .and.to.include('SVC_DATABASE_POOL');
  });

  for (const [ahead, says] of [
    [120_000, '120.0 s ahead of'],
    [-6_000, '6.0 s behind'],
  ] as const) {
    it(`is not ready while the clock is ${says} the server's, and says so`, async () => {
      let offsetMs = 0;
      const seconds: number[] = [];
      const watch = watching({
        clock: { now: () => new Date(Date.now() + offsetMs) },
        onCompared: ({ offsetMs }) => seconds.push(offsetMs / 1000),
      });
      await watch.start();
      offsetMs = ahead;
      // An answer that was long on its way moves the offset by a tenth: the next look is right.
      await eventually(async () => {
        const { name, message } = await refusal(watch.checks.clock());
        expect([name, message.includes(says)]).to.deep.equal(['NotReady', true]);
        expect(seconds.at(-1)).to.be.closeTo(ahead / 1000, 1);
      });
      expect(watch.hasRightClock()).to.equal(false);
      offsetMs = 0;
      await eventually(() => watch.checks.clock());
      expect(watch.hasRightClock()).to.equal(true);
    });
  }

  it('O7: notices a clock that is set at the next question, without another look at the server', async () => {
    let offsetMs = 0;
    const watch = watching({
      clock: { now: () => new Date(Date.now() + offsetMs) },
      everyMs: 600_000,
    });
    await watch.start();
    for (const set of [120_000, -6_000]) {
      offsetMs = set;
      expect(watch.hasRightClock()).to.equal(false);
      expect(await refusal(watch.checks.clock())).to.have.property('name', 'NotReady');
      offsetMs = 0;
      expect(watch.hasRightClock()).to.equal(true);
      await watch.checks.clock();
    }
  });

  it('refuses to start with a clock that is wrong, and says which', async () => {
    const clock = { now: () => new Date(Date.now() + 60_000) };
    await eventually(async () => {
      const refused = await refusal(watching({ clock }).start());
      expect(refused).to.have.property('name', 'UnsafeServer');
      expect(refused.message).to.include('clock of this machine is 60.0 s ahead');
    });
    await watching({ clock, isStrict: false }).start();
    expect(lines.map(({ level }) => level)).to.include('error');
  });

  it('accepts a clock offset of four seconds', async () => {
    const watch = watching({ clock: { now: () => new Date(Date.now() + 4000) } });
    await watch.start();
    await watch.checks.clock();
  });

  it('blames no clock for an answer that took long', async () => {
    let elapsed = -12_000;
    const clock = { now: () => new Date(Date.now() + elapsed) };
    const found = await asked(clock, () => (elapsed += 12_000));
    expect(found.uncertaintyMs).to.equal(6000);
    expect(Math.abs(found.offsetMs) - found.uncertaintyMs).to.be.below(1000);
  });

  it('takes a clock that is set while the server answers for no slow answer', async () => {
    let offsetMs = 0;
    const clock = { now: () => new Date(Date.now() + offsetMs) };
    const found = await asked(clock, () => {
      offsetMs += 60_000;
      return performance.now();
    });
    expect(found.offsetMs - found.uncertaintyMs).to.be.above(100_000);
  });

  /** @param monotonic called before and after the question */
  async function asked(clock: Clock, monotonic: () => number) {
    const pool = createPool({ url, max: 1 });
    watches.push(() => pool.end());
    return (await readServerState(pool, clock, monotonic)).clock;
  }
});
