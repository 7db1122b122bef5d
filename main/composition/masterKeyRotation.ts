import {
  beginGeneration,
  endFormerGenerations,
  masterKeyMark,
  readMasterKeys,
  recordMasterKey,
} from '../../infrastructure/codec/postgresMasterKeys.ts';
import {
  countFormerPersonKeys,
  rewrapPersonKeys,
  rewrapSoftwareKeys,
} from '../../infrastructure/codec/rewrapKeys.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { createAdvisoryLock } from '../../infrastructure/postgres/advisoryLock.ts';
import { assertKnownSchema } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { findProcesses, MARK_LENGTH } from '../../infrastructure/postgres/releaseLevel.ts';
import { openDatabase } from './stores.ts';

/** Keys wrapped under the new master key. */
export interface MasterKeyRotation {
  readonly persons: number;
  readonly softwareKeys: number;
}

/**
 * Wraps everything under the present master key that is under the previous one, while the service runs. Interrupted it is
 * repeated, and goes on.
 *
 * @param onProgress persons' keys so far, and all that there were to wrap
 * @throws Error while a process runs that was not given both master keys; nothing was changed then
 * @throws Misconfigured when a master key in use was not given
 */
export async function rotateMasterKey(
  config: Config,
  onProgress: (done: number, all: number) => void,
): Promise<MasterKeyRotation> {
  if (config.SVC_SW_MASTER_KEY_PREVIOUS === undefined) {
    throw new Error(
      'There is no previous master key to rotate from. Set SVC_SW_MASTER_KEY to the new master key and SVC_SW_MASTER_KEY_PREVIOUS to the present one (docs/rotation.md, Master key).',
    );
  }
  const { databaseUrl, masterKeys, closeDatabase } = await openDatabase(config);
  // Idle connections of the lock, the batch and its queries.
  const pool = createPool({ url: databaseUrl, max: 3, applicationName: 'tamga maintenance' });
  const database = createDatabase<unknown>(pool);
  try {
    const { applied } = await assertKnownSchema(database);
    if (!applied.includes('006_master_keys')) {
      throw new Error(
        'The database has the schema of a former release. Run ./tamga migrate first.',
      );
    }
    return await createAdvisoryLock(pool)('master key rotation', async () => {
      await recordMasterKey(pool, await readMasterKeys(pool, masterKeys));
      await refuseProcessesWithout(masterKeyMark(masterKeys[0]));
      await beginGeneration(pool, masterKeys);
      return rewrapAll();
    });
  } finally {
    await database.destroy();
    await closeDatabase();
  }

  async function refuseProcessesWithout(mark: string): Promise<void> {
    const lacking = (await findProcesses(database)).filter(
      (each) => !each.masterKeys.includes(mark.slice(0, MARK_LENGTH)),
    );
    if (lacking.length === 0) return;
    throw new Error(
      `These processes run without the new master key: ${lacking.map(({ name }) => name).join(', ')}. Restart them with both keys, then rotate again.`,
    );
  }

  async function refuseFormerKeys(generation: number): Promise<void> {
    const left = await countFormerPersonKeys(pool, generation);
    if (left === 0) return;
    throw new Error(
      `${left} ${left === 1 ? 'key of a person is' : 'keys of persons are'} still wrapped under the previous master key. Rotate again.`,
    );
  }

  async function rewrapAll(): Promise<MasterKeyRotation> {
    const { wrapping } = await readMasterKeys(pool, masterKeys);
    const all = await countFormerPersonKeys(pool, wrapping.current().generation);
    let persons = 0;
    await rewrapPersonKeys(pool, wrapping, (keys) => onProgress((persons += keys), all));
    const softwareKeys = await rewrapSoftwareKeys(pool, wrapping);
    await refuseFormerKeys(wrapping.current().generation);
    await endFormerGenerations(pool);
    return { persons, softwareKeys };
  }
}
