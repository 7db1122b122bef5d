import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { withService } from '../../main/cli/openService.ts';
import { program } from '../../main/cli/program.ts';
import { type ImportCommandOptions, importFile } from '../../main/cli/registers.ts';
import type { RegisterName } from '../../domain/registerImport/events.ts';
import type { ImportReport } from '../../application/registerImport/importRegister.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { civilHeader, civilLine } from '../support/installation/registerFiles.ts';
import { commonSettings } from '../support/installation/serviceProcess.ts';

describe('O1: `./tamga registry import`', function () {
  this.timeout(120_000);
  const inherited = { ...process.env };
  let directory: string;
  let database: pg.Client;
  let file: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-registry-command-'));
    file = join(directory, 'register.csv');
    const url = await migratedDatabase();
    database = new pg.Client(url);
    await database.connect();
    Object.assign(process.env, commonSettings(), {
      SVC_DATABASE_URL: url,
      SVC_DATA_DIR: directory,
    });
  });

  after(async () => {
    for (const name of Object.keys(process.env)) {
      if (!(name in inherited)) Reflect.deleteProperty(process.env, name);
    }
    Object.assign(process.env, inherited);
    await database.end();
    await rm(directory, { recursive: true });
  });

  /** Standard output and exit code. */
  async function outcome(work: () => Promise<unknown>) {
    const { write } = process.stdout;
    const { exitCode } = process;
    let text = '';
    process.stdout.write = (chunk: string | Uint8Array) => {
      text += Buffer.from(chunk).toString();
      return true;
    };
    try {
      const returned = await work();
      return { text, exitCode: returned ?? process.exitCode };
    } finally {
      process.stdout.write = write;
      process.exitCode = exitCode;
    }
  }

  const plain = { dryRun: false, json: false };
  const run = (register: RegisterName, path: string, options: Partial<ImportCommandOptions> = {}) =>
    outcome(() => importFile(register, path, { ...plain, ...options }));

  const citizens = async () => {
    const { rows } = await database.query<{ count: string }>(
      'select count(*) as count from civil_registry',
    );
    return Number(rows[0]?.count);
  };

  it('reports in words, with the refused lines, and ends with 1 where there are some', async () => {
    const wrong = civilLine(2).replace(',F,', ',W,');
    await writeFile(file, [civilHeader, civilLine(1), wrong].join('\n'));
    const dry = await run('civil', file, { dryRun: true });
    expect(dry.exitCode).to.equal(1);
    expect(dry.text).to.match(/^Dry run: nothing was written\.\nregister {3}civil\n/u);
    expect(await citizens()).to.equal(0);
    const { text, exitCode } = await run('civil', file);
    expect(exitCode).to.equal(1);
    expect(text).to.match(/^Import [0-9a-f-]{36}\.\n/u);
    expect(text.split('\n').slice(3)).to.deep.equal([
      ...['lines      2', 'added      1', 'changed    0', 'unchanged  0'],
      ...['forgotten  0', 'refused    1', 'line 3: gender must be M, F or X.', ''],
    ]);
    expect(await citizens()).to.equal(1);
  });

  it('reports as JSON, reads a file whose format is said, and ends with 0 where nothing was refused', async () => {
    const { text, exitCode } = await outcome(async () => {
      const parameters = [
        'registry',
        'import',
        'civil',
        'docs/samples/civil-register.jsonl',
        '--json',
      ];
      await program.parseAsync(parameters, { from: 'user' });
    });
    expect(exitCode).to.equal(0);
    const report = JSON.parse(text) as ImportReport;
    expect(report).to.include({ register: 'civil', lines: 3, added: 3, refused: 0, dryRun: false });
    const { rows } = await database.query<{ type: string }>(
      "select type from event where stream = 'registerImport-' || $1 order by position",
      [report.importId],
    );
    expect(rows.map(({ type }) => type)).to.deep.equal([
      'RegisterImportStarted',
      ...Array.from({ length: 3 }, () => 'CivilRecordImported'),
      'RegisterImportCompleted',
    ]);
    const named = join(directory, 'register.export');
    await writeFile(named, `${civilHeader}\n${civilLine(5)}`);
    expect((await run('civil', named, { format: 'csv' })).exitCode).to.equal(0);
    expect((await run('organizations', 'docs/samples/organizations.csv')).exitCode).to.equal(0);
  });

  it('leaves the import and each record in the audit, with who did it', async () => {
    await run('organizations', 'docs/samples/organizations.csv');
    for (let time = 0; time < 2; time += 1) await run('civil', 'docs/samples/civil-register.csv');
    await withService(async ({ organizations }) => {
      const [record, ...others] = await organizations.audit({ subject: 'PNOMN-110000000102' }, 10);
      expect(others).to.deep.equal([]);
      expect(record).to.deep.include({
        type: 'CIVIL_RECORD_IMPORT',
        subject: 'PNOMN-110000000102',
        outcome: 'OK',
        actor: { kind: 'operator', id: 'command line' },
      });
      expect(record?.details).to.include({ change: 'ADDED', line: 2 });
      const [organization] = await organizations.audit({ subject: 'NTRMN-5598765' }, 10);
      expect(organization?.type).to.equal('ORG_RECORD_IMPORT');
      const [last] = await organizations.audit({ type: 'REGISTER_IMPORT' }, 1);
      expect(last?.details).to.include({ register: 'civil', lines: 3, added: 0, unchanged: 3 });
    });
  });
});
