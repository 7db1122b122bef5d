import type { ColumnType } from 'kysely';
import type { TableOf } from './engine/columns.ts';
import type { readModels } from './readModels.ts';

type Models = (typeof readModels)[number];

type ReadModelTables = { readonly [Each in Models as Each['table']]: TableOf<Each['columns']> };

/** Checkpoint of each subscriber. */
export interface CheckpointTable {
  readonly name: string;
  /** Null: at the beginning. */
  readonly position: bigint | null;
  readonly moved_at: ColumnType<Date, never, never>;
}

/** The tables of the read side. */
export interface Database extends ReadModelTables {
  readonly checkpoint: CheckpointTable;
}
