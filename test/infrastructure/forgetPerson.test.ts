import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { forgetPerson } from '../../application/citizen/forgetPerson.ts';
import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import type { ReferenceData } from '../../application/ports/referenceData.ts';
import { forgottenIdentity, type Identity } from '../../domain/citizen/events.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { FORGOTTEN } from '../../domain/shared/personalData.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import {
  createPersonalDataVault,
  type WatchingVault,
} from '../../infrastructure/codec/personalDataVault.ts';
import { createPostgresPersonKeys } from '../../infrastructure/codec/postgresPersonKeys.ts';
import type { PostgresEventLog } from '../../infrastructure/eventstore/postgresEventLog.ts';
import { createDatabase, createPool, isOutage } from '../../infrastructure/postgres/pool.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';
import type { CivilRegistryStore } from '../../infrastructure/registry/civilRegistryStore.ts';
import { createPostgresCivilRegistry } from '../../infrastructure/registry/postgresCivilRegistry.ts';
import type { Database } from '../../projections/database.ts';
import { createProjector, type Projector } from '../../projections/engine/projector.ts';
import { createReferenceData } from '../../projections/referenceData.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';
import {
  certificateIssued,
  certificateRequested,
  citizenEnrolled,
  deviceEnrolled,
  recordable,
  sessionConfirmed,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import {
  bytesNeedles,
  dumpTables,
  findNeedles,
  type Needle,
  needlesOf,
  readDataFiles,
} from '../support/http/leakScan.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { sampleEvents } from '../support/events/sampleEvents.ts';
import { importsInto } from '../support/installation/registerFiles.ts';
import { testMasterKey } from '../support/doubles/vault.ts';
import { systemClock } from '../../infrastructure/system.ts';

interface Person {
  readonly civilId: string;
  readonly identity: Identity;
  readonly document: string;
  readonly serial: string;
}

const tuya: Person = {
  civilId: '140000000001',
  identity: {
    givenName: 'Мөнгөнтуяа',
    surname: 'Ёндонпэрэнлэй',
    familyName: 'Харчинүүд',
    givenNameLatin: 'Munguntuya',
    surnameLatin: 'Yondonperenlei',
    registrationNumber: 'шө57480913',
    birthDate: '1957-08-09',
    gender: 'F',
    geId: 314159265,
  },
  document: 'd0000000-0000-4000-8000-000000000001',
  serial: '0a',
};

const dorj: Person = {
  civilId: '140000000002',
  identity: {
    ...tuya.identity,
    givenName: 'Доржпалам',
    surname: 'Чойжилсүрэн',
    givenNameLatin: 'Dorjpalam',
    surnameLatin: 'Choijilsuren',
    registrationNumber: 'чө61110713',
    birthDate: '1961-11-07',
    familyName: 'Цорос',
  },
  document: 'd0000000-0000-4000-8000-000000000002',
  serial: '0b',
};

const CONTROL = 'Хяналтын утга-Control';

describe('forgetting a person', function () {
  this.timeout(60_000);
  let directory: string;
  let pool: pg.Pool;
  let database: Kysely<Database>;
  let log: PostgresEventLog;
  let vault: WatchingVault;
  let registry: CivilRegistryStore;
  let projector: Projector;
  let referenceData: ReferenceData;
  let keys: { readonly tuya: Buffer; readonly dorj: Buffer };
  let earlier: readonly RecordedEvent[];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-forget-'));
    const url = await migratedDatabase();
    pool = createPool({ url });
    database = createDatabase<Database>(pool);
    log = await startPostgresEventLog({ url });
    vault = createPersonalDataVault({
      keys: createPostgresPersonKeys({ pool }),
      masterKey: testMasterKey,
    });
    registry = createPostgresCivilRegistry({ pool, vault });
    referenceData = createReferenceData(database, vault);
    projector = createProjector({
      database,
      eventStore: createEventLog({ store: log, vault }),
      vault,
      notifications: createNotificationHub(),
      clock: systemClock,
      isOutage: isOutage,
      onFailure: () => undefined,
      leaderLock: createLeaderLock({ url, pollMs: 20 }),
    });
    projector.start();
  });

  after(async () => {
    await projector.stop();
    await log.stop();
    await database.destroy();
    await rm(directory, { recursive: true });
  });

  /** Event store of another process: its caches are empty. */
  async function everything(): Promise<readonly RecordedEvent[]> {
    const store = createEventLog({
      store: log,
      vault: createPersonalDataVault({
        keys: createPostgresPersonKeys({ pool }),
        masterKey: testMasterKey,
      }),
    });
    const head = await store.head();
    const events: RecordedEvent[] = [];
    let isDone: () => void;
    const done = new Promise<void>((resolve) => (isDone = resolve));
    const subscription = store.subscribe({
      after: null,
      onBatch: (batch, position) => {
        events.push(...batch);
        if (head !== null && position >= head) isDone();
        return Promise.resolve();
      },
    });
    await done;
    await subscription.stop();
    return events;
  }

  async function live({ civilId, identity, document, serial }: Person): Promise<void> {
    const store = createEventLog({ store: log, vault });
    const append = async (stream: string, ...events: Parameters<typeof recordable>[0][]) =>
      store.append(
        stream,
        events.map((event) => recordable(event)),
        'none',
      );
    const verified = { ...sampleEvents.IdentityVerified.data, civilId, identity };
    const updated = { ...sampleEvents.IdentityUpdated.data, civilId, identity };
    await append(
      `citizen-${civilId}`,
      { type: 'IdentityVerified', data: verified },
      citizenEnrolled(civilId, identity),
      { type: 'IdentityUpdated', data: updated },
    );
    const der = Buffer.from(
      `\x30\x82${identity.givenNameLatin}\x0c${identity.surname} ${identity.givenName}`,
    );
    for (const each of [serial, `${serial}0b`]) {
      const issued = certificateIssued(each, civilId);
      await append(
        `certificate-${each}`,
        certificateRequested(each, {
          holder: { kind: 'citizen', civilId, documentNumber: document },
        }),
        { ...issued, data: { ...issued.data, certificate: der.toString('base64') } },
      );
    }
    await append(
      `device-${document}`,
      deviceEnrolled(document, {
        civilId,
        authenticationSerial: serial,
        signingSerial: `${serial}0b`,
      }),
    );
    const { givenName, surname } = identity;
    for (let session = 0; session < 20; session += 1) {
      const id = `${civilId}-${session}`;
      const text = `${givenName} ${surname}, pay?`;
      const started = sessionStarted(id, {
        civilId,
        relyingPartyName: CONTROL,
        subsystem: Buffer.from(`x${CONTROL}`).toString(session % 2 === 0 ? 'base64' : 'hex'),
        fileName: `${identity.registrationNumber} ${identity.birthDate}.pdf`,
        interactions: [{ type: 'displayTextAndPIN', displayText60: text }],
      });
      await append(
        `session-${id}`,
        started,
        sessionConfirmed({ civilId, documentNumber: document, certificateSerial: serial }),
      );
    }
  }

  async function wrappedKey(civilId: string): Promise<Buffer> {
    const { rows } = await pool.query<{ wrapped_key: Buffer }>(
      'select wrapped_key from person_key where subject = $1',
      [civilId],
    );
    return rows[0]?.wrapped_key ?? Buffer.alloc(0);
  }

  function personal({ civilId, identity }: Person): readonly Needle[] {
    const values = {
      ...identity,
      upperCaseNumber: identity.registrationNumber.toUpperCase(),
    };
    return Object.entries(values).flatMap(([field, value]) =>
      typeof value === 'string' && field !== 'gender'
        ? needlesOf(`${field} of ${civilId}`, value)
        : [],
    );
  }

  const csvLine = ({ civilId, identity: of }: Person) =>
    [
      ...[civilId, of.registrationNumber.toUpperCase(), of.givenName, of.surname, of.familyName],
      ...[of.givenNameLatin, of.surnameLatin, of.birthDate, of.gender, of.geId, 'E1'],
    ].join(',');

  it('begins with two persons in the log, the read models and the civil register', async () => {
    const csvPath = join(directory, 'registry.csv');
    const header =
      'civilId,registrationNumber,givenName,surname,familyName,givenNameLatin,surnameLatin,birthDate,gender,geId,cardNumber';
    await writeFile(csvPath, [header, csvLine(tuya), csvLine(dorj)].join('\n'));
    await importsInto({ civilRegistry: registry })('civil', csvPath);
    await live(tuya);
    await live(dorj);
    await projector.untilProjected((await log.head()) ?? 0n, 20_000);
    earlier = await everything();
    keys = { tuya: await wrappedKey(tuya.civilId), dorj: await wrappedKey(dorj.civilId) };
    for (const { civilId, identity } of [tuya, dorj]) {
      const { registrationNumber } = identity;
      const byNumber = { type: 'registrationNumber', registrationNumber } as const;
      expect(await referenceData.citizen(byNumber)).to.deep.equal({ civilId, identity });
      expect((await registry.find(byNumber))?.identity).to.deep.equal(identity);
    }
    expect(keys.tuya).to.have.length(60);
  });

  it('starts from a database and files that never held personal data in the clear', async () => {
    const needles = [...personal(tuya), ...personal(dorj)];
    expect(findNeedles(await dumpTables(pool), needles)).to.deep.equal([]);
    const files = await readDataFiles(pool);
    expect(files.size).to.be.greaterThan(100);
    expect(findNeedles(files, needles)).to.deep.equal([]);
  });

  it('is checked by a scan that finds what is there, in every form', async () => {
    const plain = needlesOf('control', CONTROL);
    const forms = ['control in UTF-8', 'control in base64', 'control in hexadecimal'];
    for (const haystacks of [await dumpTables(pool), await readDataFiles(pool)]) {
      const found = findNeedles(haystacks, plain).map((each) => each.split(':')[0]);
      expect(found).to.include.members(forms);
    }
    const hidden = new Map([
      ['utf16', Buffer.from(tuya.identity.surname, 'utf16le').swap16()],
      ['json', Buffer.from('{"a":"\\u0428\\u04e9"}')],
      ...[0, 1, 2].map((ahead): [string, Buffer] => [
        `base64 after ${ahead}`,
        Buffer.from(Buffer.from(`${'-'.repeat(ahead)}Доржпалам--`).toString('base64')),
      ]),
    ]);
    const needles = [
      ...needlesOf('surname', tuya.identity.surname),
      ...needlesOf('letters', 'Шө'),
      ...needlesOf('name', 'Доржпалам'),
    ];
    const places = findNeedles(hidden, needles).map((each) => each.split(': ')[1]);
    expect(new Set(places)).to.deep.equal(new Set(hidden.keys()));
    const keyNeedles = bytesNeedles('key', keys.tuya);
    expect(findNeedles(await readDataFiles(pool), keyNeedles)).to.have.length.greaterThan(0);
  });

  const ended: string[] = [];
  const record = () => Promise.resolve();
  const endIdentity = (civilId: string) => {
    ended.push(civilId);
    return Promise.resolve();
  };

  const eraseDocuments = () => Promise.resolve({ kept: [], erased: [] });

  it('destroys the key, also on disk, and leaves that of everybody else', async () => {
    const { registrationNumber } = tuya.identity;
    const { civilId } = await forgetPerson(
      { vault, civilRegistry: registry, traces: [registry], record, endIdentity, eraseDocuments },
      { type: 'registrationNumber', registrationNumber },
    );
    expect(civilId).to.equal(tuya.civilId);
    expect(ended).to.deep.equal([civilId]);
    const files = await readDataFiles(pool);
    expect(findNeedles(files, bytesNeedles('key', keys.tuya))).to.deep.equal([]);
    expect(findNeedles(await dumpTables(pool), bytesNeedles('key', keys.tuya))).to.deep.equal([]);
    expect(findNeedles(files, bytesNeedles('key', keys.dorj))).to.have.length.greaterThan(0);
  });

  it('leaves no byte of name, birth date or registration number in a dump or in the files', async () => {
    const needles = [...personal(tuya), ...personal(dorj)];
    expect(findNeedles(await dumpTables(pool), needles)).to.deep.equal([]);
    expect(findNeedles(await readDataFiles(pool), needles)).to.deep.equal([]);
  });

  it('keeps the number and the order of events and shows placeholders in those of the person', async () => {
    const after = await everything();
    const placeOf = ({ id, stream, position, event }: RecordedEvent) => ({
      id,
      stream,
      position,
      type: event.type,
    });
    expect(after.map(placeOf)).to.deep.equal(earlier.map(placeOf));
    expect(after).to.have.length(2 * (3 + 4 + 1 + 40));
    for (const { stream, event } of after) {
      const data = event.data as Record<string, unknown>;
      if (data['civilId'] !== tuya.civilId) continue;
      if ('identity' in data) expect(data['identity']).to.deep.equal(forgottenIdentity);
      if ('certificate' in data) expect(data['certificate']).to.equal(FORGOTTEN);
      if (event.type === 'SessionStarted') {
        expect(data, stream).to.include({ fileName: null, deviceLink: null });
        expect(data['interactions']).to.deep.equal([]);
      }
    }
    const ofDorj = (events: readonly RecordedEvent[]) =>
      events.filter(({ event }) => 'civilId' in event.data && event.data.civilId === dorj.civilId);
    expect(ofDorj(after)).to.deep.equal(ofDorj(earlier));
    // All but the two requested certificates, which name the holder and nothing personal.
    expect(ofDorj(after)).to.have.length(46);
  });

  it('makes the person unknown to the read models and the register, and nobody else', async () => {
    for (const { civilId, identity } of [tuya, dorj]) {
      const isThere = civilId === dorj.civilId;
      const { registrationNumber } = identity;
      const byNumber = { type: 'registrationNumber', registrationNumber } as const;
      const byId = { type: 'civilId', civilId } as const;
      for (const identifier of [byNumber, byId]) {
        expect((await referenceData.citizen(identifier)) !== null).to.equal(isThere);
        expect((await registry.find(identifier)) !== null).to.equal(isThere);
      }
      const certificate = (await referenceData.certificate(civilId === dorj.civilId ? '0b' : '0a'))
        ?.certificate;
      expect(certificate !== null && certificate !== undefined).to.equal(isThere);
    }
  });

  it('may be repeated by civil id, while the registration number is nobody any more', async () => {
    const record = () => Promise.resolve();
    const dependencies = {
      vault,
      civilRegistry: registry,
      traces: [registry],
      record,
      endIdentity,
      eraseDocuments,
    };
    const { civilId, identity } = tuya;
    const again = await forgetPerson(dependencies, { type: 'civilId', civilId });
    expect(again.civilId).to.equal(civilId);
    const { registrationNumber } = identity;
    const refused = await rejection(
      forgetPerson(dependencies, { type: 'registrationNumber', registrationNumber }),
    );
    expect(isRefusal(refused, 'PERSON_NOT_FOUND')).to.equal(true);
  });
});
