import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { readCivilRecords } from '../../infrastructure/registry/civilRecordCsv.ts';
import { importCivilRegistry } from '../../infrastructure/registry/importCivilRegistry.ts';
import { RegistryImportRefused } from '../../infrastructure/registry/importRefused.ts';
import { createMemoryCivilRegistry } from '../support/doubles/memoryCivilRegistry.ts';
import { createPostgresCivilRegistry } from '../../infrastructure/registry/postgresCivilRegistry.ts';
import { civilRecord, civilRegistryContract } from '../contracts/civilRegistryContract.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { testVault } from '../support/doubles/vault.ts';

const DEMO = 'infrastructure/registry/demo/civil-registry.csv';

describe('the civil registry in memory', () => {
  civilRegistryContract(() => {
    const vault = testVault();
    return Promise.resolve({ vault, registry: createMemoryCivilRegistry({ vault }) });
  });
});

describe('the civil registry in PostgreSQL', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = createPool({ url: await freshDatabase() });
    await migrate(createDatabase(pool));
  });

  after(() => pool.end());

  civilRegistryContract(async () => {
    await pool.query('truncate civil_registry');
    const vault = testVault();
    return { vault, registry: createPostgresCivilRegistry({ pool, vault }) };
  });

  it('names the civil registry as unavailable when its database is down', async () => {
    const away = createPool({ url: 'postgres://tamga@127.0.0.1:1/tamga' });
    const registry = createPostgresCivilRegistry({ pool: away, vault: testVault() });
    const fault = await rejection(registry.find({ type: 'civilId', civilId: '130000000001' }));
    expect(fault).to.be.instanceOf(Unavailable);
    expect((fault as Unavailable).dependency).to.equal('civilRegistry');
    await away.end();
  });
});

