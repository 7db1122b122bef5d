import type { RecordChange } from '../../../domain/registerImport/events.ts';

/** A line of a file that is not imported. It quotes nothing of the line, which may hold personal data. */
export interface RefusedLine {
  /** From 1, the header of a CSV file being line 1. */
  readonly line: number;
  /** Says what is wrong, and what to do where that does not follow from it. */
  readonly reason: string;
}

/** A valid line of a file. */
export interface EntryLine<Entry> {
  readonly line: number;
  readonly entry: Entry;
}

/** Outcome of saving an entry; `FORGOTTEN`: left out, for the person was forgotten. */
export type Verdict =
  RecordChange | 'UNCHANGED' | 'FORGOTTEN' | { readonly refused: RefusedLine['reason'] };

/** A register that this installation keeps a copy of. @throws Unavailable */
export interface WritableRegister<Entry> {
  /** Compares entries, each of them once, with the register, as if saved one after the other. */
  compare(entries: readonly Entry[]): Promise<readonly Verdict[]>;
  /** Adds entries that were compared, or replaces those of the same identifier; all of them or none. */
  save(entries: readonly Entry[]): Promise<void>;
}

/**
 * Runs work while no other process runs work of that name.
 *
 * @throws Error when another one does
 */
export type AloneIn = <T>(name: string, work: () => Promise<T>) => Promise<T>;
