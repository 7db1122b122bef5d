import { expect } from 'chai';
import { createMemoryPersonKeys } from '../support/doubles/memoryPersonKeys.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { createPersonalDataVault } from '../../infrastructure/codec/personalDataVault.ts';
import { createDatabase, createPool, isOutage } from '../../infrastructure/postgres/pool.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { createNotifications } from '../../infrastructure/postgres/notifications.ts';
import type { Database } from '../../projections/database.ts';
import { createProjector } from '../../projections/engine/projector.ts';
import { createSessionViews } from '../../projections/sessions.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';
import { recordable, sessionConfirmed, sessionStarted } from '../support/events/exampleEvents.ts';
import { systemClock } from '../../infrastructure/system.ts';

describe('The projector on the PostgreSQL log', () => {
  it('completes a session in one process and notifies the poll in another', async () => {
    const url = await migratedDatabase();
    const database = createDatabase<Database>(createPool({ url }));
    const vault = createPersonalDataVault({
      keys: createMemoryPersonKeys(),
      masterKey: Buffer.alloc(32, 7),
    });
    const log = await startPostgresEventLog({ url });
    const eventStore = createEventLog({ store: log, vault });
    const [here, there] = [createNotifications({ url }), createNotifications({ url })];
    await Promise.all([here.start(), there.start()]);
    const projector = createProjector({
      database,
      eventStore,
      vault,
      notifications: here,
      clock: systemClock,
      isOutage: isOutage,
      onFailure: (name, cause) => expect.fail(`${name}: ${String(cause)}`),
      leaderLock: createLeaderLock({ url }),
    });
    projector.start();
    const views = createSessionViews(database);

    const id = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';
    await eventStore.append(`session-${id}`, [recordable(sessionStarted(id))], 'none');
    const poll = there.listen(`session:${id}`);
    const { position } = await eventStore.append(
      `session-${id}`,
      [recordable(sessionConfirmed())],
      0n,
    );
    await poll.changed;
    expect(await views.session(id)).to.include({ status: 'COMPLETE', endResult: 'OK' });
    await projector.untilProjected(position);

    await projector.stop();
    await Promise.all([here.stop(), there.stop(), log.stop()]);
    await database.destroy();
  });
});
