import { expect } from 'chai';
import { openFoundation } from '../../composition/foundation.ts';
import { readConfig } from '../../infrastructure/config.ts';
import { migratedDatabase } from '../support/eventLogs.ts';
import { commonSettings } from '../support/serviceProcess.ts';

describe('The foundation', () => {
  for (const [use, asks] of [
    ['asked through the pool alone', 'pool'],
    ['asked through kysely', 'kysely'],
    ['never asked', 'none'],
  ] as const) {
    it(`keeps no connection once it is closed, ${use}, so that a command's process ends`, async () => {
      const settings = { ...commonSettings(), SVC_DATABASE_URL: await migratedDatabase() };
      const foundation = await openFoundation(readConfig(settings), (log) => log);
      if (asks === 'pool') await foundation.pool.query('select 1');
      if (asks === 'kysely') await foundation.storedFacts.relyingParties();
      await foundation.close();
      expect(foundation.pool.ended).to.equal(true);
      expect(foundation.pool.totalCount).to.equal(0);
    });
  }
});
