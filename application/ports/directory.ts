import type { PersonIdentifier } from '../../domain/shared/etsi.ts';
import type { OrganizationRecord } from './organizationRegistry.ts';

/** A person as the directory has them; what it does not know is null. */
export interface DirectoryPerson {
  /** 12 digits; null when the directory does not say. */
  readonly civilId: string | null;
  /** The citizen's number in the core registry. */
  readonly coreId: number | null;
  /** Father's name and given name. */
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  /** Lower case. */
  readonly registrationNumber: string;
}

/** Looks persons and organizations up by registration number, whether the platform has met them or not. */
export interface Directory {
  /** @throws DirectoryFailure, Unavailable */
  person(identifier: PersonIdentifier): Promise<DirectoryPerson | null>;
  /** @param register upper case @throws DirectoryFailure, Unavailable */
  organization(register: string): Promise<OrganizationRecord | null>;
}

/** The system behind the directory did not answer, or not with what can be understood. The message names no person. */
export class DirectoryFailure extends Error {
  override readonly name = 'DirectoryFailure';
}