describe('importing the civil registry from CSV', () => {
  let directory: string;
  let csvPath: string;
  const header =
    'civilId,registrationNumber,givenName,surname,familyName,givenNameLatin,surnameLatin,birthDate,gender,geId,cardNumber';
  const line = (number: number) =>
    `1300${String(number).padStart(8, '0')},ҮЁ${String(number).padStart(8, '0')},Өнөржаргал,Цогтбаатар,Боржигон,Unurjargal,Tsogtbaatar,1990-01-31,F,,E${String(number).padStart(8, '0')}`;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-registry-'));
    csvPath = join(directory, 'registry.csv');
  });

  after(() => rm(directory, { recursive: true }));

  const write = (...lines: string[]) => writeFile(csvPath, lines.join('\n'));

  async function refusal(): Promise<RegistryImportRefused> {
    const registry = createMemoryCivilRegistry({ vault: testVault() });
    const error = await rejection(importCivilRegistry({ csvPath, registry }));
    expect(error).to.be.instanceOf(RegistryImportRefused);
    return error as RegistryImportRefused;
  }

  it('loads the demo file, thirteen citizens whose registration numbers agree with their birth dates', async () => {
    const registry = createMemoryCivilRegistry({ vault: testVault() });
    const saved = await importCivilRegistry({ csvPath: DEMO, registry });
    expect(saved).to.deep.equal({ written: 13, unchanged: 0, forgotten: 0 });
    let withoutGeId = 0;
    for await (const one of readCivilRecords(DEMO)) {
      if ('detail' in one) throw new Error(one.detail);
      const { birthDate, registrationNumber, geId } = one.record.identity;
      const [year = 0, month = 0, day = 0] = birthDate.split('-').map(Number);
      const coded = [year % 100, year < 2000 ? month : month + 20, day];
      expect(registrationNumber.slice(2, 8)).to.equal(
        coded.map((part) => String(part).padStart(2, '0')).join(''),
      );
      if (geId === null) withoutGeId += 1;
    }
    expect(withoutGeId).to.equal(1);
  });

  it('reads what is written, whatever the order of the columns, the byte order mark or the case', async () => {
    const reversed = (text: string) => text.split(',').reverse().join(',');
    await write(`\uFEFF${reversed(header)}`, reversed(line(1)), '', reversed(line(2)));
    const registry = createMemoryCivilRegistry({ vault: testVault() });
    await importCivilRegistry({ csvPath, registry });
    expect(
      await registry.find({ type: 'registrationNumber', registrationNumber: 'үё00000002' }),
    ).to.deep.equal(civilRecord(2));
  });

  it('reads e-mail addresses where the file has them, and refuses what is none', async () => {
    const registry = createMemoryCivilRegistry({ vault: testVault() });
    await write(`${header},email`, `${line(1)},one@example.mn`, `${line(2)},`);
    await importCivilRegistry({ csvPath, registry });
    const found = (number: number) =>
      registry.find({ type: 'civilId', civilId: civilRecord(number).civilId });
    expect(await found(1)).to.deep.equal({ ...civilRecord(1), email: 'one@example.mn' });
    expect(await found(2)).to.deep.equal(civilRecord(2));
    await write(`${header},email`, `${line(1)},nobody`);
    expect((await refusal()).message).to.include('email must be an e-mail address');
  });

  it('imports in batches, tells the progress, leaves forgotten persons out and changes nothing twice', async () => {
    const vault = testVault();
    const registry = createMemoryCivilRegistry({ vault });
    await vault.forget(civilRecord(7).civilId);
    await write(header, ...Array.from({ length: 1100 }, (_, index) => line(index)));
    const progress: number[] = [];
    const onProgress = ({ written }: { written: number }) => progress.push(written);
    expect(await importCivilRegistry({ csvPath, registry, onProgress })).to.deep.equal({
      written: 1099,
      unchanged: 0,
      forgotten: 1,
    });
    expect(progress).to.deep.equal([499, 999, 1099]);
    expect(await importCivilRegistry({ csvPath, registry })).to.deep.equal({
      written: 0,
      unchanged: 1099,
      forgotten: 1,
    });
  });

  it('names every faulty line, says nothing of what stood there and imports none', async () => {
    await write(
      header,
      line(1),
      line(2).replace('ҮЁ00000002', 'UE00000002'),
      line(3).replace('1990-01-31', '1990-02-31'),
      line(1),
      line(4).replace(',F,', ',W,'),
    );
    const { faults, message } = await refusal();
    expect(faults).to.deep.equal([
      { line: 3, detail: 'registrationNumber must be two Cyrillic letters and 8 digits.' },
      { line: 4, detail: 'birthDate must be a date YYYY-MM-DD.' },
      { line: 5, detail: 'civilId stands there twice.' },
      { line: 5, detail: 'registrationNumber stands there twice.' },
      { line: 6, detail: 'gender must be M, F or X.' },
    ]);
    for (const secret of ['00000002', 'Өнөржаргал', '1990']) {
      expect(message).not.to.contain(secret);
    }
  });

  it('names the columns that are missing, a line of the wrong length and broken quotes', async () => {
    await write(header.replace(',gender', ''), line(1));
    expect((await refusal()).faults).to.deep.equal([
      { line: 1, detail: 'Missing columns: gender.' },
    ]);
    await write('');
    expect((await refusal()).faults[0]?.detail).to.match(/^Missing columns: civilId, /);
    await write(header, line(1), `${line(2)},more`);
    expect((await refusal()).faults).to.deep.equal([
      { line: 3, detail: 'Malformed CSV: CSV_RECORD_INCONSISTENT_COLUMNS.' },
    ]);
    await write(header, line(1), `"${line(2)}`);
    expect((await refusal()).faults[0]?.detail).to.contain('Malformed CSV');
  });

  it('names the lines when a registration number belongs to someone already registered', async () => {
    const registry = createMemoryCivilRegistry({ vault: testVault() });
    await registry.save([civilRecord(9, { identity: civilRecord(1).identity })]);
    await write(header, line(1));
    const error = await rejection(importCivilRegistry({ csvPath, registry }));
    expect(String(error)).to.contain('line 2: A registration number belongs to another civil id');
  });

  it('fails when the file cannot be read', async () => {
    const registry = createMemoryCivilRegistry({ vault: testVault() });
    const error = await rejection(
      importCivilRegistry({ csvPath: join(directory, 'none.csv'), registry }),
    );
    expect((error as { code?: string }).code).to.equal('ENOENT');
  });
});
