import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { aloneInRegister } from '../../main/composition/registerImport.ts';
import type { ImportCounts } from '../../application/registerImport/importRegister.ts';
import type { CivilRegistryStore } from '../../infrastructure/registry/civilRegistryStore.ts';
import { createPostgresCivilRegistry } from '../../infrastructure/registry/postgresCivilRegistry.ts';
import {
  createPostgresOrganizationRegistry,
  type OrganizationRegistryStore,
} from '../../infrastructure/registry/postgresOrganizationRegistry.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { civilRecord } from '../contracts/civilRegistryContract.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createMemoryEventStore } from '../support/doubles/memoryEventStore.ts';
import { testVault } from '../support/doubles/vault.ts';
import { civilHeader, civilLine, importsInto } from '../support/installation/registerFiles.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

describe('O1: an import into a register', function () {
  this.timeout(60_000);
  const vault = testVault();
  let pool: pg.Pool;
  let directory: string;
  let path: string;
  let civilRegistry: CivilRegistryStore;
  let organizationRegistry: OrganizationRegistryStore;
  let eventStore: ReturnType<typeof createMemoryEventStore>;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-registers-'));
    path = join(directory, 'register.csv');
    pool = createPool({ url: await freshDatabase() });
    await migrate(createDatabase(pool));
    civilRegistry = createPostgresCivilRegistry({ pool, vault });
    organizationRegistry = createPostgresOrganizationRegistry(pool, vault);
  });

  after(async () => {
    await pool.end();
    await rm(directory, { recursive: true });
  });

  beforeEach(async () => {
    await pool.query('truncate civil_registry, organization_registry');
    eventStore = createMemoryEventStore();
  });

  const write = (...lines: readonly string[]) => writeFile(path, lines.join('\n'));
  const importer = () => importsInto({ civilRegistry, organizationRegistry }, { eventStore });
  const importCivil = (options: object = {}) => importer()('civil', path, options);
  const counts = (report: ImportCounts) => {
    const { lines, added, changed, unchanged, forgotten, refused } = report;
    return { lines, added, changed, unchanged, forgotten, refused };
  };
  const none = { lines: 0, added: 0, changed: 0, unchanged: 0, forgotten: 0, refused: 0 };
  const byNumber = (number: number) =>
    civilRegistry.find({ type: 'civilId', civilId: civilRecord(number).civilId });
  const recorded = () => eventStore.events.map(({ event }) => event);
  const linesFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => civilLine(first + index));

  it('brings in the good lines, refuses the others, and does only what is left when repeated', async () => {
    await write(civilHeader, civilLine(1), civilLine(2).replace(',F,', ',W,'), civilLine(3));
    const first = await importCivil();
    expect(counts(first)).to.deep.equal({ ...none, lines: 3, added: 2, refused: 1 });
    expect(first.refusals).to.deep.equal([{ line: 3, reason: 'gender must be M, F or X.' }]);
    expect(first.digest).to.equal(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
    expect(await byNumber(3)).to.deep.equal(civilRecord(3));
    await write(
      civilHeader,
      civilLine(1),
      civilLine(2),
      civilLine(3).replace('Цогтбаатар', 'Болд'),
    );
    expect(counts(await importCivil())).to.deep.equal({
      ...none,
      lines: 3,
      added: 1,
      changed: 1,
      unchanged: 1,
    });
    expect((await byNumber(3))?.identity.surname).to.equal('Болд');
    expect(counts(await importCivil())).to.deep.equal({ ...none, lines: 3, unchanged: 3 });
  });

  it('records who was added or changed, and nothing that is personal', async () => {
    await write(civilHeader, civilLine(1));
    await importCivil();
    await write(civilHeader, civilLine(2), civilLine(1).replace('E00000001', 'E77777777'));
    const { importId, digest } = await importCivil();
    const events = eventStore.events.slice(3);
    expect(new Set(events.map(({ stream }) => stream))).to.deep.equal(
      new Set([`registerImport-${String(importId)}`]),
    );
    const at = '2026-06-01T00:00:00.000Z';
    const register = 'civil';
    expect(events.map(({ event }) => event)).to.deep.equal([
      { type: 'RegisterImportStarted', data: { register, digest, startedAt: at } },
      {
        type: 'CivilRecordImported',
        data: { importId, civilId: civilRecord(2).civilId, change: 'ADDED', line: 2 },
      },
      {
        type: 'CivilRecordImported',
        data: { importId, civilId: civilRecord(1).civilId, change: 'CHANGED', line: 3 },
      },
      {
        type: 'RegisterImportCompleted',
        data: { register, ...none, lines: 2, added: 1, changed: 1, completedAt: at },
      },
    ]);
    const { actor } = eventStore.events[4]?.metadata ?? {};
    expect(actor).to.deep.equal({ kind: 'operator', id: 'command line' });
    expect(JSON.stringify(recorded())).not.to.match(/үё0|Цогтбаатар|E0000|E7777/iu);
  });

  it('writes nothing in a dry run, and says what would be done', async () => {
    await write(civilHeader, civilLine(1));
    await importCivil();
    const before = eventStore.events.length;
    await write(
      civilHeader,
      civilLine(1).replace(',F,', ',M,'),
      civilLine(2),
      civilLine(3).replace('ҮЁ00000003', 'ҮЁ00000002'),
    );
    const report = await importCivil({ dryRun: true });
    expect(report).to.include({ dryRun: true, importId: null });
    expect(counts(report)).to.deep.equal({ ...none, lines: 3, added: 1, changed: 1, refused: 1 });
    expect(await byNumber(1)).to.deep.equal(civilRecord(1));
    expect(await byNumber(2)).to.equal(null);
    expect(eventStore.events).to.have.length(before);
  });

  it("refuses a citizen's second line and another citizen's number, and takes the rest of the batch", async () => {
    await write(civilHeader, civilLine(1));
    await importCivil();
    await write(
      civilHeader,
      civilLine(2),
      civilLine(2).replace(',F,', ',M,'),
      civilLine(3).replace('ҮЁ00000003', 'үё00000002'),
      civilLine(4).replace('ҮЁ00000004', 'ҮЁ00000001'),
      civilLine(5),
    );
    const report = await importCivil();
    expect(report.refusals).to.deep.equal([
      { line: 3, reason: 'civilId is also in an earlier line. Keep one of them.' },
      { line: 4, reason: 'registrationNumber is also in an earlier line. Keep one of them.' },
      {
        line: 5,
        reason:
          'registrationNumber belongs to another citizen in the register. Correct the one that is wrong.',
      },
    ]);
    expect(counts(report)).to.deep.equal({ ...none, lines: 5, added: 2, refused: 3 });
    expect(await byNumber(2)).to.deep.equal(civilRecord(2));
    expect(await byNumber(5)).to.deep.equal(civilRecord(5));
  });

  it('leaves forgotten persons out, works in batches and tells its progress', async () => {
    await vault.forget(civilRecord(7).civilId);
    await write(civilHeader, ...linesFrom(1, 1100));
    const soFar: number[] = [];
    const onProgress = ({ lines }: ImportCounts) => soFar.push(lines);
    const report = await importCivil({ onProgress });
    expect(counts(report)).to.deep.equal({ ...none, lines: 1100, added: 1099, forgotten: 1 });
    expect(soFar).to.deep.equal([500, 1000, 1100]);
    expect(recorded()).to.have.length(1101);
    const again = await importCivil();
    expect(counts(again)).to.deep.equal({ ...none, lines: 1100, unchanged: 1099, forgotten: 1 });
    expect(recorded()).to.have.length(1103);
  });

  it('is continued by the same import after an interruption, with no change left unrecorded', async () => {
    await write(civilHeader, ...linesFrom(2001, 1100));
    let batches = 0;
    const breaking = {
      ...civilRegistry,
      save: async (records: Parameters<CivilRegistryStore['save']>[0]) => {
        await civilRegistry.save(records);
        batches += 1;
        if (batches === 2) throw new Error('killed');
      },
    };
    const interrupted = importsInto({ civilRegistry: breaking }, { eventStore });
    expect(String(await rejection(interrupted('civil', path)))).to.include('killed');
    expect(recorded().filter(({ type }) => type === 'RegisterImportCompleted')).to.have.length(0);
    const report = await importCivil();
    expect(counts(report)).to.deep.equal({ ...none, lines: 1100, added: 100, unchanged: 1000 });
    const named = recorded().flatMap((event) =>
      event.type === 'CivilRecordImported' ? [(event.data as { civilId: string }).civilId] : [],
    );
    expect(new Set(named).size).to.equal(1100);
  });

  it('names a thousand refused lines at most, and counts all', async () => {
    await write(civilHeader, ...linesFrom(1, 1200).map((line) => line.replace(',F,', ',W,')));
    const report = await importCivil();
    expect([report.refused, report.refusals.length]).to.deep.equal([1200, 1000]);
  });

  it('is alone in its register, and does not keep another register waiting', async () => {
    const aloneIn = aloneInRegister(pool);
    const importing = importsInto({ civilRegistry, organizationRegistry }, { eventStore, aloneIn });
    await write(civilHeader, civilLine(1));
    await aloneIn('register import civil', async () => {
      const fault = await rejection(importing('civil', path));
      expect(String(fault)).to.include('Another import into this register is running');
      await importing('organizations', 'docs/samples/organizations.csv');
    });
    expect((await importing('civil', path)).added).to.equal(1);
  });

  it('takes the sample files of the documentation, the same from both formats', async () => {
    for (const [register, file, lines] of [
      ['civil', 'docs/samples/civil-register', 3],
      ['organizations', 'docs/samples/organizations', 2],
    ] as const) {
      const first = await importer()(register, `${file}.csv`);
      expect(counts(first), file).to.deep.equal({ ...none, lines, added: lines });
      const second = await importer()(register, `${file}.jsonl`);
      expect(counts(second), file).to.deep.equal({ ...none, lines, unchanged: lines });
    }
    const organization = await organizationRegistry.find('5598765');
    expect(organization?.address).to.equal('Улаанбаатар, Баянзүрх дүүрэг, 3-р хороо');
    expect(await organizationRegistry.isAffiliate('5598765', 'уа90013115')).to.equal(true);
    expect(await organizationRegistry.isAffiliate('6598766', 'уа90013115')).to.equal(null);
  });

  it('finds the differences of an organization, its affiliates in any order', async () => {
    const header = 'register,coreId,name,legalName,email,phone,address,affiliates';
    const lines = (affiliates: string, name = 'Нэг') =>
      write(header, `5512345,1,${name},Нэг ХХК,,,,${affiliates}`);
    const importing = async () => counts(await importer()('organizations', path));
    await lines('ҮЁ00000001 ҮЁ00000002');
    expect(await importing()).to.include({ added: 1 });
    await lines('ҮЁ00000002 ҮЁ00000001');
    expect(await importing()).to.include({ unchanged: 1 });
    await lines('ҮЁ00000002');
    expect(await importing()).to.include({ changed: 1 });
    await lines('ҮЁ00000002', 'Хоёр');
    expect(await importing()).to.include({ changed: 1 });
    expect((await organizationRegistry.find('5512345'))?.name).to.equal('Хоёр');
    const changed = recorded().filter(({ type }) => type === 'OrganizationRecordImported');
    expect(changed).to.have.length(3);
  });

  it('needs a file it can read, and to know its format', async () => {
    const missing = await rejection(importer()('civil', join(directory, 'none.csv')));
    expect((missing as { code?: string }).code).to.equal('ENOENT');
    const text = join(directory, 'register.txt');
    await writeFile(text, `${civilHeader}\n${civilLine(1)}`);
    expect(String(await rejection(importer()('civil', text)))).to.include('Give --format');
    expect((await importer()('civil', text, { format: 'csv' })).added).to.equal(1);
  });
});
