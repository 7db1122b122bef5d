import type { Identity } from '../../domain/citizen/events.ts';
import type { PersonIdentifier } from '../../domain/shared/etsi.ts';

export interface CivilRecord {
  /** 12 digits. */
  readonly civilId: string;
  readonly identity: Identity;
  /** Number of the identity card in force; null when none. */
  readonly cardNumber: string | null;
  /** Absent: unknown. */
  readonly email?: string;
}

/** The national register of persons. @throws Unavailable(civilRegistry) */
export interface CivilRegistry {
  find(identifier: PersonIdentifier): Promise<CivilRecord | null>;
}
