import { eventLogContract } from '../contracts/eventLogContract.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/eventLogs.ts';

eventLogContract('PostgreSQL', async () => {
  const url = await migratedDatabase();
  const logs = [
    await startPostgresEventLog({ url }),
    await startPostgresEventLog({ url }),
  ] as const;
  return {
    logs: [...logs],
    stop: async () => {
      await Promise.all(logs.map((log) => log.stop()));
    },
  };
});
