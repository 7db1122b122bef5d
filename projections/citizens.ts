import type { Kysely, Selectable } from 'kysely';
import type { CitizenData, CitizenReferenceData } from '../application/ports/referenceData.ts';
import type { PersonTraces } from '../application/citizen/ports/personTraces.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import type { Identity } from '../domain/citizen/events.ts';
import type { Database } from './database.ts';
import { type CitizenTable, registrationIndex } from './models/citizens.ts';

/** A citizen's row, opened; null for a forgotten person. */
export async function openCitizen(
  row: Pick<Selectable<CitizenTable>, 'civil_id' | 'identity'>,
  vault: PersonalDataVault,
): Promise<CitizenData | null> {
  if (row.identity === null) return null;
  const opened = await vault.open(row.civil_id, row.identity);
  if (opened === null) return null;
  return { civilId: row.civil_id, identity: JSON.parse(opened) as Identity };
}

/** Queries over the citizens read model. A citizen whose key was destroyed is not found. */
export function createCitizenReferenceData(
  database: Kysely<Database>,
  vault: PersonalDataVault,
): CitizenReferenceData {
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
        const citizen = await openCitizen(row, vault);
        if (citizen !== null) return citizen;
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
