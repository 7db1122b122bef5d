import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import type { EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import {
  NotReady,
  Overloaded,
  RevisionConflict,
  Unavailable,
} from '../../application/ports/faults.ts';
import {
  createPostgresEventLog,
  type PostgresEventLog,
} from '../../infrastructure/eventstore/postgresEventLog.ts';
import { startEmbeddedPostgres } from '../../infrastructure/postgres/embedded.ts';
import { HERE, NAME } from '../../infrastructure/postgres/knownServer.ts';
import { anEvent, collect, eventLogContract, readAll } from '../contracts/eventLogContract.ts';
import {
  loseEventsAfter,
  migratedDatabase,
  migrateUrl,
  startPostgresEventLog,
} from '../support/events/eventLogs.ts';
import { until } from '../support/assertions/waiting.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';

eventLogContract('PostgreSQL', async () => {
  const url = await migratedDatabase();
  const logs = [
    await startPostgresEventLog({ url }),
    await startPostgresEventLog({ url }),
  ] as const;
  return {
    logs: [...logs],
    stop: async () => {
      await Promise.all(logs.map((log) => log.stop()));
    },
  };
});

/** Appends from many writers until told to stop; keeps what was acknowledged, survives what was not. */
function load(log: EventLog, writers: number) {
  const acknowledged: { id: string; stream: string }[] = [];
  const failures: unknown[] = [];
  let running = true;
  const write = async () => {
    while (running) {
      const event = anEvent();
      const stream = `session-${randomUUID()}`;
      try {
        await log.append(stream, [event], 'none');
        acknowledged.push({ id: event.id, stream });
      } catch (error) {
        failures.push(error);
        await new Promise(setImmediate);
      }
    }
  };
  const done = Promise.all(Array.from({ length: writers }, write));
  return {
    acknowledged,
    failures,
    stop: async () => {
      running = false;
      await done;
    },
  };
}

function isWorking(log: PostgresEventLog): Promise<boolean> {
  return log.check().then(
    () => true,
    () => false,
  );
}

function expectInOrderOnce(events: readonly LoggedEvent[]): void {
  events.forEach((event, at) => expect(event.position).to.equal(BigInt(at + 1)));
}

/** A way to the server that can lose the client's side of every connection while the server's side lives on. */
async function cuttableWire(url: string) {
  const target = new URL(url);
  const { hostname, port } = target;
  const near = new Set<Socket>();
  const far = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    near.add(client);
    far.add(upstream);
    client.on('error', () => undefined).on('data', (data) => upstream.write(data));
    upstream.on('error', () => undefined).on('data', (data) => client.write(data));
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.port = String((server.address() as AddressInfo).port);
  return {
    url: target.href,
    cut: () => near.forEach((socket) => socket.destroy()),
    close: () => {
      server.close();
      for (const socket of [...near, ...far]) socket.destroy();
    },
  };
}

describe('PostgreSQL event log', () => {
  let url: string;
  let log: PostgresEventLog;
  let admin: pg.Client;

  beforeEach(async () => {
    url = await migratedDatabase();
    log = await startPostgresEventLog({ url });
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
  });

  afterEach(async () => {
    await log.stop();
    await admin.end();
  });

  const endBackends = (name: string) =>
    admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name like $1 and datname = current_database()`,
      [name],
    );

  /** Holds the lock that every batch takes, as a writer of another process would. */
  async function holdLock(): Promise<() => Promise<void>> {
    const definition = await admin.query<{ source: string }>(
      `select prosrc as source from pg_proc where proname = 'append_events'`,
    );
    const key = /pg_advisory_xact_lock\((\d+)\)/.exec(definition.rows[0]?.source ?? '')?.[1];
    await admin.query('select pg_advisory_lock($1)', [key]);
    return async () => {
      await admin.query('select pg_advisory_unlock($1)', [key]);
    };
  }

  const isWriterWaiting = async () => {
    const { rows } = await admin.query(
      `select 1 from pg_stat_activity where application_name = 'tamga event writer'
       and wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows.length > 0;
  };
  const writerIsWaiting = () => until(isWriterWaiting);

  it('commits what waits together', async () => {
    const before = log.stats.batches;
    await Promise.all(
      Array.from({ length: 300 }, () => log.append(`session-${randomUUID()}`, [anEvent()], 'none')),
    );
    expect(log.stats.batches - before).to.be.at.most(5);
    expect(log.stats.events).to.equal(300);
  });

  it('hands its own commits to its subscribers without reading them back', async () => {
    const subscribers = Array.from({ length: 10 }, () => collect(log));
    await Promise.all(subscribers.map(({ caughtUp }) => caughtUp));
    for (let each = 0; each < 200; each += 1) {
      await log.append(`session-${randomUUID()}`, [anEvent()], 'none');
    }
    await until(() => subscribers.every(({ events }) => events.length === 200));
    const { rows } = await admin.query(
      `select 1 from pg_stat_activity where application_name = 'tamga event reader'
       and datname = current_database() and query like '%position > $1%'`,
    );
    expect(rows).to.deep.equal([]);
    await Promise.all(subscribers.map(({ stop }) => stop()));
  });

  it('numbers positions without a gap in the order of commits, over several processes and conflicts', async () => {
    const other = await startPostgresEventLog({ url });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 400 }, (_, n) =>
        (n % 2 === 0 ? log : other).append(`session-${n % 300}`, [anEvent(), anEvent()], 'none'),
      ),
    );
    await other.stop();

    const seen = collect(log);
    await seen.caughtUp;
    await seen.stop();

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(300);
    expect(seen.events).to.have.lengthOf(600);
    expectInOrderOnce(seen.events);
  });

  it('loses no acknowledged event and recovers when its connections are cut under load', async () => {
    const seen = collect(log);
    const writing = load(log, 32);

    for (let cut = 1; cut <= 4; cut += 1) {
      const before = writing.acknowledged.length;
      await until(() => writing.acknowledged.length > before + 200);
      await endBackends(cut % 2 === 0 ? 'tamga event%' : 'tamga event writer');
      await until(() => writing.failures.length > 0);
      await until(() => isWorking(log));
    }
    const before = writing.acknowledged.length;
    await until(() => writing.acknowledged.length > before + 200);
    await writing.stop();

    expect(writing.failures.every((error) => error instanceof Unavailable)).to.equal(true);
    const head = await log.head();
    await until(() => seen.events.at(-1)?.position === head);
    await seen.stop();
    expectInOrderOnce(seen.events);
    const stored = new Set(seen.events.map(({ id }) => id));
    expect(writing.acknowledged.filter(({ id }) => !stored.has(id))).to.deep.equal([]);
  });

  it('hears of other processes again after its listening connection was cut', async () => {
    const deaf = await startPostgresEventLog({ url, pollMs: 3_600_000 });
    const seen = collect(deaf);
    await seen.caughtUp;
    await endBackends('tamga event listener');

    await log.append('session-1', [anEvent()], 'none');
    await until(() => seen.events.length === 1);
    await log.append('session-2', [anEvent()], 'none');
    await until(() => seen.events.length === 2);
    await deaf.stop();
  });

  it('refuses with Overloaded beyond its queue and stores what it accepted', async () => {
    const small = await startPostgresEventLog({ url, queueLimit: 10 });
    const release = await holdLock();
    const append = () => small.append(`session-${randomUUID()}`, [anEvent()], 'none');

    const accepted = [append()];
    await writerIsWaiting();
    accepted.push(...Array.from({ length: 9 }, append));
    const refused = await append().catch((e: unknown) => e);
    expect(refused).to.be.instanceOf(Overloaded);
    await release();

    expect(await Promise.all(accepted)).to.have.lengthOf(10);
    expect(await log.head()).to.equal(10n);
    await small.stop();
  });

  it('abandons a statement without an answer, and continues', async () => {
    const hasty = await startPostgresEventLog({ url, statementTimeoutMs: 1000 });
    const release = await holdLock();

    const outcome = await hasty.append('session-1', [anEvent()], 'none').catch((e: unknown) => e);
    expect(outcome).to.be.instanceOf(Unavailable);
    // The server gives up by itself, perhaps later.
    await until(async () => !(await isWriterWaiting()));
    await release();
    await until(() => isWorking(hasty));

    expect((await hasty.append('session-1', [anEvent()], 'any')).position).to.equal(1n);
    await hasty.stop();
  });

  it('fails only the append that the database refuses, not its batch', async () => {
    const used = anEvent();
    await log.append('session-used', [used], 'none');

    const outcomes = await Promise.allSettled([
      log.append('session-1', [anEvent()], 'none'),
      log.append('session-2', [{ ...anEvent(), data: '{"a":"\0"}' }], 'none'),
      log.append('session-3', [used], 'none'),
      log.append('session-4', [anEvent()], 'none'),
    ]);

    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    for (const outcome of [outcomes[1], outcomes[2]]) {
      const reason: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
      expect(reason).to.be.instanceOf(Error);
      expect(reason).to.not.be.instanceOf(Unavailable);
      expect(reason).to.not.be.instanceOf(RevisionConflict);
    }
  });

  it('O6: is not ready while appends are refused, says why, and is ready again once they are not', async () => {
    await log.append('session-before', [anEvent()], 'none');
    await admin.query(`
      create function fill_disk() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
      create trigger filled before insert on event for each row execute function fill_disk()`);
    await log.check();

    const refused = await log.append('session-1', [anEvent()], 'none').catch((e: unknown) => e);
    const unready = await log.check().catch((e: unknown) => e);

    expect(refused).to.be.instanceOf(Unavailable);
    expect(unready).to.be.instanceOf(NotReady);
    expect(String(unready)).to.include('SQLSTATE 53100').and.include('disk is full');
    await admin.query('drop trigger filled on event');
    await until(() =>
      log.check().then(
        () => true,
        () => false,
      ),
    );
    expect(await readAll(log, 'session-1')).to.have.lengthOf(0);
    expect(await log.head()).to.equal(1n);
    expect(await log.append('session-1', [anEvent()], 'none')).to.include({ position: 2n });
  });

  it('names the server that holds what it saw, in one statement with that', async () => {
    const { rows } = await admin.query<{ name: string }>(`select ${NAME} as name from ${HERE}`);
    expect(await log.holdsSeen(), 'before it saw anything').to.equal(null);
    await log.append('session-1', [anEvent()], 'any');
    expect(await log.holdsSeen()).to.equal(rows[0]?.name);
    await loseEventsAfter(admin, 0n);
    expect(await log.holdsSeen()).to.equal(null);
  });

  it('says Unavailable when the answer is lost, and recognises the retry', async () => {
    const wire = await cuttableWire(url);
    const remote = await startPostgresEventLog({ url: wire.url });
    const event = anEvent();
    const release = await holdLock();
    const first = remote.append('session-1', [event], 'none').catch((e: unknown) => e);
    await writerIsWaiting();
    wire.cut();
    expect(await first).to.be.instanceOf(Unavailable);
    await release();
    await until(async () => (await log.head()) === 1n);
    await until(() => isWorking(remote));

    const retried = await remote.append('session-1', [event], 'none');

    expect(retried).to.deep.equal({ revision: 0n, position: 1n });
    expect(await readAll(log, 'session-1')).to.have.lengthOf(1);
    await remote.stop();
    wire.close();
  });

  it('answers what it accepted before it stops, and refuses afterwards', async () => {
    const seen = collect(log);
    const accepted = Array.from({ length: 50 }, () =>
      log.append(`session-${randomUUID()}`, [anEvent()], 'none'),
    );
    await new Promise(setImmediate);

    await log.stop();

    expect(await Promise.all(accepted)).to.have.lengthOf(50);
    const late = await log.append('session-late', [anEvent()], 'none').catch((e: unknown) => e);
    expect(late).to.be.instanceOf(Unavailable);
    expect(seen.events.length).to.be.at.most(50);
    log = await startPostgresEventLog({ url });
  });

  it('refuses to start without a server, at once', async () => {
    const nowhere = createPostgresEventLog({ url: 'postgres://nobody@127.0.0.1:1/none' });
    const outcome = await nowhere.start().catch((e: unknown) => e);
    expect(outcome).to.be.instanceOf(Unavailable);
    await nowhere.stop();
  });
});

