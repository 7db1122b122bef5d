import type { Kysely, Selectable } from 'kysely';
import type { CitizenFact, CitizenFacts } from '../application/ports/facts.ts';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../application/ports/personalDataVault.ts';
import type { PersonTraces } from '../application/ports/personTraces.ts';
import { factTopic } from '../application/ports/wake.ts';
import type { CitizenEvent, Identity } from '../domain/citizen/events.ts';
import { FORGOTTEN } from '../domain/shared/personalData.ts';
import type { CitizenRow, CitizenTable, Database } from './database.ts';
import { readModel } from './readModel.ts';

// Projection

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

async function seal(event: CitizenEvent, vault: PersonalDataVault): Promise<Partial<CitizenRow>> {
  if (event.type !== 'CitizenEnrolled' && event.type !== 'IdentityUpdated') return {};
  const { civilId, identity } = event.data;
  const forgotten = { identity: null, registration_index: null };
  if (identity.registrationNumber === FORGOTTEN) return forgotten;
  try {
    return {
      identity: await vault.seal(civilId, JSON.stringify(identity)),
      registration_index: registrationIndex(vault, identity.registrationNumber),
    };
  } catch (error) {
    if (error instanceof SubjectForgotten) return forgotten;
    throw error;
  }
}

/** What a registration number, in any case, is looked up by. */
export function registrationIndex(vault: PersonalDataVault, registrationNumber: string): string {
  return vault.blindIndex('registrationNumber', registrationNumber.toLowerCase());
}

/** The citizens read model, table `citizen_view`. */
export const citizensReadModel = readModel<CitizenRow, CitizenEvent>({
  name: 'citizens',
  table: 'citizen_view',
  category: 'citizen',
  key: 'civil_id',
  columns: {
    civil_id: 'text',
    identity: 'text',
    registration_index: 'text',
    enrolled_at: 'timestamptz',
    revision: 'int8',
  },
  evolve,
  seal,
  personal: ['identity', 'registration_index'],
  topics: (row) => [factTopic('citizen', row.civil_id)],
});

// Queries

/** Queries over the citizens read model. A citizen whose key was destroyed is not found. */
export function createCitizenFacts(
  database: Kysely<Database>,
  vault: PersonalDataVault,
): CitizenFacts {
  async function open(row: Selectable<CitizenTable>): Promise<CitizenFact | null> {
    if (row.identity === null) return null;
    const opened = await vault.open(row.civil_id, row.identity);
    if (opened === null) return null;
    return { civilId: row.civil_id, identity: JSON.parse(opened) as Identity };
  }

  return {
    async citizen(identifier) {
      const query = database.selectFrom('citizen_view').selectAll();
      const rows = await (
        identifier.type === 'civilId'
          ? query.where('civil_id', '=', identifier.civilId)
          : query
              .where(
                'registration_index',
                '=',
                registrationIndex(vault, identifier.registrationNumber),
              )
              .orderBy('enrolled_at', 'desc')
      ).execute();
      for (const row of rows) {
        const fact = await open(row);
        if (fact !== null) return fact;
      }
      return null;
    },
  };
}

/** The fingerprints a forgotten person could still be looked up by in the read models: of the number and of the names. */
export function createCitizenTraces(database: Kysely<Database>): PersonTraces {
  return {
    async forget(civilId) {
      await database
        .updateTable('citizen_view')
        .set({ identity: null, registration_index: null })
        .where('civil_id', '=', civilId)
        .execute();
      await database
        .updateTable('citizen_search')
        .set({ name_index: null })
        .where('civil_id', '=', civilId)
        .execute();
    },
  };
}
