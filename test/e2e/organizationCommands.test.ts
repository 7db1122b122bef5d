import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { commonSettings } from '../support/installation/serviceProcess.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

const run = promisify(execFile);

describe('./tamga org', function () {
  this.timeout(300_000);
  let demo: DemoInstallation;

  before(async () => {
    demo = await startDemoInstallation();
  });

  after(() => demo.stop());

  async function org(...parameters: readonly string[]): Promise<string> {
    const { PATH } = process.env;
    const { stdout } = await run(process.execPath, [tamgaProgram(), 'org', ...parameters], {
      env: {
        PATH,
        ...commonSettings(),
        SVC_DATABASE_URL: demo.databaseUrl,
        SVC_DATA_DIR: demo.directory,
      },
    });
    return stdout;
  }

  it('registers organizations, gives and takes rights, and lists what happened', async () => {
    const [person] = demoCitizens;
    if (person === undefined) throw new Error('There is no demo citizen.');
    await demo.enrol(person.civilId);
    expect(await org('register', 'уб7654321', 'Тест ХХК', '--activate')).to.include('УБ7654321');
    await org('grant', 'УБ7654321', person.civilId, '--right', 'ADMIN', '--evidence', 'order 7');
    await org('suspend', 'УБ7654321');
    expect(await org('list')).to.match(/УБ7654321 +SUSPENDED +Тест ХХК/);
    const lines = (await org('audit', '--subject', 'NTRMN-УБ7654321')).trim().split('\n');
    expect(lines.map((line) => line.split(/ +/)[1])).to.deep.equal([
      ...['ORG_STATUS', 'ORG_REP_ADD', 'ORG_REGISTER'],
    ]);
    for (const line of lines) {
      expect(line).to.include('OK').and.to.include('operator command line');
    }
    expect(await org('audit')).to.include('ORG_REP_ADD');
  });
});