describe('PostgreSQL event log and the sudden death of its server', () => {
  it('keeps every acknowledged event through kill -9 under load and recovers without a restart', async function () {
    this.timeout(90_000);
    const directory = await serverDirectory('kill');
    const server = await startEmbeddedPostgres({ dataDir: join(directory, 'postgres') });
    await migrateUrl(server.url);
    const log = await startPostgresEventLog({ url: server.url });
    const seen = collect(log);
    const writing = load(log, 32);
    await until(() => writing.acknowledged.length > 500);

    process.kill(server.pid, 'SIGKILL');
    await until(() => writing.failures.length > 0);
    await until(() => isWorking(log), 60_000);
    const before = writing.acknowledged.length;
    await until(() => writing.acknowledged.length > before + 500);
    await writing.stop();

    const head = await log.head();
    await until(() => seen.events.at(-1)?.position === head);
    await seen.stop();
    await log.stop();
    await server.stop();
    await rm(directory, { recursive: true, force: true });

    expectInOrderOnce(seen.events);
    const stored = new Set(seen.events.map(({ id }) => id));
    expect(writing.acknowledged.filter(({ id }) => !stored.has(id))).to.deep.equal([]);
    expect(writing.failures.every((error) => error instanceof Unavailable)).to.equal(true);
  });
});
