import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { type ArchiveEntry, DamagedArchive } from '../../application/archive/ports/archive.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { directoryBytes } from '../../infrastructure/archive/archiveIndex.ts';
import { exportEvents } from '../../infrastructure/export/exportEvents.ts';
import { systemRandomness } from '../../infrastructure/system.ts';
import { archivableLogContract } from '../contracts/archivableLogContract.ts';
import { anEvent, collect, readAll } from '../contracts/eventLogContract.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import { sessionStarted } from '../support/events/exampleEvents.ts';
import { logInPostgres } from '../support/worlds/archivableLogs.ts';
import { type ArchiveSteps, openGivenWorld } from '../support/worlds/archiveSteps.ts';
import type { ArchiveWorld } from '../support/worlds/archiveWorld.ts';
import { wholeLog } from '../support/worlds/auditTreeWorld.ts';

archivableLogContract('PostgreSQL', logInPostgres);

describe('The archive of ended sessions', function () {
  this.timeout(60_000);
  let world: ArchiveWorld;
  let steps: ArchiveSteps;

  beforeEach(async () => {
    ({ world, steps } = await openGivenWorld(logInPostgres));
  });

  afterEach(() => world.close());

  it('has events in exactly one place wherever it was interrupted, and goes on from there', async () => {
    const before = await steps.exported();
    const inLog = await steps.hotEvents();
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
      const moved = await steps.movedEvents();
      expect(await steps.hotEvents()).to.equal(inLog - moved);
      expect(await steps.exported()).to.equal(before);
    }
    await steps.run();
    expect((await world.catalog.entries()).every(({ isRemoved }) => isRemoved)).to.equal(true);
    expect(await steps.exported()).to.equal(before);
  });

  it('gives the room of a partition back', async () => {
    const partition = async () =>
      (await world.rows<{ oid: number }>(`select 'event_from_1'::regclass::oid as oid`))[0]?.oid;
    const before = await partition();
    await steps.run();
    expect(await partition()).not.to.equal(before);
    expect(
      await world.rows('select 1 from pg_class where relname like $1', ['event%copy']),
    ).to.deep.equal([]);
  });

  it('is signed, readable without this program, and found out when a byte of it changes', async () => {
    await steps.run();
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

  it('fails alone: what the log still has is read as before', async () => {
    await steps.run();
    const moved = await steps.archivedStreams();
    const [gone = ''] = moved;
    const present =
      steps.ids.map((id) => `session-${id}`).find((stream) => !moved.has(stream)) ?? '';
    world.store.failure = new Unavailable('archive');
    const read = async (stream: string) => {
      return (await readAll(world.whole, stream)).length;
    };
    const failed = await rejection(read(gone));
    expect(failed).to.be.instanceOf(Unavailable).and.to.include({ dependency: 'archive' });
    expect(await read(present)).to.equal(2);
    expect(await read(`session-${systemRandomness.timeOrderedUuid()}`)).to.equal(0);
    const seen = collect(world.whole, { after: ((await world.log.head()) ?? 1n) - 1n });
    await steps.append('session-new', sessionStarted('new'));
    await until(() => seen.events.length === 2);
    await seen.stop();
    world.store.failure = null;
    expect(await read(gone)).to.equal(2);
  });

  it('is restored into the log, event by event as it was, and forgotten when nobody can have missed it', async () => {
    const before = await steps.exported();
    const rowsOfLog = () => world.rows('select * from event order by position');
    const all = await rowsOfLog();
    await steps.run();
    for (const entry of await world.catalog.entries()) await world.archiving().restore(entry);
    expect(await rowsOfLog()).to.deep.equal(all);
    expect(await steps.exported()).to.equal(before);
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
    expect(await steps.run()).to.deep.equal({ reason: 'newest' });
    expect(await steps.exported()).to.equal(before);
  });

  it('hides nothing from who reads the log while it is restored', async () => {
    const before = await steps.exported();
    await steps.run();
    // The batch was read before the restoring, the archive is asked after it.
    const late = createEventLog({
      store: world.log,
      archive: {
        ...world.archived,
        between: async function* (...range) {
          for (const entry of await world.catalog.entries()) await world.archiving().restore(entry);
          yield* world.archived.between(...range);
        },
      },
      vault: world.vault,
    });
    expect(await text(await exportEvents(late.encoded, null))).to.equal(before);
  });

  it('is believed only as it was written', async () => {
    await steps.run();
    const [entry] = await world.catalog.entries();
    const [stream = ''] = await steps.archivedStreams();
    const path = join(world.directory, `${entry?.name}.jsonl.gz`);
    const forged = gunzipSync(await readFile(path))
      .toString()
      .replaceAll('Expired', 'Claimed');
    await writeFile(path, gzipSync(forged));
    expect(await rejection(readAll(world.whole, stream))).to.be.instanceOf(Unavailable);
  });

  it('R2: hides no session when the keys of its index are changed', async () => {
    await steps.run();
    const [entry] = await world.catalog.entries();
    const [stream = ''] = await steps.archivedStreams();
    const path = join(world.directory, `${entry?.name}.index`);
    const index = await readFile(path);
    const keys = directoryBytes(index);
    await writeFile(
      path,
      Buffer.concat([index.subarray(0, keys), Buffer.alloc(index.length - keys)]),
    );
    expect(await rejection(readAll(world.whole, stream))).to.be.instanceOf(Unavailable);
  });

  it('N19: reads no more of an object than the catalog says it has', async () => {
    await steps.run();
    const [entry] = await world.catalog.entries();
    const [stream = ''] = await steps.archivedStreams();
    const path = join(world.directory, `${entry?.name}.index`);
    const head = Buffer.from(await readFile(path));
    // A number of blocks whose directory would take 200 GB.
    head.writeUInt32BE(0xffff_ffff, 8);
    await writeFile(path, head);
    expect(await rejection(readAll(world.whole, stream))).to.be.instanceOf(Unavailable);
    await writeFile(path, Buffer.alloc(10 * 1024 * 1024));
    const damaged = world.archiving().verify(entry as ArchiveEntry);
    expect(await rejection(damaged)).to.be.instanceOf(DamagedArchive);
  });

  it('is not taken for verified when the catalog says something else of it', async () => {
    await steps.run();
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

  it('takes nothing out of the log while its directory is unavailable', async () => {
    const hotEvents = async () => (await wholeLog(world.log)).length;
    const events = await hotEvents();
    await rename(world.directory, `${world.directory}-away`);
    expect(await rejection(steps.run())).to.be.instanceOf(Unavailable);
    expect(await hotEvents()).to.equal(events);
    await rename(`${world.directory}-away`, world.directory);
    await steps.run();
    // Another place, where nothing is.
    await steps.givenSessions();
    await rename(world.directory, `${world.directory}-away`);
    await mkdir(world.directory);
    const left = await hotEvents();
    expect(await rejection(steps.run())).to.be.instanceOf(DamagedArchive);
    expect(await hotEvents()).to.equal(left);
    await rm(world.directory, { recursive: true });
    await rename(`${world.directory}-away`, world.directory);
  });

  it('keeps appends waiting for nobody who reads the log for long', async () => {
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
    const running = steps.run();
    await until(async () => (await world.catalog.entries()).length > 0);
    const waiting: unknown[] = [];
    for (let n = 0; n < 100; n += 1) {
      await world.log.append(`access-${n}`, [anEvent({ n })], 'any');
      const waits = `select mode from pg_locks join pg_stat_activity using (pid)
                     where not granted and datname = current_database()`;
      waiting.push(...(await world.rows(waits)));
    }
    expect((await world.catalog.entries())[0]?.isRemoved).to.equal(false);
    await reader.query('commit');
    await reader.end();
    await running;
    expect((await world.catalog.entries())[0]?.isRemoved).to.equal(true);
    expect(waiting).to.deep.equal([]);
  });
});
