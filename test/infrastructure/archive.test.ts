import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { createArchivedEventLog } from '../../application/archive/archivedEventLog.ts';
import { DamagedArchive } from '../../application/archive/ports/archive.ts';
import type { AuditFilter } from '../../application/ports/auditTrail.ts';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { exportEvents } from '../../infrastructure/export/exportEvents.ts';
import { createCopyWriter } from '../../infrastructure/postgres/copyWriter.ts';
import { systemRandomness } from '../../infrastructure/system.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import { anEvent, collect, readAll } from '../contracts/eventLogContract.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import {
  recordable,
  sessionConfirmed,
  sessionExpired,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { type ArchiveWorld, openArchiveWorld, PARTITION } from '../support/worlds/archiveWorld.ts';

describe('The archive of ended sessions', function () {
  this.timeout(60_000);
  let world: ArchiveWorld;
  let ids: string[];

  beforeEach(async () => {
    world = await openArchiveWorld();
    ids = [];
  });

  afterEach(() => world.close());

  const newId = () => {
    const id = systemRandomness.timeOrderedUuid();
    ids.push(id);
    return id;
  };

  async function append(stream: string, ...events: Parameters<typeof recordable>[0][]) {
    await world.eventStore.append(
      stream,
      events.map((event) => recordable(event)),
      'any',
    );
  }

  /** Sessions that ended, in the midst of other events, over six partitions. */
  async function givenSessions(count = 100): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const id = newId();
      await append(`session-${id}`, sessionStarted(id));
      await append(`session-${id}`, n % 2 === 0 ? sessionConfirmed() : sessionExpired());
      if (n % 5 === 0) await world.log.append(`access-${n}`, [anEvent({ n })], 'any');
    }
    await world.settled();
  }

  const run = (before = new Date(Date.now() + 1000)) => world.archiving().run(before);
  const exported = async () => text(await exportEvents(world.whole, null));
  const hotEvents = async () =>
    Number((await world.rows<{ n: bigint }>('select count(*) as n from event'))[0]?.n);
  const tallies = () =>
    world.rows(
      'select * from tally where count <> 0 order by metric, bucket, relying_party_id, label',
    );
  const archivedStreams = async () => {
    const streams = new Set<string>();
    for (const entry of await world.catalog.entries()) {
      for await (const events of world.files.read(entry)) {
        for (const { stream } of events) streams.add(stream);
      }
    }
    return streams;
  };

  it('takes whole sessions out of the log and its read model, and everything else reads the same', async () => {
    await givenSessions();
    const before = await exported();
    const inLog = await hotEvents();
    const counted = await tallies();

    expect(await run()).to.deep.equal({ reason: 'newest' });

    const entries = await world.catalog.entries();
    expect(entries).to.have.length.greaterThan(1);
    expect(entries.every(({ isRemoved }) => isRemoved)).to.equal(true);
    const moved = entries.reduce((sum, { events }) => sum + events, 0);
    expect(moved).to.be.greaterThan(PARTITION);
    expect(await hotEvents()).to.equal(inLog - moved);
    expect(await exported()).to.equal(before);
    const streams = await archivedStreams();
    expect(streams.size).to.equal(moved / 2);
    const names = [...streams];
    expect(
      await world.rows('select 1 from stream_head where stream = any($1)', [names]),
    ).to.deep.equal([]);
    const sessions = names.map((name) => name.slice('session-'.length));
    expect(
      await world.rows('select 1 from session_view where session_id = any($1)', [sessions]),
    ).to.deep.equal([]);
    expect(await tallies()).to.deep.equal(counted);
  });

  it('is read by session, by event and by range', async () => {
    await givenSessions();
    const all: string[] = [];
    for (const id of ids) {
      for await (const { event, stream } of world.eventStore.read(`session-${id}`)) {
        all.push(`${stream} ${event.type}`);
      }
    }
    await run();

    const again: string[] = [];
    for (const id of ids) {
      for await (const { event, stream } of world.eventStore.read(`session-${id}`)) {
        again.push(`${stream} ${event.type}`);
      }
    }
    expect(again).to.deep.equal(all);
    const [stream = ''] = await archivedStreams();
    const [started, ended] = await world.archived.ofStream(stream);
    expect(started?.revision).to.equal(0n);
    expect(await world.archived.withId(ended?.id ?? '')).to.deep.equal(ended);
    expect(await world.archived.withId(randomUUID())).to.equal(null);
    expect(await world.archived.ofStream(`session-${randomUUID()}`)).to.deep.equal([]);

    const seen = collect(world.whole, { after: 50n });
    const head = await world.log.head();
    await until(() => seen.events.at(-1)?.position === head);
    await seen.stop();
    expect(seen.events.map(({ position }) => position)).to.deep.equal(
      Array.from({ length: Number(head) - 50 }, (_, n) => BigInt(n + 51)),
    );
  });

  it('stays in the audit: in its CSV whatever is asked for, by event id, and proven in the tree', async () => {
    await givenSessions();
    const csv = async (filter: AuditFilter) =>
      text(Readable.from(await world.auditCsv.csv(filter)));
    const filters: readonly AuditFilter[] = [
      {},
      { type: 'SESSION_EXPIRE' },
      { subject: ids[2] ?? '' },
      { subject: 'PNOMN-100000000001' },
      { actor: 'test', outcome: 'OK', from: new Date(Date.now() - 3_600_000) },
      { outcome: 'DENIED' },
    ];
    const all = async () => {
      const exports: string[] = [];
      for (const filter of filters) exports.push(await csv(filter));
      return exports;
    };
    const before = await all();
    expect(before[3]?.split('\n').length, 'rows of a person').to.be.greaterThan(10);
    const { total } = await world.auditTrail.auditEntries({}, { limit: 5, offset: 0 });
    const stream = `session-${ids[0]}`;
    const [event] = await readAll(world.whole, stream);
    const id = event?.id ?? '';
    const entry = await world.auditTrail.auditEntry(id);
    const place = await world.treeStore.placeOf(id);

    await run();

    expect((await archivedStreams()).has(stream)).to.equal(true);
    const left = await world.rows('select 1 from audit_view where stream = any($1)', [
      [...(await archivedStreams())],
    ]);
    expect(left).to.deep.equal([]);
    const after = await all();
    for (const [index, filter] of filters.entries()) {
      expect(after[index], JSON.stringify(filter)).to.equal(before[index]);
    }
    expect(await world.auditTrail.auditEntry(id)).to.deep.equal(entry);
    expect(await world.treeStore.placeOf(id)).to.deep.equal(place);
    expect(place?.leaf?.equals(await world.treeProcess.proofs.leaf(place.index))).to.equal(true);
    const moved = (await world.catalog.entries()).reduce((sum, { events }) => sum + events, 0);
    const shown = await world.auditTrail.auditEntries({}, { limit: 5, offset: 0 });
    expect(shown.total).to.equal(total - moved);
  });

  it('leaves a session that is not over, or not yet long ago, where it is', async () => {
    const open = newId();
    await append(`session-${open}`, sessionStarted(open));
    await givenSessions();
    expect(await run(new Date(Date.now() - 3_600_000))).to.deep.equal({ reason: 'notOldEnough' });
    expect(await world.catalog.entries()).to.deep.equal([]);
    await run();
    expect((await archivedStreams()).has(`session-${open}`)).to.equal(false);
    expect(
      await world.rows('select 1 from session_view where session_id = $1', [open]),
    ).to.have.length(1);
  });

  it('waits for whatever follows the log', async () => {
    await givenSessions();
    await world.pool.query(
      `insert into checkpoint (name, position) values ('a reactor that is behind', 3)`,
    );
    expect(await run()).to.deep.equal({ reason: 'behind', follower: 'a reactor that is behind' });
    expect(await world.catalog.entries()).to.deep.equal([]);
  });

  it('has events in exactly one place wherever it was interrupted, and goes on from there', async () => {
    await givenSessions();
    const before = await exported();
    const inLog = await hotEvents();
    const interrupted = new Error('interrupted');
    const broken = [
      { takeOut: () => Promise.reject(interrupted) },
      {
        takeOut: async (...given: Parameters<typeof world.archivable.takeOut>) => {
          // In the way of the copy that takes the partition's place.
          await world.pool.query(
            'create table event_from_1_copy (); create view in_the_way as select from event_from_1_copy',
          );
          try {
            await world.archivable.takeOut(...given);
          } finally {
            await world.pool.query('drop view in_the_way');
          }
        },
      },
    ];
    for (const overrides of broken) {
      await rejection(world.archiving(overrides).run(new Date(Date.now() + 1000)));
      const moved = (await world.catalog.entries()).reduce((sum, { events }) => sum + events, 0);
      expect(await hotEvents()).to.equal(inLog - moved);
      expect(await exported()).to.equal(before);
    }
    await run();
    expect((await world.catalog.entries()).every(({ isRemoved }) => isRemoved)).to.equal(true);
    expect(await exported()).to.equal(before);
  });

  it('gives the room of a partition back', async () => {
    await givenSessions();
    const partition = async () =>
      (await world.rows<{ oid: number }>(`select 'event_from_1'::regclass::oid as oid`))[0]?.oid;
    const before = await partition();
    await run();
    expect(await partition()).not.to.equal(before);
    expect(
      await world.rows('select 1 from pg_class where relname like $1', ['event%copy']),
    ).to.deep.equal([]);
  });

  it('is signed, readable without this program, and found out when a byte of it changes', async () => {
    await givenSessions();
    await run();
    const [entry] = await world.catalog.entries();
    if (entry === undefined) expect.fail('nothing was archived');
    await world.archiving().verify(entry);
    const [data = '', index = '', manifest = ''] = ['.jsonl.gz', '.index', '.jws'].map((end) =>
      join(world.directory, entry.name + end),
    );
    const lines = gunzipSync(await readFile(data))
      .toString()
      .trimEnd()
      .split('\n');
    expect(lines).to.have.length(entry.events);
    for (const path of [data, index, manifest]) {
      const bytes = await readFile(path);
      const changed = Buffer.from(bytes);
      const at = Math.floor(bytes.length / 2);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(path, changed);
      expect(await rejection(world.archiving().verify(entry)), path).to.be.instanceOf(
        DamagedArchive,
      );
      await writeFile(path, bytes);
    }
    await world.archiving().verify(entry);
  });

  it('is unavailable alone when it is away: what the log has is read as before', async () => {
    await givenSessions();
    await run();
    const moved = await archivedStreams();
    const [gone = ''] = moved;
    const present = ids.map((id) => `session-${id}`).find((stream) => !moved.has(stream)) ?? '';
    world.store.failure = new Unavailable('archive');
    const read = async (stream: string) => {
      return (await readAll(world.whole, stream)).length;
    };
    const failed = await rejection(read(gone));
    expect(failed).to.be.instanceOf(Unavailable).and.to.include({ dependency: 'archive' });
    expect(await read(present)).to.equal(2);
    expect(await read(`session-${systemRandomness.timeOrderedUuid()}`)).to.equal(0);
    const seen = collect(world.whole, { after: ((await world.log.head()) ?? 1n) - 1n });
    await append('session-new', sessionStarted('new'));
    await until(() => seen.events.length === 2);
    await seen.stop();
    world.store.failure = null;
    expect(await read(gone)).to.equal(2);
  });

  it('is left out of a rebuilt read model, whose statistics still count it', async () => {
    await givenSessions();
    await run();
    const shown = async () => [
      await world.rows('select * from session_view order by session_id'),
      await world.rows('select * from audit_view order by position'),
      await tallies(),
    ];
    const before = await shown();
    for (const name of ['sessions', 'audit']) {
      await rebuildReadModel(name, {
        ...world,
        bulkWriter: createCopyWriter({ pool: world.pool }),
      });
    }
    expect(await shown()).to.deep.equal(before);
  });

  it('is restored into the log, event by event as it was, and forgotten when nobody can have missed it', async () => {
    await givenSessions();
    const before = await exported();
    const rowsOfLog = () => world.rows('select * from event order by position');
    const all = await rowsOfLog();
    await run();
    for (const entry of await world.catalog.entries()) await world.archiving().restore(entry);
    expect(await rowsOfLog()).to.deep.equal(all);
    expect(await exported()).to.equal(before);
    // Again, as after an interruption.
    for (const entry of await world.catalog.entries()) await world.archiving().restore(entry);
    expect(await rowsOfLog()).to.deep.equal(all);
    expect(
      await world.rows(`select 1 from event e left join stream_head h using (stream)
        where h.stream is null or e.revision > h.revision`),
    ).to.deep.equal([]);
    const longAgo = new Date(0);
    await world.archiving().run(longAgo);
    expect(await readdir(world.directory)).not.to.deep.equal([]);
    await world.archiving({}, () => new Date(Date.now() + 3_600_000)).run(longAgo);
    expect(await readdir(world.directory)).to.deep.equal([]);
    expect(await world.catalog.entries()).to.deep.equal([]);
    expect(await run()).to.deep.equal({ reason: 'newest' });
    expect(await exported()).to.equal(before);
  });

  it('hides nothing from who reads the log while it is restored', async () => {
    await givenSessions();
    const before = await exported();
    await run();
    // The batch was read before the restoring, the archive is asked after it.
    const late = createArchivedEventLog(world.log, {
      ...world.archived,
      between: async function* (...range) {
        for (const entry of await world.catalog.entries()) await world.archiving().restore(entry);
        yield* world.archived.between(...range);
      },
    });
    expect(await text(await exportEvents(late, null))).to.equal(before);
  });

  it('is not written over by a run that had lost its lock', async () => {
    await givenSessions();
    const before = await exported();
    const late = world.archiving({
      // Another run is done before this one gets to the removal, with half of what it had read.
      takeOut: async (entry, events) => {
        const [range] = [{ first: entry.first, last: entry.last }];
        const half = await world.files.write(range, halfOf(events()));
        await world.archivable.takeOut(half, () => world.files.read(half));
        await world.archivable.takeOut(entry, events);
      },
    });
    expect(await rejection(late.run(new Date(Date.now() + 1000)))).to.be.instanceOf(Error);
    expect(await exported()).to.equal(before);
    await run();
    expect(await exported()).to.equal(before);
  });

  it('is believed only as it was written', async () => {
    await givenSessions();
    await run();
    const [entry] = await world.catalog.entries();
    const [stream = ''] = await archivedStreams();
    const path = join(world.directory, `${entry?.name}.jsonl.gz`);
    const forged = gunzipSync(await readFile(path))
      .toString()
      .replaceAll('Expired', 'Claimed');
    await writeFile(path, gzipSync(forged));
    expect(await rejection(readAll(world.whole, stream))).to.be.instanceOf(Unavailable);
  });

  it('is not taken for verified when the catalog says something else of it', async () => {
    await givenSessions();
    await run();
    const verified = async () => {
      for (const entry of await world.catalog.entries()) await world.archiving().verify(entry);
    };
    await verified();
    for (const change of ['events = 0', 'highest_stream = lowest_stream', 'streams = 1']) {
      await world.pool.query('create table kept as select * from archive_entry');
      await world.pool.query(`update archive_entry set ${change}`);
      expect(await rejection(verified()), change).to.be.instanceOf(DamagedArchive);
      await world.pool.query('delete from archive_entry');
      await world.pool.query('insert into archive_entry select * from kept');
      await world.pool.query('drop table kept');
    }
    await verified();
  });

  it('takes nothing out of the log while its directory is away', async () => {
    await givenSessions();
    const events = await hotEvents();
    await rename(world.directory, `${world.directory}-away`);
    expect(await rejection(run())).to.be.instanceOf(Unavailable);
    expect(await hotEvents()).to.equal(events);
    await rename(`${world.directory}-away`, world.directory);
    await run();
    // Another place, where nothing is.
    await givenSessions();
    await rename(world.directory, `${world.directory}-away`);
    await mkdir(world.directory);
    const left = await hotEvents();
    expect(await rejection(run())).to.be.instanceOf(DamagedArchive);
    expect(await hotEvents()).to.equal(left);
    await rm(world.directory, { recursive: true });
    await rename(`${world.directory}-away`, world.directory);
  });

  it('shows each event once in the CSV of an audit that was projected anew', async () => {
    await givenSessions();
    const csv = async () => text(Readable.from(await world.auditCsv.csv({})));
    const before = await csv();
    await run();
    await world.pool.query(`update checkpoint set position = null where name = 'audit'`);
    await append('session-another', sessionStarted('another'));
    await until(async () => (await csv()).split('\n').length > before.split('\n').length);
    await world.settled();
    expect((await csv()).slice(0, before.length)).to.equal(before);
  });

  it('keeps appends waiting for nobody who reads the log for long', async () => {
    await givenSessions();
    const reader = new pg.Client({ connectionString: world.url });
    await reader.connect();
    await reader.query('begin; lock table event in access share mode');
    // Shorter readers are waited for, with a lock that gives up at once.
    await until(
      async () =>
        (
          await world.rows(
            `select from pg_stat_activity where state = 'idle in transaction' and datname = current_database()
               and xact_start < clock_timestamp() - interval '1 second'`,
          )
        ).length > 0,
    );
    const running = run();
    await until(async () => (await world.catalog.entries()).length > 0);
    const waiting: unknown[] = [];
    for (let n = 0; n < 100; n += 1) {
      await world.log.append(`access-${n}`, [anEvent({ n })], 'any');
      waiting.push(...(await world.rows('select mode from pg_locks where not granted')));
    }
    expect((await world.catalog.entries())[0]?.isRemoved).to.equal(false);
    await reader.query('commit');
    await reader.end();
    await running;
    expect((await world.catalog.entries())[0]?.isRemoved).to.equal(true);
    expect(waiting).to.deep.equal([]);
  });
});

async function* halfOf(
  batches: AsyncIterable<readonly LoggedEvent[]>,
): AsyncGenerator<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  const streams = [...new Set(events.map(({ stream }) => stream))];
  const half = new Set(streams.slice(0, Math.ceil(streams.length / 2)));
  yield events.filter(({ stream }) => half.has(stream));
}
