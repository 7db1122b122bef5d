import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { type CitizenEvent, citizenEvents } from '../../domain/citizen/events.ts';
import { FORGOTTEN } from '../../domain/shared/personalData.ts';
import { int8, nullable, type RowOf, text, timestamptz, tsvector } from '../engine/columns.ts';
import { nameIndex } from '../engine/nameIndex.ts';
import { readModel } from '../engine/readModel.ts';

const columns = {
  civil_id: text(),
  enrolled_at: timestamptz(),
  /** Fingerprints of the names' words and their prefixes; null when the citizen was forgotten. */
  name_index: nullable(tsvector()),
  revision: int8(),
};

/** Search and sort columns of an enrolled citizen. */
export type CitizenSearchRow = RowOf<typeof columns>;

function evolve(
  row: CitizenSearchRow | undefined,
  event: CitizenEvent,
): CitizenSearchRow | undefined {
  if (event.type !== 'CitizenEnrolled') return row;
  const { civilId, enrolledAt } = event.data;
  return { civil_id: civilId, enrolled_at: enrolledAt, name_index: null, revision: 0n };
}

async function encrypt(
  event: CitizenEvent,
  vault: PersonalDataVault,
): Promise<Partial<CitizenSearchRow>> {
  if (event.type !== 'CitizenEnrolled' && event.type !== 'IdentityUpdated') return {};
  const { civilId, identity } = event.data;
  if (identity.registrationNumber === FORGOTTEN) return { name_index: null };
  try {
    // Nothing is kept of it: it asks whether anything may still be kept of this person.
    await vault.encrypt(civilId, '');
    return { name_index: nameIndex(vault, identity) };
  } catch (error) {
    if (error instanceof SubjectForgotten) return { name_index: null };
    throw error;
  }
}

/** Search and sort columns of citizens, table `citizen_search`; separate from `citizen_view` to be narrow. */
export const citizenSearchReadModel = readModel({
  name: 'citizenSearch',
  table: 'citizen_search',
  events: citizenEvents,
  key: 'civil_id',
  columns,
  shown: null,
  evolve,
  encrypt,
  personal: ['name_index'],
  topics: () => [],
});
