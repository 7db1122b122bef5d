import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { call } from '../../main/drill/callers.ts';
import {
  cycle,
  type LiveInstallation,
  startInstallation,
} from '../support/installation/liveInstallation.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import {
  commonSettings,
  createServiceProcess,
  type Settings,
} from '../support/installation/serviceProcess.ts';
import { run } from '../support/programs/tools.ts';
import { until } from '../support/assertions/waiting.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

/** An empty server named in the environment, or the double. */
async function anEventStore(): Promise<Pick<EventStoreDbDouble, 'url' | 'stop'>> {
  const url = process.env['SVC_EVENTSTORE_URL'];
  return url === undefined ? startEventStoreDbDouble() : { url, stop: () => Promise.resolve() };
}

describe('An installation whose log is moved', function () {
  this.timeout(300_000);
  let eventStore: Pick<EventStoreDbDouble, 'url' | 'stop'>;
  let databaseUrl: string;
  let directory: string;
  let installed: LiveInstallation;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-move-'));
    eventStore = await anEventStore();
    databaseUrl = await migratedDatabase();
    installed = await startInstallation({ SVC_DATABASE_URL: databaseUrl });
    await cycle(installed);
  });

  after(async () => {
    await installed.service.stop();
    await eventStore.stop();
    await rm(directory, { recursive: true });
  });

  /** `./tamga …` as whoever runs the service types it. */
  function tamga(settings: Settings, ...words: string[]) {
    const { PATH = '' } = process.env;
    const env = { PATH, ...commonSettings(), SVC_DATABASE_URL: databaseUrl, ...settings };
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return run('env', '-i', ...variables, process.execPath, tamgaProgram(), ...words);
  }

  async function query<Row extends object>(sql: string): Promise<readonly Row[]> {
    const pool = createPool({ url: databaseUrl, max: 1 });
    const { rows } = await pool.query<Row>(sql);
    await pool.end();
    return rows;
  }

  /** Entries of the audit, in order. */
  const auditRows = () =>
    query<{ event_id: string }>('select event_id from audit_view order by position');

  /** Rows nobody changes: which transactions wrote them, where. Whoever rebuilds a read model writes them anew. */
  const written = () =>
    query(`select relying_party_id::text as id, xmin::text, ctid::text, tableoid::text from relying_party_view
           union all select document_number::text, xmin::text, ctid::text, tableoid::text from device_view`);

  async function isWhole(): Promise<void> {
    await cycle(installed);
    const { status, body } = await call(`${installed.service.origin}/readyz`);
    expect(status).to.equal(200);
    const projections = body['projections'] as readonly { readonly running: boolean }[];
    expect(projections.filter(({ running }) => !running)).to.deep.equal([]);
  }

  async function restart(settings: Settings): Promise<void> {
    const own = { SVC_DATABASE_URL: databaseUrl, ...settings };
    const service = await createServiceProcess(own, installed.service.origin);
    await service.start();
    installed = { ...installed, service };
  }

  /** Exports the log and verifies it with the keys the first service published. */
  async function verified(settings: Settings): Promise<number> {
    const file = join(directory, 'log.jsonl');
    expect((await tamga(settings, 'audit', 'export', file)).code).to.equal(0);
    const { code, output } = await tamga({}, 'audit', 'verify', file, '--key', `${file}.keys.pem`);
    expect(output).to.match(/^Verified: /);
    expect(code).to.equal(0);
    return (await readFile(file, 'utf8')).trimEnd().split('\n').length;
  }

  it('goes on in EventStoreDB, and back in PostgreSQL, with everything it had', async () => {
    const there: Settings = { SVC_EVENTSTORE_URL: eventStore.url };
    const first = await verified({});

    // While the service runs: copied, not switched.
    const copied = await tamga({}, 'log', 'copy', '--to', eventStore.url);
    expect(copied.output).to.match(
      /Equal: \d+ events\. Merkle root of the source (\S+), of the destination \1\./,
    );
    expect(copied.code).to.equal(0);
    const early = await tamga({}, 'log', 'copy', '--to', eventStore.url, '--switch');
    expect(early.output).to.match(/The log was not switched: 1 process of the service still run/);
    expect(early.code).to.equal(1);
    await isWhole();

    await installed.service.stop();
    const before = await auditRows();
    const rows = await written();
    expect(rows).to.have.lengthOf(2);
    const switched = await tamga({}, 'log', 'copy', '--to', eventStore.url, '--switch');
    expect(switched.output).to.match(/Switched: the database follows the log of epoch 2/);
    expect(switched.code).to.equal(0);
    expect(await auditRows()).to.deep.equal(before);

    // The former log refuses the start and says why.
    const former = await createServiceProcess({ SVC_DATABASE_URL: databaseUrl });
    former.launch();
    await until(() => former.hasEnded());
    expect(former.output()).to.match(/^tamga: This log was moved \(epoch 2\) to esdb:/);

    await restart(there);
    await isWhole();
    const second = await verified(there);
    expect(second).to.be.greaterThan(first);
    expect((await auditRows()).slice(0, before.length)).to.deep.equal(before);
    expect(await written()).to.deep.equal(rows);

    await installed.service.stop();
    const back = await tamga(there, 'log', 'copy', '--to', databaseUrl, '--switch');
    expect(back.output).to.match(/Switched: the database follows the log of epoch 3/);
    await restart({});
    await isWhole();
    expect(await verified({})).to.be.greaterThan(second);
    expect(await written()).to.deep.equal(rows);
  });
});
