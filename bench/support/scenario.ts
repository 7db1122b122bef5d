import type { EmbeddedServer } from '../../infrastructure/postgres/embedded.ts';
import type { Row } from './measure.ts';

/** What a scenario works with. */
export interface Bench {
  /** The run's own PostgreSQL, started on first use. */
  postgres(): Promise<EmbeddedServer>;
  /** A fresh, empty database on it; returns its URL. */
  freshDatabase(purpose: string): Promise<string>;
  /** A directory that is removed at the end. */
  readonly directory: string;
  /** Interleaved runs of each contestant. */
  readonly rounds: number;
  /** Wakes P3 counts lost ones among, beside those it times. */
  readonly wakes: number;
  /** Tiny sizes, to see that the scenario works; its numbers mean nothing. */
  readonly quick: boolean;
  /** Picks a size: the full one, or the tiny one of a quick run. */
  size(full: number, quick: number): number;
  /** One line on standard error. */
  progress(text: string): void;
  /** Something worth a line under the table, for example why a peer is missing. */
  note(text: string): void;
  /** Runs at the end, last registered first. */
  atEnd(stop: () => Promise<void>): void;
}

/** One numbered measurement of `performance.md` §3. */
export interface Scenario {
  /** For example `P1`. */
  readonly id: string;
  readonly title: string;
  run(bench: Bench): Promise<readonly Row[]>;
}
