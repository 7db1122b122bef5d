import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { backUp, removeFrom, restoreBackup } from '../../main/composition/backup.ts';
import {
  openBackupPlace,
  readBackups,
  verifyBackups,
} from '../../main/composition/backupPlaces.ts';
import type { BackupProgress } from '../../main/composition/backupProgress.ts';
import { type BackupManifest, backupId } from '../../infrastructure/backup/manifest.ts';
import { pieceName } from '../../infrastructure/backup/pieces.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { createPostgresFollowedLog } from '../../infrastructure/postgres/followedLog.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { anEvent } from '../contracts/eventLogContract.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { type S3Double, s3Credentials, startS3Double } from '../support/doubles/s3Double.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

const MIB = 2 ** 20;

describe('O2: backups of one installation in one place', function () {
  this.timeout(60_000);
  const masterKey = Buffer.alloc(32, 9);
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  let bucket: S3Double;
  let directory: string;
  let url: string;

  before(async () => (bucket = await startS3Double()));
  after(() => bucket.stop());

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-backups-'));
    url = await installationOf(masterKey);
    await mkdir(join(directory, 'data/files/ab'), { recursive: true });
  });

  afterEach(() => rm(directory, { recursive: true }));

  /** @returns address of its database */
  async function installationOf(key: Buffer): Promise<string> {
    const at = await migratedDatabase();
    const pool = createPool({ url: at });
    const { fingerprint: wrappingKeyFingerprint } = deriveMasterKeys(key);
    const identity = { installationId: randomUUID(), epoch: 1, wrappingKeyFingerprint };
    await createPostgresFollowedLog(pool).keep(identity);
    await pool.end();
    return at;
  }

  const configOf = (at: string, data = 'data', key = masterKey) =>
    readConfig({
      SVC_PROFILE: 'development',
      SVC_DATABASE_URL: at,
      SVC_SW_MASTER_KEY: key.toString('base64'),
      SVC_DATA_DIR: join(directory, data),
      SVC_BACKUP_S3_URL: new URL(bucket.bucketUrl).origin,
      SVC_BACKUP_S3_REGION: s3Credentials.region,
      SVC_BACKUP_S3_KEY_ID: s3Credentials.accessKeyId,
      SVC_BACKUP_S3_SECRET: s3Credentials.secretAccessKey,
    });

  async function append(times: number): Promise<void> {
    const log = await startPostgresEventLog({ url });
    for (let each = 0; each < times; each += 1) {
      await log.append(`session-${randomUUID()}`, [anEvent()], 'any');
    }
    await log.stop();
  }

  /** Adds a file that looks random, the same each time. */
  const addFile = (name: string, mib: number) =>
    writeFile(
      join(directory, 'data/files/ab', name),
      createHash('shake256', { outputLength: mib * MIB })
        .update(name)
        .digest(),
    );

  const backedUp = (to: string, told: BackupProgress[] = []) =>
    backUp(configOf(url), {
      to,
      recipients: [publicKey],
      onProgress: (soFar) => told.push(soFar),
    });

  async function restored(from: string, { madeAt }: Pick<BackupManifest, 'madeAt'>) {
    const at = await freshDatabase();
    const data = `restored-${randomUUID()}`;
    const manifest = await restoreBackup(configOf(at, data), {
      from,
      backup: backupId(madeAt),
      identities: [privateKey],
      onProgress: () => undefined,
    });
    return { manifest, file: (name: string) => readFile(join(directory, data, 'files/ab', name)) };
  }

  const places: Readonly<Record<string, () => string>> = {
    'a directory': () => join(directory, 'backups'),
    'a bucket': () => `s3://documents/backups-${randomUUID()}`,
  };

  for (const [what, placeOf] of Object.entries(places)) {
    it(`write only what is new, and are restored each by itself, in ${what}`, async () => {
      const to = placeOf();
      await append(3);
      await addFile('old', 16);
      const first = await backedUp(to);
      expect(first.writtenBytes).to.be.above(16 * MIB);
      await append(2);
      await addFile('new', 1);
      const told: BackupProgress[] = [];
      const second = await backedUp(to, told);
      expect(second.writtenBytes).to.be.within(MIB, 8 * MIB);
      expect(told.findLast(({ part }) => part === 'files')?.entries).to.equal(2);
      expect(told.at(-1)?.bytes).to.be.above(17 * MIB);

      const ofFirst = await restored(to, first.manifest);
      expect(ofFirst.manifest.log).to.deep.equal(first.manifest.log);
      expect(await rejection(ofFirst.file('new'))).to.have.property('code', 'ENOENT');

      const place = openBackupPlace(configOf(url), to);
      const removed = await removeFrom(configOf(url), to, backupId(first.manifest.madeAt));
      expect(removed).to.be.above(0);
      const { manifests } = await readBackups(place, { masterKeys: [masterKey] });
      expect(manifests.map(({ madeAt }) => madeAt)).to.deep.equal([second.manifest.madeAt]);
      const left = (await place.list('pieces/')).map(({ name }) => name);
      expect(left).to.have.members(second.manifest.pieces.map(pieceName));
      const ofSecond = await restored(to, second.manifest);
      expect(ofSecond.manifest.log.events).to.equal(5);
      expect(await ofSecond.file('new')).to.have.length(MIB);
      expect((await ofSecond.file('old')).equals(await ofFirst.file('old'))).to.equal(true);
      expect(await rejection(restored(to, first.manifest))).to.match(/does not exist/u);
    });
  }

  it('are removed only while every other one can be read', async () => {
    const to = join(directory, 'backups');
    const first = await backedUp(to);
    const second = await backedUp(to);
    const remove = (id: string) => removeFrom(configOf(url), to, id);
    const path = join(to, 'backups', `${backupId(first.manifest.madeAt)}.json`);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"entries": 0', '"entries": 1'));
    const id = backupId(second.manifest.madeAt);
    expect(await rejection(remove(id))).to.match(
      /Nothing was removed: .* was changed after the backup was made/u,
    );
    expect((await backedUp(to)).damaged[0]?.message).to.match(/was changed after/u);
    await writeFile(path, text);
    expect(await rejection(remove('other'))).to.match(/contains no backup/u);
    await remove(id);
    await restored(to, first.manifest);
  });

  it('lose no piece to a removal: it is refused while one is made', async () => {
    const to = join(directory, 'backups');
    const first = await backedUp(to);
    const pool = createPool({ url, max: 2 });
    const holder = await pool.connect();
    await holder.query('begin; lock table last_done in access exclusive mode');
    const second = backedUp(to);
    await eventually(async () => {
      const { rowCount } = await pool.query(
        `select from pg_locks where not granted and relation = 'last_done'::regclass`,
      );
      expect(rowCount).to.be.above(0);
    });
    const removal = await rejection(removeFrom(configOf(url), to, backupId(first.manifest.madeAt)));
    await holder.query('rollback');
    holder.release();
    await pool.end();
    const { manifest } = await second;
    expect(removal).to.match(/Another command is making or removing a backup/u);
    await removeFrom(configOf(url), to, backupId(first.manifest.madeAt));
    await restored(to, manifest);
  });

  it('write a piece again that went missing', async () => {
    const to = join(directory, 'backups');
    const { manifest } = await backedUp(to);
    const place = openBackupPlace(configOf(url), to);
    const [piece] = await place.list('pieces/');
    await place.remove(piece?.name ?? '');
    expect(await rejection(restored(to, manifest))).to.match(/is missing/u);
    const next = await backedUp(to);
    await restored(to, next.manifest);
  });

  it('are spoilt by a piece that rotted, which is named with all that consist of it', async () => {
    const to = join(directory, 'backups');
    await addFile('old', 1);
    const first = await backedUp(to);
    const place = openBackupPlace(configOf(url), to);
    const told: BackupProgress[] = [];
    const verified = () =>
      verifyBackups(place, { masterKeys: [masterKey] }, (soFar) => told.push(soFar));
    expect((await verified()).faults).to.deep.equal([]);
    expect(told.at(-1)?.share).to.equal(1);
    const [piece] = first.manifest.pieces;
    const name = pieceName(piece ?? { sha256: '' });
    const sealed = (await place.get(name)) ?? Buffer.alloc(0);
    sealed.writeUInt8(sealed.readUInt8(sealed.length - 1) ^ 1, sealed.length - 1);
    await place.put(name, sealed);
    const second = await backedUp(to);
    const { backups, faults } = await verified();
    const ids = [first, second].map(({ manifest }) => backupId(manifest.madeAt));
    expect(backups).to.equal(2);
    expect(faults).to.have.length(1);
    expect(faults[0]).to.contain(name).and.to.contain(ids.join(', '));
    await place.remove(name);
    const third = await backedUp(to);
    await restored(to, third.manifest);
  });

  it('share it with nothing else', async () => {
    const to = join(directory, 'backups');
    await mkdir(to);
    await writeFile(join(to, 'letter.txt'), 'x');
    expect(await rejection(backedUp(to))).to.match(
      /contains letter\.txt, which belongs to no backup/u,
    );
    await rm(join(to, 'letter.txt'));
    await backedUp(to);
    const other = Buffer.alloc(32, 8);
    const ofOther = backUp(configOf(await installationOf(other), 'data', other), {
      to,
      recipients: [publicKey],
      onProgress: () => undefined,
    });
    expect(await rejection(ofOther)).to.match(/The backup is of installation/u);
    const unset = readConfig({
      SVC_PROFILE: 'development',
      SVC_DATABASE_URL: url,
      SVC_DATA_DIR: directory,
    });
    const inBucket = backUp(unset, {
      to: 's3://bucket/prefix',
      recipients: [publicKey],
      onProgress: () => undefined,
    });
    expect(await rejection(inBucket)).to.match(/needs SVC_BACKUP_S3_URL/u);
  });
});
