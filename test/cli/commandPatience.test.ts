import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../support/assertions/waiting.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { createServiceProcess, type Settings } from '../support/installation/serviceProcess.ts';

const cli = fileURLToPath(new URL('../../../main/cli/', import.meta.url));
/** Time limit of a command on a busy machine, ms. */
const ENDS_WITHIN_MS = 100_000;

describe('C: A command, while the log is not available', function () {
  this.timeout(200_000);
  let double: EventStoreDbDouble;
  let settings: Settings;

  before(async () => {
    double = await startEventStoreDbDouble();
    settings = {
      SVC_DATABASE_URL: await migratedDatabase(),
      SVC_EVENTSTORE_URL: double.url,
      SVC_START_WAIT: '90',
    };
  });

  after(() => double.stop());

  const commands: Readonly<Record<string, () => readonly string[]>> = {
    'opens the service': () => ['admin', 'list'],
    'opens the logs themselves': () => ['log', 'copy', '--to', settings['SVC_DATABASE_URL'] ?? ''],
  };
  for (const [what, command] of Object.entries(commands)) {
    it(`waits for it, says so, and succeeds (a command that ${what})`, async () => {
      await double.goAway();
      const running = await createServiceProcess(settings, undefined, command());
      running.launch();
      await until(() => running.output().includes('Waiting for up to 90 s'), ENDS_WITHIN_MS);
      expect(running.output()).to.include('SVC_EVENTSTORE_URL');
      await double.comeBack();
      await until(() => running.hasEnded(), ENDS_WITHIN_MS);
      expect(await running.stop(), running.output()).to.equal(0);
    });
  }

  it('has no other door to log or database', async () => {
    const doors =
      /\b(?:createService|createEventStoreDbEventLog|createPostgresEventLog|createPool|openDatabase)\(/u;
    // The last one starts nothing of the service that it describes.
    const patient = ['openService.ts', 'serve.ts', 'up.ts', 'documentation.ts'];
    const others: string[] = [];
    for (const file of await readdir(cli)) {
      if (!file.endsWith('.ts') || patient.includes(file)) continue;
      if (doors.test(await readFile(`${cli}${file}`, 'utf8'))) others.push(file);
    }
    expect(others).to.deep.equal([]);
  });
});
