import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { AuditFilter } from '../../application/audit/ports/auditTrail.ts';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { createCopyWriter } from '../../infrastructure/postgres/copyWriter.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import { sessionStarted } from '../support/events/exampleEvents.ts';
import { ENTRY_EVENTS, type OpenLogToArchive } from '../support/worlds/archivableLogs.ts';
import { type ArchiveSteps, archiveSteps, openGivenWorld } from '../support/worlds/archiveSteps.ts';
import { type ArchiveWorld, openWorldOf } from '../support/worlds/archiveWorld.ts';
import { wholeLog } from '../support/worlds/auditTreeWorld.ts';
import { collect, readAll } from './eventLogContract.ts';

/** Contract of every log whose ended sessions can be archived. */
export function archivableLogContract(name: string, openLog: OpenLogToArchive): void {
  describe(`archivable log contract: ${name}`, function () {
    this.timeout(60_000);
    let world: ArchiveWorld;
    let steps: ArchiveSteps;

    beforeEach(async () => {
      ({ world, steps } = await openGivenWorld(openLog));
    });

    afterEach(() => world.close());

    it('takes whole sessions out of the log and its read model, and everything else reads the same', async () => {
      const before = await steps.exported();
      const inLog = await steps.hotEvents();
      const counted = await steps.tallies();

      expect(await steps.run()).to.deep.equal({ reason: 'newest' });

      const entries = await world.catalog.entries();
      expect(entries).to.have.length.greaterThan(1);
      expect(entries.every(({ isRemoved }) => isRemoved)).to.equal(true);
      const moved = entries.reduce((sum, { events }) => sum + events, 0);
      expect(moved).to.be.greaterThan(ENTRY_EVENTS);
      expect(await steps.hotEvents()).to.equal(inLog - moved);
      expect(await steps.exported()).to.equal(before);
      const streams = await steps.archivedStreams();
      expect(streams.size).to.equal(moved / 2);
      const names = [...streams];
      expect(
        await world.rows('select 1 from stream_head where stream = any($1)', [names]),
      ).to.deep.equal([]);
      const sessions = names.map((name) => name.slice('session-'.length));
      expect(
        await world.rows('select 1 from session_view where session_id = any($1)', [sessions]),
      ).to.deep.equal([]);
      expect(await steps.tallies()).to.deep.equal(counted);
    });

    it('is read by session, by event and by range', async () => {
      const positions = (await wholeLog(world.whole)).map(({ position }) => position);
      const all: string[] = [];
      for (const id of steps.ids) {
        for await (const { event, stream } of world.eventStore.read(`session-${id}`)) {
          all.push(`${stream} ${event.type}`);
        }
      }
      await steps.run();

      const again: string[] = [];
      for (const id of steps.ids) {
        for await (const { event, stream } of world.eventStore.read(`session-${id}`)) {
          again.push(`${stream} ${event.type}`);
        }
      }
      expect(again).to.deep.equal(all);
      const [stream = ''] = await steps.archivedStreams();
      const [started, ended] = await world.archived.ofStream(stream);
      expect(started?.revision).to.equal(0n);
      expect(await world.archived.withId(ended?.id ?? '')).to.deep.equal(ended);
      expect(await world.archived.withId(randomUUID())).to.equal(null);
      expect(await world.archived.ofStream(`session-${randomUUID()}`)).to.deep.equal([]);

      const seen = collect(world.whole, { after: positions[50] ?? null });
      await until(() => seen.events.length >= positions.length - 51);
      await seen.caughtUp;
      await seen.stop();
      expect(seen.events.map(({ position }) => position)).to.deep.equal(positions.slice(51));
    });

    it('stays in the audit: in its CSV whatever is asked for, by event id, and proven in the tree', async () => {
      const csv = async (filter: AuditFilter) =>
        text(Readable.from(await world.auditCsv.csv(filter)));
      const filters: readonly AuditFilter[] = [
        {},
        { type: 'SESSION_EXPIRE' },
        { subject: steps.ids[2] ?? '' },
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
      const total = (await world.rows('select 1 from audit_view')).length;
      const stream = `session-${steps.ids[0]}`;
      const [event] = await readAll(world.whole, stream);
      const id = event?.id ?? '';
      const entry = await world.auditTrail.auditEntry(id);
      const place = await world.treeStore.placeOf(id);

      await steps.run();

      expect((await steps.archivedStreams()).has(stream)).to.equal(true);
      const left = await world.rows('select 1 from audit_view where stream = any($1)', [
        [...(await steps.archivedStreams())],
      ]);
      expect(left).to.deep.equal([]);
      const after = await all();
      for (const [index, filter] of filters.entries()) {
        expect(after[index], JSON.stringify(filter)).to.equal(before[index]);
      }
      expect(await world.auditTrail.auditEntry(id)).to.deep.equal(entry);
      expect(await world.treeStore.placeOf(id)).to.deep.equal(place);
      if (world.toArchive.isInPostgres) {
        expect(place?.leaf?.equals(await world.treeProcess.proofs.leaf(place.index))).to.equal(
          true,
        );
      }
      const moved = await steps.movedEvents();
      // Counting goes on behind the first answers.
      await until(async () => {
        const shown = await world.auditTrail.auditEntries({}, { limit: 5, offset: 0 });
        return shown.total === total - moved;
      });
    });

    it('leaves a session that is not over, or not yet long ago, where it is', async () => {
      await world.close();
      world = await openWorldOf(openLog);
      steps = archiveSteps(world);
      const open = steps.newId();
      await steps.append(`session-${open}`, sessionStarted(open));
      await steps.givenSessions();
      expect(await steps.run(new Date(Date.now() - 3_600_000))).to.deep.equal({
        reason: 'notOldEnough',
      });
      expect(await world.catalog.entries()).to.deep.equal([]);
      await steps.run();
      expect((await steps.archivedStreams()).has(`session-${open}`)).to.equal(false);
      expect(
        await world.rows('select 1 from session_view where session_id = $1', [open]),
      ).to.have.length(1);
    });

    it('waits for whatever follows the log', async () => {
      await world.pool.query(
        `insert into checkpoint (name, position) values ('a reactor that is behind', 3)`,
      );
      expect(await steps.run()).to.deep.equal({
        reason: 'behind',
        follower: 'a reactor that is behind',
      });
      expect(await world.catalog.entries()).to.deep.equal([]);
    });

    it('waits for a rebuild without keeping a snapshot', async () => {
      const key = `hashtextextended('tamga-rebuild-sessions', 0)`;
      const rebuild = await world.pool.connect();
      await rebuild.query(`select pg_advisory_lock(${key})`);
      expect(await steps.run()).to.deep.equal({
        reason: 'behind',
        follower: 'rebuild of sessions',
      });
      await rebuild.query(`select pg_advisory_unlock(${key})`);
      rebuild.release();
      expect(await steps.run()).to.deep.equal({ reason: 'newest' });
    });

    it('is left out of a rebuilt read model, whose statistics still count it', async () => {
      await steps.run();
      const shown = async () => [
        await world.rows('select * from session_view order by session_id'),
        await world.rows('select * from audit_view order by position'),
        await steps.tallies(),
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

    it('is not written over by a run that had lost its lock', async () => {
      const before = await steps.exported();
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
      expect(await steps.exported()).to.equal(before);
      await steps.run();
      expect(await steps.exported()).to.equal(before);
    });

    it('shows each event once in the CSV of an audit that was projected anew', async () => {
      const csv = async () => text(Readable.from(await world.auditCsv.csv({})));
      const before = await csv();
      await steps.run();
      await world.pool.query(`update checkpoint set position = null where name = 'audit'`);
      await steps.append('session-another', sessionStarted('another'));
      const settled = world.settled();
      await until(async () => (await csv()).split('\n').length > before.split('\n').length);
      await settled;
      expect((await csv()).slice(0, before.length)).to.equal(before);
    });
  });
}

async function* halfOf(
  batches: AsyncIterable<readonly LoggedEvent[]>,
): AsyncGenerator<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  const streams = [...new Set(events.map(({ stream }) => stream))];
  const half = new Set(streams.slice(0, Math.ceil(streams.length / 2)));
  yield events.filter(({ stream }) => half.has(stream));
}
