import type { EmbeddedServer } from '../../../infrastructure/postgres/embedded.ts';
import type { Row } from './measure.ts';

/** Resources of a scenario. */
export interface Bench {
  /** PostgreSQL server of the run, started on first use. */
  postgres(): Promise<EmbeddedServer>;
  /** Creates an empty database on it. @returns its URL */
  freshDatabase(purpose: string): Promise<string>;
  /** Temporary directory, removed at the end. */
  readonly directory: string;
  /** Interleaved runs of each contestant. */
  readonly rounds: number;
  /** Polls among which P3 counts lost wake-ups, besides those it times. */
  readonly wakes: number;
  /** Tiny sizes, as a smoke test; the figures mean nothing. */
  readonly quick: boolean;
  /** Chooses a size: the full one, or the tiny one of a quick run. */
  size(full: number, quick: number): number;
  /** Writes a line to standard error. */
  progress(text: string): void;
  /** Adds a note below the table, for example why a peer is missing. */
  note(text: string): void;
  /** Registers a cleanup, run in reverse order. */
  atEnd(stop: () => Promise<void>): void;
}

/** A numbered measurement of `performance.md` §3. */
export interface Scenario {
  /** Id, for example `P1`. */
  readonly id: string;
  readonly title: string;
  run(bench: Bench): Promise<readonly Row[]>;
}
