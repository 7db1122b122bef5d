import type { Kysely, Selectable } from 'kysely';
import type { CitizenData } from '../application/ports/referenceData.ts';
import type { PersonTraces } from '../application/citizen/ports/personTraces.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import type { Identity } from '../domain/citizen/events.ts';
import type { Database } from './database.ts';
import type { CitizenTable } from './models/citizens.ts';

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
