/** An event that a reactor failed to react to and left behind. */
export interface DeadLetter {
  readonly reactor: string;
  readonly eventId: string;
  readonly stream: string;
  readonly revision: bigint;
  /** Class of the last error. */
  readonly error: string;
  /** Failed attempts. */
  readonly attempts: number;
}

/** List of the events reactors failed at and skipped. */
export interface DeadLetters {
  /** Adds a letter, or the attempts of one that is there. */
  add(letter: DeadLetter): Promise<void>;
}

/** Dead letters for operators. */
export interface DeadLetterList extends DeadLetters {
  list(): Promise<readonly (DeadLetter & { readonly since: Date })[]>;
  /** Number by reactor; those without any are left out. */
  counts(): Promise<ReadonlyMap<string, number>>;
  remove(letter: Pick<DeadLetter, 'reactor' | 'eventId'>): Promise<void>;
}
