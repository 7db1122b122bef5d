import { expect } from 'chai';
import { openFoundation } from '../../main/composition/foundation.ts';
import { createShutdownStack } from '../../main/composition/shutdownStack.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { commonSettings } from '../support/installation/serviceProcess.ts';

describe('The foundation', () => {
  for (const [use, asks] of [
    ['asked through the pool alone', 'pool'],
    ['asked through kysely', 'kysely'],
    ['never asked', 'none'],
  ] as const) {
    it(`keeps no connection once it is closed, ${use}, so that a command's process ends`, async () => {
      const settings = { ...commonSettings(), SVC_DATABASE_URL: await migratedDatabase() };
      const shutdown = createShutdownStack();
      const foundation = await openFoundation(readConfig(settings), {}, shutdown);
      if (asks === 'pool') await foundation.pool.query('select 1');
      if (asks === 'kysely') await foundation.storedReferenceData.relyingParties();
      await shutdown.stop();
      expect(foundation.pool.ended).to.equal(true);
      expect(foundation.pool.totalCount).to.equal(0);
    });
  }
});
