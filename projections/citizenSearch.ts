import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../application/ports/personalDataVault.ts';
import type { CitizenEvent } from '../domain/citizen/events.ts';
import { FORGOTTEN } from '../domain/shared/personalData.ts';
import type { CitizenSearchRow } from './database.ts';
import { nameIndex } from './nameIndex.ts';
import { readModel } from './readModel.ts';

function evolve(
  row: CitizenSearchRow | undefined,
  event: CitizenEvent,
): CitizenSearchRow | undefined {
  if (event.type !== 'CitizenEnrolled') return row;
  const { civilId, enrolledAt } = event.data;
  return { civil_id: civilId, enrolled_at: enrolledAt, name_index: null, revision: 0n };
}

async function seal(
  event: CitizenEvent,
  vault: PersonalDataVault,
): Promise<Partial<CitizenSearchRow>> {
  if (event.type !== 'CitizenEnrolled' && event.type !== 'IdentityUpdated') return {};
  const { civilId, identity } = event.data;
  if (identity.registrationNumber === FORGOTTEN) return { name_index: null };
  try {
    // Nothing is kept of it: it asks whether anything may still be kept of this person.
    await vault.seal(civilId, '');
    return { name_index: nameIndex(vault, identity) };
  } catch (error) {
    if (error instanceof SubjectForgotten) return { name_index: null };
    throw error;
  }
}

/** What citizens are listed and found by, table `citizen_search`; beside `citizen_view`, for it is narrow. */
export const citizenSearchReadModel = readModel<CitizenSearchRow, CitizenEvent>({
  name: 'citizenSearch',
  table: 'citizen_search',
  category: 'citizen',
  key: 'civil_id',
  columns: {
    civil_id: 'text',
    enrolled_at: 'timestamptz',
    name_index: 'tsvector',
    revision: 'int8',
  },
  evolve,
  seal,
  personal: ['name_index'],
  topics: () => [],
});
