import type { CivilRecord, CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type { PersonTraces } from '../../application/ports/personTraces.ts';

/** A civil register that can be filled: in PostgreSQL, or in memory for tests. */
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
  /** Records of forgotten persons, left out. */
  readonly forgotten: number;
}

/** Two persons with one registration number. */
export class RegistrationNumberTaken extends Error {
  override readonly name = 'RegistrationNumberTaken';

  constructor() {
    super('A registration number belongs to another civil id already.');
  }
}
