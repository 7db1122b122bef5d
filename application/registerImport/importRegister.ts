import type {
  RecordChange,
  RegisterImportEvent,
  RegisterName,
} from '../../domain/registerImport/events.ts';
import { type CommandContext, createJournal, type JournalDependencies } from '../handleCommand.ts';
import type {
  AloneIn,
  EntryLine,
  RefusedLine,
  Verdict,
  WritableRegister,
} from './ports/writableRegister.ts';
import { createSeenValues } from './seenValues.ts';

/** Numbers of lines. */
export interface ImportCounts {
  /** Lines read, without header and empty ones. */
  readonly lines: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Left out: persons who were forgotten. */
  readonly forgotten: number;
  readonly refused: number;
}

export interface ImportReport extends ImportCounts {
  readonly register: RegisterName;
  /** Nothing was written. */
  readonly dryRun: boolean;
  /** The import's events are found by it; null for a dry run, which leaves none. */
  readonly importId: string | null;
  /** SHA-256 of the file, lower-case hexadecimal. */
  readonly digest: string;
  /** The first {@link MOST_REFUSALS} refused lines, in order. */
  readonly refusals: readonly RefusedLine[];
}

/** A register, and what its entries are told apart and recorded by. */
export interface ImportedRegister<Entry> {
  readonly name: RegisterName;
  readonly store: WritableRegister<Entry>;
  /** Columns whose values no two lines share. All are remembered, so numbers, which take less memory, are better. */
  readonly unique: Readonly<Record<string, (entry: Entry) => string | number>>;
  readonly imported: (
    entry: Entry,
    record: { readonly importId: string; readonly change: RecordChange; readonly line: number },
  ) => RegisterImportEvent;
}

export interface ImportWish<Entry> {
  readonly register: ImportedRegister<Entry>;
  readonly lines: AsyncIterable<EntryLine<Entry> | RefusedLine>;
  readonly digest: string;
  readonly dryRun: boolean;
  /** Called after each batch with the numbers so far. */
  readonly onProgress?: ((soFar: ImportCounts) => void) | undefined;
}

export interface ImportDependencies extends JournalDependencies {
  readonly aloneIn: AloneIn;
}

/** Records compared, recorded and saved together. An append of EventStoreDB holds 1 MB at most, these a quarter of it. */
const BATCH = 500;
/** Refused lines a report names; with more of them the file is another one than was meant. */
const MOST_REFUSALS = 1000;

/**
 * Brings the lines of a file into a register. A refused line does not keep the others back; of several lines with one
 * identifier the first counts. A batch is recorded before it is saved: an interrupted import is continued by the same
 * again, which finds what was saved unchanged, and no change is without its event.
 *
 * @throws Unavailable; Error when another import into this register runs
 */
export async function importRegister<Entry>(
  dependencies: ImportDependencies,
  wish: ImportWish<Entry>,
  context: CommandContext,
): Promise<ImportReport> {
  const { register, digest, dryRun } = wish;
  if (dryRun) {
    const read = await readAll(wish, () => Promise.resolve());
    return { register: register.name, dryRun, importId: null, digest, ...read };
  }
  const { aloneIn, clock, randomness } = dependencies;
  const journal = createJournal<RegisterImportEvent>('registerImport', dependencies);
  const importId = randomness.uuid();
  const about = { register: register.name, digest };
  return aloneIn(`register import ${register.name}`, async () => {
    const started = { ...about, startedAt: clock.now().toISOString() };
    await journal.record(importId, { type: 'RegisterImportStarted', data: started }, context);
    const { refusals, ...counts } = await readAll(wish, async (changed) => {
      const events = changed.map(({ entry, line, change }) =>
        register.imported(entry, { importId, change, line }),
      );
      await journal.recordAll(importId, events, context);
      await register.store.save(changed.map(({ entry }) => entry));
    });
    const completed = {
      register: register.name,
      ...counts,
      completedAt: clock.now().toISOString(),
    };
    await journal.record(importId, { type: 'RegisterImportCompleted', data: completed }, context);
    return { ...about, dryRun, importId, ...counts, refusals };
  });
}

type Changed<Entry> = EntryLine<Entry> & { readonly change: RecordChange };

/** @param write receives the changed entries of a batch, if there are any */
async function readAll<Entry>(
  { register: { store, unique }, lines, onProgress }: ImportWish<Entry>,
  write: (changed: readonly Changed<Entry>[]) => Promise<void>,
): Promise<ImportCounts & Pick<ImportReport, 'refusals'>> {
  const counts = { lines: 0, added: 0, changed: 0, unchanged: 0, forgotten: 0, refused: 0 };
  const refusals: RefusedLine[] = [];
  const columns = Object.entries(unique).map(([column, valueOf]) => {
    return { column, valueOf, seen: createSeenValues() };
  });
  let batch: EntryLine<Entry>[] = [];

  function refuse({ line, reason }: RefusedLine): void {
    counts.refused += 1;
    if (refusals.length < MOST_REFUSALS) refusals.push({ line, reason });
  }

  function judged(each: EntryLine<Entry>, verdict: Verdict | undefined): Changed<Entry> | null {
    if (typeof verdict === 'object') refuse({ line: each.line, reason: verdict.refused });
    else if (verdict === 'UNCHANGED') counts.unchanged += 1;
    else if (verdict === 'FORGOTTEN') counts.forgotten += 1;
    else if (verdict !== undefined) {
      counts[verdict === 'ADDED' ? 'added' : 'changed'] += 1;
      return { ...each, change: verdict };
    }
    return null;
  }

  /** The column whose value an earlier line has; null: all are new. */
  function repeated(entry: Entry): string | null {
    const found = columns.find(({ valueOf, seen }) => seen.has(valueOf(entry)));
    if (found !== undefined) return found.column;
    for (const { valueOf, seen } of columns) seen.add(valueOf(entry));
    return null;
  }

  async function finishBatch(): Promise<void> {
    const verdicts = await store.compare(batch.map(({ entry }) => entry));
    const changed = batch.flatMap((each, index) => judged(each, verdicts[index]) ?? []);
    batch = [];
    if (changed.length > 0) await write(changed);
    onProgress?.({ ...counts });
  }

  for await (const one of lines) {
    counts.lines += 1;
    const column = 'reason' in one ? null : repeated(one.entry);
    if ('reason' in one) refuse(one);
    else if (column === null) batch.push(one);
    else
      refuse({ line: one.line, reason: `${column} is also in an earlier line. Keep one of them.` });
    if (batch.length === BATCH) await finishBatch();
  }
  await finishBatch();
  refusals.sort((one, other) => one.line - other.line);
  return { ...counts, refusals };
}
