import { text } from 'node:stream/consumers';
import { exportEvents } from '../../../infrastructure/export/exportEvents.ts';
import { systemRandomness } from '../../../infrastructure/system.ts';
import { anEvent } from '../../contracts/eventLogContract.ts';
import {
  recordable,
  sessionConfirmed,
  sessionExpired,
  sessionStarted,
} from '../events/exampleEvents.ts';
import type { LogToArchive, OpenLogToArchive } from './archivableLogs.ts';
import { type ArchiveWorld, type CopiedWorld, openWorldOf } from './archiveWorld.ts';
import { wholeLog } from './auditTreeWorld.ts';

export type ArchiveSteps = ReturnType<typeof archiveSteps>;

/**
 * Steps of tests of the archive, and looks at it.
 *
 * @param given ids of sessions that are there
 */
export function archiveSteps(world: ArchiveWorld, given: readonly string[] = []) {
  /** Sessions there are, oldest first. */
  const ids = [...given];

  function newId(): string {
    const id = systemRandomness.timeOrderedUuid();
    ids.push(id);
    return id;
  }

  async function append(stream: string, ...events: Parameters<typeof recordable>[0][]) {
    await world.eventStore.append(
      stream,
      events.map((event) => recordable(event)),
      'any',
    );
  }

  async function archivedStreams(): Promise<ReadonlySet<string>> {
    const streams = new Set<string>();
    for (const entry of await world.catalog.entries()) {
      for await (const events of world.files.read(entry)) {
        for (const { stream } of events) streams.add(stream);
      }
    }
    return streams;
  }

  return {
    ids,
    newId,
    append,
    /** Sessions that ended, in the midst of other events, enough for some entries. */
    async givenSessions(count = 100): Promise<void> {
      for (let n = 0; n < count; n += 1) {
        const id = newId();
        await append(`session-${id}`, sessionStarted(id));
        await append(`session-${id}`, n % 2 === 0 ? sessionConfirmed() : sessionExpired());
        if (n % 5 === 0) await world.log.append(`access-${n}`, [anEvent({ n })], 'any');
      }
      await world.settled();
    },
    run: (before = new Date(Date.now() + 1000)) => world.archiving().run(before),
    exported: async () => text(await exportEvents(world.whole, null)),
    /** Number of events in the log itself, once the room of what was taken out is given back. */
    async hotEvents(): Promise<number> {
      const gone = await archivedStreams();
      let left = await wholeLog(world.log);
      while (left.some(({ stream }) => gone.has(stream))) {
        await world.toArchive.reclaim();
        left = await wholeLog(world.log);
      }
      return left.length;
    },
    async movedEvents(): Promise<number> {
      return (await world.catalog.entries()).reduce((sum, { events }) => sum + events, 0);
    },
    tallies: () =>
      world.rows(
        'select * from tally where count <> 0 order by metric, bucket, relying_party_id, label',
      ),
    archivedStreams,
  };
}

/** Worlds that are copied, by their log; null: they cannot be. */
const copied = new Map<
  OpenLogToArchive,
  Promise<(CopiedWorld & { readonly ids: readonly string[] }) | null>
>();

/** A world with {@link ArchiveSteps.givenSessions}, made once where the log can be copied. */
export async function openGivenWorld<Log extends LogToArchive>(openLog: OpenLogToArchive<Log>) {
  const made = copied.get(openLog) ?? makeToCopy(openLog);
  copied.set(openLog, made);
  const given = await made;
  if (given !== null) {
    const world = await openWorldOf(openLog, given);
    return { world, steps: archiveSteps(world, given.ids) };
  }
  const world = await openWorldOf(openLog);
  const steps = archiveSteps(world);
  await steps.givenSessions();
  return { world, steps };
}

async function makeToCopy(openLog: OpenLogToArchive) {
  const world = await openWorldOf(openLog);
  try {
    const steps = archiveSteps(world);
    await steps.givenSessions();
    const records = world.toArchive.records();
    if (records === null) return null;
    const { url, vault, pki } = world;
    return { database: new URL(url).pathname.slice(1), records, vault, pki, ids: steps.ids };
  } finally {
    await world.close();
  }
}
