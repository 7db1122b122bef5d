import type { ColumnType } from 'kysely';
import type { IssuingAuthority } from '../domain/certificate/events.ts';
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
  /** Version of the fold that made a read model's rows; 0: a release that does not say. */
  readonly fold: ColumnType<number, never, number>;
}

/** Parked events: an event that could not be projected, and later ones of the same row. */
export interface ParkedEventTable {
  readonly read_model: string;
  readonly position: bigint;
  readonly row_key: string;
  readonly event_id: string;
  readonly stream: string;
  readonly revision: bigint;
  /** Null: it only waits behind one that failed. */
  readonly error: string | null;
  readonly attempts: number;
  readonly since: ColumnType<Date, never, never>;
  readonly retry_wanted: boolean;
  readonly skipped_at: ColumnType<Date | null, Date, Date>;
}

/** Revocations of certificates that were issued after the backup a log was restored from (ADR 57). */
export interface LostRevocationTable {
  readonly serial: string;
  readonly authority: IssuingAuthority;
  readonly reason: number;
  readonly revoked_at: Date;
  readonly not_after: Date;
}

/** The tables of the read side. */
export interface Database extends ReadModelTables {
  readonly checkpoint: CheckpointTable;
  readonly parked_event: ParkedEventTable;
  readonly lost_revocation: LostRevocationTable;
}
