import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { RecordedEvent } from '../../../application/ports/eventStore.ts';
import type { EventDeclarations } from '../../../domain/shared/defineEvents.ts';
import { sha256Hex } from '../../../domain/shared/digest.ts';
import { createEventEncoding } from '../../../infrastructure/codec/eventEncoding.ts';
import { foldOf } from '../../../projections/engine/foldVersions.ts';
import type { AnyReadModel, AnyRow } from '../../../projections/engine/readModel.ts';
import { readModels } from '../../../projections/readModels.ts';
import { asLogged, fixtureVault, readFixtures } from './eventFixtures.ts';

const RECORDS = 'test/fixtures/folds.json';

/** Golden fixtures as one version of a read model's fold makes rows of them. */
export interface FoldRecord {
  readonly version: number;
  /** Their names. */
  readonly columns: string;
  /** Digests of rows and counts, by fixture: folded alone, and after the first fixture that makes a row. */
  readonly rows: Readonly<Record<string, string>>;
}

export type FoldRecords = Readonly<Record<string, FoldRecord>>;

/** The records of all read models as they are now. */
export async function foldRecords(): Promise<FoldRecords> {
  const vault = await fixtureVault();
  const { decode } = createEventEncoding({ vault });
  const fixtures: { readonly name: string; readonly recorded: RecordedEvent }[] = [];
  for (const { name, encoded } of await readFixtures()) {
    fixtures.push({ name, recorded: await decode(asLogged(encoded)) });
  }
  return Object.fromEntries(readModels.map((model) => [model.name, recordOf(model, fixtures)]));
}

/** The records as they were committed. */
export async function committedRecords(): Promise<FoldRecords> {
  return existsSync(RECORDS) ? (JSON.parse(await readFile(RECORDS, 'utf8')) as FoldRecords) : {};
}

/** Read models whose rows or columns are others than those of their version, with the first fixture or column. */
export function changedFolds(committed: FoldRecords, now: FoldRecords): readonly string[] {
  return Object.entries(committed).flatMap(([name, before]) => {
    const after = now[name];
    if (after === undefined || after.version !== before.version) return [];
    const known = new Set(before.columns.split(' '));
    const column = after.columns.split(' ').find((each) => !known.has(each));
    const fixture = Object.keys(before.rows).find((each) => before.rows[each] !== after.rows[each]);
    const what = column ?? fixture;
    return what === undefined ? [] : [`${name}: ${what}`];
  });
}

/** Writes what is new; the records of a version that is there stay. */
export async function writeFoldRecords(): Promise<void> {
  const committed = await committedRecords();
  const now = await foldRecords();
  const changed = changedFolds(committed, now);
  if (changed.length > 0) throw new Error(`Raise the versions of ${changed.join(', ')}.`);
  await writeFile(RECORDS, `${JSON.stringify(now, null, 2)}\n`);
}

function recordOf(
  model: AnyReadModel,
  fixtures: readonly { readonly name: string; readonly recorded: RecordedEvent }[],
): FoldRecord {
  const declared: readonly EventDeclarations[] =
    'category' in model.events ? [model.events] : model.events;
  const types = new Set(declared.flatMap(({ events }) => Object.keys(events)));
  const own = fixtures.filter(({ recorded }) => types.has(recorded.event.type));
  const fold = (row: AnyRow | undefined, recorded: RecordedEvent): AnyRow | undefined => {
    try {
      return model.evolve(row, recorded.event, 'fixture', recorded);
    } catch {
      // An event that begins no stream, at its beginning.
      return undefined;
    }
  };
  const first = own.map(({ recorded }) => fold(undefined, recorded)).find((row) => row);
  const shown = (row: AnyRow | undefined) => ({ row, tally: row && model.tally?.(row) });
  return {
    version: foldOf(model),
    columns: Object.keys(model.columns).sort().join(' '),
    rows: Object.fromEntries(
      own.map(({ name, recorded }) => {
        const rows = [fold(undefined, recorded), fold(first, recorded)].map(shown);
        const text = JSON.stringify(rows, (_key, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        );
        return [name, sha256Hex(text).slice(0, 12)];
      }),
    ),
  };
}
