import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { Misconfigured } from '../../application/ports/faults.ts';
import { backupId, NotABackup } from '../../infrastructure/backup/manifest.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import { createPersonalDataVault } from '../../infrastructure/codec/personalDataVault.ts';
import {
  masterKeyMark,
  readMasterKeys,
  recordMasterKey,
} from '../../infrastructure/codec/postgresMasterKeys.ts';
import { createPostgresPersonKeys } from '../../infrastructure/codec/postgresPersonKeys.ts';
import { wrappingKeyOf } from '../../infrastructure/codec/wrappingKeys.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { createPostgresEncryptedKeys } from '../../infrastructure/hsm/postgresEncryptedKeys.ts';
import {
  createSoftwareKeyVault,
  encryptSoftwareKey,
} from '../../infrastructure/hsm/softwareKeyVault.ts';
import { createEcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { createPostgresFollowedLog } from '../../infrastructure/postgres/followedLog.ts';
import { createNotifications } from '../../infrastructure/postgres/notifications.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { announced } from '../../infrastructure/postgres/releaseLevel.ts';
import { backUp, manifestKeys, removeFrom, restoreBackup } from '../../main/composition/backup.ts';
import { openBackupPlace, readBackups } from '../../main/composition/backupPlaces.ts';
import { rotateMasterKey } from '../../main/composition/masterKeyRotation.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

const PEOPLE = Array.from({ length: 200 }, (_, number) => `person ${number}`);

/** Their keys and the platform's. */
const WRAPPED = PEOPLE.length + 1;

describe('A master key that is rotated', function () {
  this.timeout(60_000);
  const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });
  const ends: (() => Promise<unknown>)[] = [];
  let url: string;
  let directory: string;

  const configOf = (at: string, [present, previous]: readonly Buffer[]) =>
    readConfig({
      SVC_PROFILE: 'development',
      SVC_DATABASE_URL: at,
      SVC_SW_MASTER_KEY: present?.toString('base64'),
      SVC_SW_MASTER_KEY_PREVIOUS: previous?.toString('base64'),
      SVC_DATA_DIR: directory,
    });

  const rotate = (
    given: readonly Buffer[],
    onProgress: Parameters<typeof rotateMasterKey>[1] = () => undefined,
    at = url,
  ) => rotateMasterKey(configOf(at, given), onProgress);

  /** A process of the service with these master keys, the present one first. */
  async function process_([present, ...others]: readonly [Buffer, ...Buffer[]], at = url) {
    const pool = createPool({ url: at, max: 2 });
    ends.push(() => pool.end());
    const keys = await readMasterKeys(pool, [present, ...others]);
    await recordMasterKey(pool, keys);
    const { derivationKey, wrapping } = keys;
    const vault = createPersonalDataVault({
      keys: createPostgresPersonKeys({ pool }),
      masterKey: derivationKey,
      wrapping,
    });
    const softwareKeys = createSoftwareKeyVault({
      keys: createPostgresEncryptedKeys(pool),
      wrapping,
      ecdsaDigests,
    });
    return { pool, vault, softwareKeys, derivationKey, wrapping };
  }

  async function encryptAll({ vault }: Pick<Awaited<ReturnType<typeof process_>>, 'vault'>) {
    const encrypted = new Map<string, string>();
    for (const person of PEOPLE) encrypted.set(person, await vault.encrypt(person, `of ${person}`));
    return encrypted;
  }

  async function expectReadable(
    { vault }: Pick<Awaited<ReturnType<typeof process_>>, 'vault'>,
    encrypted: ReadonlyMap<string, string>,
  ) {
    for (const [person, text] of encrypted) {
      expect(await vault.decrypt(person, text)).to.equal(`of ${person}`);
    }
  }

  /** Restores a backup of now. @returns address of the database */
  async function movedByBackup(given: readonly Buffer[]): Promise<string> {
    const { privateKey, publicKey } = generateKeyPairSync('x25519');
    const place = join(directory, randomUUID());
    const onProgress = () => undefined;
    await backUp(configOf(url, given), { to: place, recipients: [publicKey], onProgress });
    const at = await freshDatabase();
    await restoreBackup(configOf(at, given), {
      from: place,
      identities: [privateKey],
      onProgress,
    });
    return at;
  }

  /** Versions of what is wrapped, by how it is read; 60 bytes are without one. */
  async function versionsIn(pool: pg.Pool): Promise<readonly number[]> {
    const { rows } = await pool.query<{ version: number }>(
      `select distinct case when length(wrapped_key) = 60 then 0 else get_byte(wrapped_key, 0) end as version
       from person_key where wrapped_key is not null order by 1`,
    );
    return rows.map(({ version }) => version);
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-rotation-'));
    url = await migratedDatabase();
    const pool = createPool({ url });
    const wrappingKeyFingerprint = masterKeyMark(first);
    await createPostgresFollowedLog(pool).keep({
      installationId: randomUUID(),
      epoch: 1,
      wrappingKeyFingerprint,
    });
    await pool.end();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    await rm(directory, { recursive: true });
  });
  after(() => ecdsaDigests.stop());

  it('leaves what was wrapped before and what is derived as they are, and is needed no more', async () => {
    const before = await process_([first]);
    const encrypted = await encryptAll(before);
    await before.softwareKeys.ensureKey('service', 'P-256');
    const index = before.vault.blindIndex('register', 'УБ99112233');
    expect(await versionsIn(before.pool)).to.deep.equal([0]);

    expect(await rotate([second, first])).to.deep.equal({
      persons: WRAPPED,
      softwareKeys: 1,
    });

    expect(await versionsIn(before.pool)).to.deep.equal([1]);
    const after = await process_([second]);
    await expectReadable(after, encrypted);
    expect(await after.softwareKeys.findKey('service')).to.not.equal(null);
    expect(after.vault.blindIndex('register', 'УБ99112233')).to.equal(index);
    expect(deriveMasterKeys(after.derivationKey).pairwiseSubjects.export()).to.deep.equal(
      deriveMasterKeys(first).pairwiseSubjects.export(),
    );
    const refused = await rejection(process_([first]));
    expect(refused).to.be.instanceOf(Misconfigured);

    expect(await rotate([third, second])).to.include({ persons: WRAPPED });
    await expectReadable(await process_([third]), encrypted);
  });

  it('serves meanwhile: a process that wraps keys takes the new one at once', async () => {
    const serving = await process_([second, first]);
    const encrypted = new Map(await encryptAll(serving));
    const meanwhile: Promise<void>[] = [];
    let added = 0;
    const serve = async () => {
      const person = `new ${(added += 1)}`;
      encrypted.set(person, await serving.vault.encrypt(person, `of ${person}`));
      await serving.softwareKeys.ensureKey(person, 'P-256');
    };
    await rotate([second, first], () => meanwhile.push(serve()));
    await Promise.all(meanwhile);
    expect(added).to.be.greaterThan(10);
    await serve();
    await serving.softwareKeys.ensureKey('new, of another curve', 'P-384');
    expect(await versionsIn(serving.pool)).to.deep.equal([1]);
    const after = await process_([second]);
    await expectReadable(after, encrypted);
    for (let each = 1; each <= added; each += 1) {
      expect(await after.softwareKeys.findKey(`new ${each}`)).to.not.equal(null);
    }
  });

  it('lets nobody wrap under the former one who began before', async () => {
    const { pool } = await process_([first]);
    const late = createPostgresPersonKeys({ pool });
    await rotate([second, first]);
    expect(await late.add(new Map([['late', randomBytes(60)]]), 0)).to.equal(false);
    expect((await late.find(['late'])).size).to.equal(0);
  });

  it('takes no key from a release that knows one master key alone', async () => {
    const { pool, vault } = await process_([second, first]);
    await encryptAll({ vault });
    const former = (subject: string) =>
      pool.query('insert into person_key (bucket, subject, wrapped_key) values (0, $1, $2)', [
        ...[subject, randomBytes(60)],
      ]);
    // Of elliptic curves whatever the first byte is, which happens to be that of the new generation here.
    const formerSoftwareKey = (type: 'P-256' | 'P-384') => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: type });
      const label = `former ${type}`;
      const { encrypted } = encryptSoftwareKey(wrappingKeyOf(first, 0), label, type, privateKey);
      return pool.query(
        `insert into software_key (label, type, public_key, sealed) values ($1, $2, '', $3)`,
        [label, type, Buffer.concat([Buffer.of(1), encrypted.subarray(1)])],
      );
    };
    const refusals: Promise<unknown>[] = [];
    const forgotten: Promise<void>[] = [];
    await rotate([second, first], (done) => {
      refusals.push(rejection(former(`during ${done}`)));
      // Rewrites a partition with the keys of before in it.
      const person = PEOPLE[forgotten.length] ?? '';
      forgotten.push(createPostgresPersonKeys({ pool }).destroy(person));
    });
    await Promise.all(forgotten);
    refusals.push(rejection(former('after')));
    for (const type of ['P-256', 'P-384'] as const)
      refusals.push(rejection(formerSoftwareKey(type)));
    for (const refusal of await Promise.all(refusals)) {
      expect((refusal as Error).message).to.match(/under a former master key/u);
    }
    expect(await versionsIn(pool)).to.deep.equal([1]);
  });

  it('forgets no master key while a key is left that it opens', async () => {
    const { pool } = await process_([second, first]);
    let isLeft = false;
    const left = async () => {
      if (isLeft) return;
      isLeft = true;
      await pool.query('insert into person_key_0 values (0, $1, $2)', ['', randomBytes(60)]);
    };
    const serving = await process_([second, first]);
    await encryptAll(serving);
    const meanwhile: Promise<void>[] = [];
    const refused = await rejection(rotate([second, first], () => meanwhile.push(left())));
    await Promise.all(meanwhile);
    expect((refused as Error).message).to.match(/1 key of a person .* Rotate again/u);
    expect((await readMasterKeys(pool, [second, first])).wrapped).to.have.length(2);
  });

  it('goes on where it was interrupted, and needs both until then', async () => {
    const serving = await process_([second, first]);
    const encrypted = await encryptAll(serving);
    const interrupted = await rejection(
      rotate([second, first], (done) => {
        if (done > PEOPLE.length / 2) throw new Error('Killed.');
      }),
    );
    expect(interrupted).to.have.property('message', 'Killed.');
    expect(await versionsIn(serving.pool)).to.deep.equal([0, 1]);
    await expectReadable(await process_([second, first]), encrypted);
    const early = await rejection(process_([second]));
    expect(early).to.be.instanceOf(Misconfigured);
    expect((early as Error).message).to.include('its rotation is not finished');
    const at = await movedByBackup([second, first]);
    await expectReadable(await process_([second, first], at), encrypted);

    const rest = await rotate([second, first]);
    expect(rest.persons).to.be.lessThan(PEOPLE.length / 2);
    expect(await versionsIn(serving.pool)).to.deep.equal([1]);
    await expectReadable(await process_([second]), encrypted);
  });

  it('is not begun while a process lacks the new one, which is named', async () => {
    await process_([first]);
    const notifications = createNotifications({
      url,
      name: announced('1.2.3', 1, [masterKeyMark(first)]),
    });
    await notifications.start();
    try {
      const refused = await rejection(rotate([second, first]));
      expect((refused as Error).message).to.match(
        /These processes run without the new.*: \S+:\d+\./,
      );
    } finally {
      await notifications.stop();
    }
    await process_([first]);
  });

  it('opens a backup that was made before, with it, and after', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('x25519');
    const encrypted = await encryptAll(await process_([first]));
    const to = (name: string) => join(directory, name);
    const backedUp = (name: string, given: readonly Buffer[]) =>
      backUp(configOf(url, given), {
        to: to(name),
        recipients: [publicKey],
        onProgress: () => undefined,
      });
    const restored = async (name: string, given: readonly Buffer[]) => {
      const at = await freshDatabase();
      await restoreBackup(configOf(at, given), {
        from: to(name),
        identities: [privateKey],
        onProgress: () => undefined,
      });
      return at;
    };
    await backedUp('before', [first]);
    await rotate([second, first]);
    await backedUp('after', [second]);

    await expectReadable(await process_([second], await restored('after', [second])), encrypted);
    expect(await rejection(restored('after', [first]))).to.be.instanceOf(NotABackup);

    const refused = await rejection(restored('before', [second]));
    expect(refused).to.be.instanceOf(NotABackup);
    expect((refused as Error).message).to.include('SVC_SW_MASTER_KEY_PREVIOUS');
    const at = await restored('before', [second, first]);
    await expectReadable(await process_([second, first], at), encrypted);
    expect(await rotate([second, first], () => undefined, at)).to.include({
      persons: WRAPPED,
    });
    await expectReadable(await process_([second], at), encrypted);
  });

  it('leaves the place of backups of before as it is, without the key of that time', async () => {
    const { publicKey } = generateKeyPairSync('x25519');
    const to = join(directory, 'backups');
    const backedUp = (given: readonly Buffer[]) =>
      backUp(configOf(url, given), { to, recipients: [publicKey], onProgress: () => undefined });
    await process_([first]);
    const made = [await backedUp([first])];
    await rotate([second, first]);
    made.push(await backedUp([second]));
    await rotate([third, second]);
    made.push(await backedUp([third]));

    const ids = made.map(({ manifest: { madeAt } }) => backupId(madeAt));
    const config = configOf(url, [third]);
    const place = openBackupPlace(config, to);
    const listed = async () => {
      const { manifests, damaged } = await readBackups(place, await manifestKeys(config));
      expect(damaged).to.deep.equal([]);
      return manifests.map(({ madeAt }) => backupId(madeAt));
    };
    expect(await listed()).to.deep.equal(ids);
    await removeFrom(config, to, ids[0] ?? '');
    expect(await listed()).to.deep.equal(ids.slice(1));
  });

  it('needs no database to list backups of its own time', async () => {
    const unreachable = configOf('postgres://127.0.0.1:1/none', [first]);
    expect(await manifestKeys(unreachable)).to.deep.equal({ masterKeys: [first] });
  });
});
