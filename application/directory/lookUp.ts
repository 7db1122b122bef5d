import type { PersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CivilRegistry } from '../ports/civilRegistry.ts';
import { type Directory, DirectoryFailure, type DirectoryPerson } from './ports/directory.ts';
import type { OrganizationRecord } from './ports/organizationRegistry.ts';

export interface LookUpDependencies {
  /** Null: not configured. */
  readonly directory: Directory | null;
  readonly civilRegistry: CivilRegistry;
}

/**
 * Looks a person up.
 *
 * @returns also their civil id, for the audit; null when unknown
 * @throws Refusal DIRECTORY_NOT_CONFIGURED, DIRECTORY_FAILED, PERSON_NOT_FOUND
 * @throws Unavailable
 */
export async function lookUpPerson(
  { directory, civilRegistry }: LookUpDependencies,
  identifier: PersonIdentifier,
): Promise<{ readonly person: DirectoryPerson; readonly civilId: string | null }> {
  const person = await orRefused(directory, (asked) => asked.person(identifier));
  if (person === null) {
    throw new Refusal('PERSON_NOT_FOUND', { detail: 'The register knows no such person.' });
  }
  const civilId = person.civilId ?? (await civilRegistry.find(identifier))?.civilId ?? null;
  return { person, civilId };
}

/** Looks an organization up. @throws as {@link lookUpPerson}, and ORG_NOT_FOUND */
export async function lookUpOrganization(
  { directory }: Pick<LookUpDependencies, 'directory'>,
  register: string,
): Promise<OrganizationRecord> {
  const organization = await orRefused(directory, (asked) => asked.organization(register));
  if (organization === null) {
    throw new Refusal('ORG_NOT_FOUND', { detail: 'The register knows no such organization.' });
  }
  return organization;
}

/**
 * Tells if a person is an affiliate of an organization; null: the directory does not say, or there is none.
 *
 * @throws Refusal DIRECTORY_FAILED
 * @throws Unavailable
 */
export async function lookUpAffiliate(
  directory: Directory | null,
  register: string,
  registrationNumber: string,
): Promise<boolean | null> {
  if (directory === null) return null;
  return orRefused(directory, (asked) => asked.isAffiliate(register, registrationNumber));
}

async function orRefused<Found>(
  directory: Directory | null,
  ask: (directory: Directory) => Promise<Found>,
): Promise<Found> {
  if (directory === null) throw new Refusal('DIRECTORY_NOT_CONFIGURED');
  try {
    return await ask(directory);
  } catch (error) {
    if (error instanceof DirectoryFailure) throw new Refusal('DIRECTORY_FAILED', { cause: error });
    throw error;
  }
}
