import type { PersonIdentifier } from '../../../domain/shared/etsi.ts';
import type { OrganizationRecord, OrganizationRegistry } from './organizationRegistry.ts';

/** A person in the directory; unknown fields are null. */
export interface DirectoryPerson {
  /** 12 digits; null when unknown. */
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

/** Looks persons and organizations up by registration number, enrolled or not. */
export interface Directory extends Pick<OrganizationRegistry, 'isAffiliate'> {
  /** @throws DirectoryFailure, Unavailable */
  person(identifier: PersonIdentifier): Promise<DirectoryPerson | null>;
  /** @param register upper case @throws DirectoryFailure, Unavailable */
  organization(register: string): Promise<OrganizationRecord | null>;
}

/** The external directory did not answer, or answered unintelligibly. The message names no person. */
export class DirectoryFailure extends Error {
  override readonly name = 'DirectoryFailure';
}
