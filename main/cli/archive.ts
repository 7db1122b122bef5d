import type { ArchivingProgress } from '../../application/archive/archiving.ts';
import type { CatalogedEntry, NothingToArchive } from '../../application/archive/ports/archive.ts';
import type { Service } from '../main.ts';
import { commandConfig, withService } from './openService.ts';
import { say } from './say.ts';

const DAY_MS = 86_400_000;

export interface RunOptions {
  /** ISO 8601; default: what SVC_SESSION_RETENTION says. */
  readonly before?: string;
  /** Scavenges the nodes of EventStoreDB afterwards. */
  readonly scavenge?: true;
}

/** Archives sessions that ended before a moment. */
export async function run({ before, scavenge }: RunOptions): Promise<void> {
  const moment = momentOf(before);
  if (scavenge === true && commandConfig().SVC_EVENTSTORE_ARCHIVE_URL === undefined) {
    throw new Error(
      '--scavenge works with EventStoreDB only and needs SVC_EVENTSTORE_ARCHIVE_URL (docs/eventstoredb.md, Rights). Nothing was archived.',
    );
  }
  await withService(
    async ({ archive }) => {
      const outcome = await archive.run(moment, {
        onProgress: showProgress,
        onArchived: ({ name, streams, events, bytes }) =>
          say(`\r${name}: ${streams} sessions, ${events} events, ${megabytes(bytes)}.`),
      });
      say(outcome === null ? 'Interrupted.' : endings[outcome.reason](outcome));
      if (scavenge !== true) return;
      const outcomes = await archive.scavenge({
        onStarted: (node) => process.stderr.write(`${node}: scavenging …`),
        onEnded: ({ node, spaceSaved, failure }) =>
          say(
            spaceSaved === null
              ? `\r${node}: not scavenged. ${failure}`
              : `\r${node}: scavenged, ${megabytes(spaceSaved)} freed.`,
          ),
      });
      const failed = outcomes.filter(({ spaceSaved }) => spaceSaved === null);
      if (failed.length === 0) return;
      throw new Error(
        `${failed.length} of ${outcomes.length} nodes were not scavenged. Fix the cause and run the command again.`,
      );
    },
    { keys: true },
  );
}

/** Lists what the archive holds. */
export async function list(): Promise<void> {
  await withService(async ({ archive }) => {
    const entries = await archive.entries();
    if (entries.length === 0) say('The archive is empty.');
    for (const { name, streams, events, bytes, archivedAt, restoredAt } of entries) {
      const state = restoredAt === null ? '' : '  restored';
      say(
        `${name}  ${archivedAt.toISOString()}  ${streams} sessions  ${events} events  ${megabytes(bytes)}${state}`,
      );
    }
  });
}

/** Reads entries back and compares them with what was signed. @param name of one; default: all */
export async function verify(name: string | undefined): Promise<void> {
  await withService(
    async ({ archive }) => {
      for (const entry of await entriesOf(archive, name)) {
        process.stderr.write(`${entry.name} …`);
        await archive.verify(entry);
        say(`\r${entry.name}: ${entry.events} events, as they were signed.`);
      }
    },
    { keys: true },
  );
}

/** Puts an entry back into the log, then rebuilds the read models that show it. */
export async function restore(name: string): Promise<void> {
  await withService(
    async (service) => {
      for (const entry of await entriesOf(service.archive, name)) {
        await service.archive.restore(entry);
        say(`${entry.name}: ${entry.events} events are in the log again.`);
      }
      for (const name of ['sessions', 'audit']) {
        await service.rebuild(name, (events) => process.stderr.write(`\r${events} events …`));
        say(`\n${name}: rebuilt.`);
      }
    },
    { keys: true },
  );
}

async function entriesOf(
  archive: Service['archive'],
  name: string | undefined,
): Promise<readonly CatalogedEntry[]> {
  const entries = await archive.entries();
  if (name === undefined) return entries;
  const found = entries.filter((entry) => entry.name === name);
  if (found.length > 0) return found;
  throw new Error(`The archive has no entry ${name}. Run ./tamga archive list to see its entries.`);
}

function momentOf(before: string | undefined): Date {
  const days = commandConfig().SVC_SESSION_RETENTION ?? NaN;
  const moment = new Date(before ?? Date.now() - days * DAY_MS);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw new Error(
    before === undefined
      ? 'Give a date (--before 2026-01-31), or set SVC_SESSION_RETENTION to a number of days.'
      : `${before} is not a date. Write it as 2026-01-31 or 2026-01-31T12:00:00Z.`,
  );
}

const endings: Readonly<Record<NothingToArchive['reason'], (why: NothingToArchive) => string>> = {
  notOldEnough: () => 'The remaining events are not old enough.',
  newest: () =>
    'The remaining events are at the end of the log, which is never archived (docs/operations.md, Archive).',
  behind: (why) =>
    `The remaining events wait for ${'follower' in why ? why.follower : ''}, which has not processed them yet.`,
};

function showProgress({ step, events, range }: ArchivingProgress): void {
  const what = events === undefined ? step : `${step}, ${events} events`;
  process.stderr.write(`\r${range.first} to ${range.last}: ${what} …`);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
