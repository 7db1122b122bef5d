import { inStatements } from './statements.ts';

/** Events that could not be folded into a row of a read model, and those of the same row behind them. */
export const parkedEvents = inStatements([
  `create table parked_event (
    read_model text not null,
    position int8 not null,
    row_key text not null,
    event_id text not null,
    stream text not null,
    revision int8 not null,
    -- Class of the error; null: it only waits behind one that failed.
    error text,
    attempts integer not null default 0,
    since timestamptz not null default now(),
    retry_wanted boolean not null default false,
    -- Left out for good, also by rebuilds.
    skipped_at timestamptz,
    primary key (read_model, position)
  )`,
  'create index parked_event_row on parked_event (read_model, row_key, position)',
]);
