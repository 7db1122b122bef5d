import type { Kysely } from 'kysely';
import type { PersonTraces } from '../application/citizen/ports/personTraces.ts';
import type { Database } from './database.ts';

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
