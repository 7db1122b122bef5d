import { expect } from 'chai';
import { createMemoryPersonKeys } from '../../infrastructure/codec/memoryPersonKeys.ts';
import { createEventStore } from '../../infrastructure/codec/codec.ts';
import { createPersonalDataVault } from '../../infrastructure/codec/personalDataVault.ts';
import { isAway } from '../../infrastructure/postgres/availability.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { createSingleActive } from '../../infrastructure/postgres/singleActive.ts';
import { createWake } from '../../infrastructure/postgres/wakeListener.ts';
import type { Database } from '../../projections/database.ts';
import { createProjector } from '../../projections/projector.ts';
import { createSessionViews } from '../../projections/sessions.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/eventLogs.ts';
import { recordable, sessionConfirmed, sessionStarted } from '../support/exampleEvents.ts';

describe('The projector on the PostgreSQL log', () => {
  it('completes a session in one process and wakes the poll waiting in another', async () => {
    const url = await migratedDatabase();
    const database = createDatabase<Database>(createPool({ url }));
    const vault = createPersonalDataVault({
      keys: createMemoryPersonKeys(),
      masterKey: Buffer.alloc(32, 7),
    });
    const log = await startPostgresEventLog({ url });
    const eventStore = createEventStore({ log, vault });
    const [here, there] = [createWake({ url }), createWake({ url })];
    await Promise.all([here.start(), there.start()]);
    const projector = createProjector({
      database,
      eventStore,
      vault,
      wake: here,
      clock: { now: () => new Date() },
      isOutage: isAway,
      onFailure: (name, cause) => expect.fail(`${name}: ${String(cause)}`),
      singleActive: createSingleActive({ url }),
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
