import type { CivilRecord, CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type { PersonTraces } from '../../application/citizen/ports/personTraces.ts';

/** A writable civil register: in PostgreSQL, or in memory for tests. */
export interface CivilRegistryStore extends CivilRegistry, PersonTraces {
  /**
   * Adds records or replaces those of the same civil id; all of them or none. Forgotten persons are left out.
   *
   * @param records each civil id and each registration number once
   * @throws RegistrationNumberTaken
   */
  save(records: readonly CivilRecord[]): Promise<Saved>;
}

export interface Saved {
  /** Records added or changed. */
  readonly written: number;
  readonly unchanged: number;
  /** Skipped records of forgotten persons. */
  readonly forgotten: number;
}

/** Two persons with one registration number. */
export class RegistrationNumberTaken extends Error {
  override readonly name = 'RegistrationNumberTaken';

  constructor() {
    super('A registration number belongs to another civil id already.');
  }
}
