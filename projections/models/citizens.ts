import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { referenceDataTopic } from '../../domain/shared/streams.ts';
import { type CitizenEvent, citizenEvents } from '../../domain/citizen/events.ts';
import { FORGOTTEN } from '../../domain/shared/personalData.ts';
import { int8, nullable, type RowOf, type TableOf, text, timestamptz } from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

const columns = {
  civil_id: text(),
  /** The identity as JSON, encrypted under the citizen's key; null when it was forgotten before this row was written. */
  identity: nullable(text()),
  /** Blind index of the registration number, lower case. */
  registration_index: nullable(text()),
  enrolled_at: timestamptz(),
  revision: int8(),
};

/** An enrolled citizen. */
export type CitizenRow = RowOf<typeof columns>;
export type CitizenTable = TableOf<typeof columns>;

function evolve(row: CitizenRow | undefined, event: CitizenEvent): CitizenRow | undefined {
  if (event.type !== 'CitizenEnrolled') return row;
  return {
    civil_id: event.data.civilId,
    identity: null,
    registration_index: null,
    enrolled_at: event.data.enrolledAt,
    revision: 0n,
  };
}

async function encrypt(
  event: CitizenEvent,
  vault: PersonalDataVault,
): Promise<Partial<CitizenRow>> {
  if (event.type !== 'CitizenEnrolled' && event.type !== 'IdentityUpdated') return {};
  const { civilId, identity } = event.data;
  const forgotten = { identity: null, registration_index: null };
  if (identity.registrationNumber === FORGOTTEN) return forgotten;
  try {
    return {
      identity: await vault.encrypt(civilId, JSON.stringify(identity)),
      registration_index: registrationIndex(vault, identity.registrationNumber),
    };
  } catch (error) {
    if (error instanceof SubjectForgotten) return forgotten;
    throw error;
  }
}

/** Look-up key of a registration number, in any case. */
export function registrationIndex(
  vault: Pick<PersonalDataVault, 'blindIndex'>,
  registrationNumber: string,
): string {
  return vault.blindIndex('registrationNumber', registrationNumber.toLowerCase());
}

/** The citizens read model, table `citizen_view`. */
export const citizensReadModel = readModel({
  name: 'citizens',
  table: 'citizen_view',
  events: citizenEvents,
  key: 'civil_id',
  columns,
  shown: ['enrolled_at'],
  evolve,
  encrypt,
  personal: ['identity', 'registration_index'],
  topics: (row) => [referenceDataTopic('citizen', row.civil_id)],
});
