import { inStatements } from './statements.ts';

/** Delayed and retried work of the in-process runner. */
export const jobs = inStatements([
  `create table job (
    id text primary key,
    name text not null,
    payload jsonb not null,
    -- WAITING until it succeeded (DONE) or was given up (FAILED).
    state text not null default 'WAITING',
    -- When to run it next; while it runs, when another process may take it over.
    due_at timestamptz not null default now(),
    attempts integer not null default 0,
    last_error text,
    created_at timestamptz not null default now(),
    ended_at timestamptz
  )`,
  `create index job_due on job (due_at) where state = 'WAITING'`,
  'create index job_ended on job (ended_at) where ended_at is not null',
]);
