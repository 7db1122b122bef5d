import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { backUp, restoreBackup } from '../../main/composition/backup.ts';
import { NotABackup } from '../../infrastructure/backup/manifest.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { createPostgresFollowedLog } from '../../infrastructure/postgres/followedLog.ts';
import { withMaintenanceConnection } from '../../infrastructure/postgres/maintenanceConnection.ts';
import {
  assertKnownSchema,
  type FoundSchema,
  type KnownSchema,
  migrate,
  thisRelease,
} from '../../infrastructure/postgres/migrate.ts';
import { contract, expand } from '../../infrastructure/postgres/migrations/statements.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { raiseLevel } from '../../infrastructure/postgres/releaseLevel.ts';
import { programVersion } from '../../infrastructure/version.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

/** The release after this one. */
const next: KnownSchema = {
  level: thisRelease.level + 1,
  migrations: {
    ...thisRelease.migrations,
    '998_add': expand(['alter table job add column added integer not null default 7']),
    '999_take': contract(thisRelease.level + 1, ['alter table job drop column last_error']),
  },
};

describe('O2: a backup of an installation in the middle of an upgrade', () => {
  const masterKey = Buffer.alloc(32, 9);
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  let directory: string;
  let url: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-backup-'));
    url = await migratedDatabase();
    const pool = createPool({ url });
    const { fingerprint: wrappingKeyFingerprint } = deriveMasterKeys(masterKey);
    const identity = { installationId: randomUUID(), epoch: 1, wrappingKeyFingerprint };
    await createPostgresFollowedLog(pool).keep(identity);
    await pool.query(
      `insert into job (id, name, payload, last_error) values ('1', 'n', '{}', 'E')`,
    );
    await pool.end();
    await on(url, (database) => migrate(database, next));
  });

  afterEach(() => rm(directory, { recursive: true }));

  const on: (
    at: string,
    work: (database: Parameters<typeof migrate>[0]) => Promise<unknown>,
  ) => Promise<void> = (at, work) =>
    withMaintenanceConnection<unknown>(at, ({ database }) => work(database));

  const configOf = (at: string) =>
    readConfig({
      SVC_PROFILE: 'development',
      SVC_DATABASE_URL: at,
      SVC_SW_MASTER_KEY: masterKey.toString('base64'),
      SVC_DATA_DIR: directory,
    });

  const backup = () => join(directory, 'backup');
  const backedUp = () =>
    backUp(configOf(url), { to: backup(), recipients: [publicKey], onProgress: () => undefined });

  const restored = (at: string, release?: KnownSchema) =>
    restoreBackup(
      configOf(at),
      { from: backup(), identities: [privateKey], onProgress: () => undefined },
      release,
    );

  async function schemaIn(at: string): Promise<FoundSchema> {
    let found: FoundSchema | undefined;
    await on(at, async (database) => (found = await assertKnownSchema(database, next)));
    if (found === undefined) throw new Error('Nothing was read.');
    return found;
  }

  it('is restored by the newer release as it was, and the upgrade goes on there', async () => {
    await backedUp();
    const empty = await freshDatabase();
    await restored(empty, next);
    expect(await schemaIn(empty)).to.deep.equal(await schemaIn(url));
    expect(await schemaIn(empty)).to.deep.include({ level: thisRelease.level });
    expect((await schemaIn(empty)).applied)
      .to.include('998_add')
      .and.not.include('999_take');

    await on(empty, async (database) => {
      await raiseLevel(database, next.level);
      await migrate(database, next);
    });
    expect(await schemaIn(empty)).to.deep.include({
      level: next.level,
      applied: Object.keys(next.migrations),
    });
  });

  it('names the release that made it to one that does not know its schema, which changes nothing', async () => {
    await backedUp();
    const empty = await freshDatabase();
    const refusal = (await rejection(restored(empty))) as Error;
    expect(refusal).to.be.instanceOf(NotABackup);
    expect(refusal.message).to.include(`release ${programVersion()}`).and.include('998_add');
    expect((await schemaIn(empty)).applied).to.deep.equal([]);
  });

  it('is restored at the level it had, and only into an empty database', async () => {
    await on(url, async (database) => {
      await raiseLevel(database, next.level);
      await migrate(database, next);
    });
    await backedUp();
    const empty = await freshDatabase();
    await restored(empty, next);
    expect(await schemaIn(empty)).to.deep.equal(await schemaIn(url));
    expect(await rejection(restored(url, next))).to.match(/is not empty/u);
  });

  it('is refused by a database that has more than it', async () => {
    await backedUp();
    const finished = await freshDatabase();
    await on(finished, (database) => migrate(database, next));
    expect(await rejection(restored(finished, next))).to.match(/is not empty/u);
  });
});
