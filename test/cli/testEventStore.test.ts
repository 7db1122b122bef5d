import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { emptied } from '../../main/cli/testEventStore.ts';

describe('Servers of the tests that need EventStoreDB', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-cluster-'));
  });

  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  /** A command for servers that start at this try, and what it was asked. */
  async function cluster(startsAt: number) {
    const [script, asked] = [join(directory, 'cluster'), join(directory, 'asked')];
    const hasStarted = `[ "$(grep -c up ${asked})" -ge ${startsAt} ]`;
    await writeFile(script, `echo $1 >> ${asked}\n[ $1 != up ] || ${hasStarted}\n`);
    return {
      command: `sh ${script}`,
      asked: async () => (await readFile(asked, 'utf8')).trim().split('\n'),
    };
  }

  it('are emptied once more when they do not start', async () => {
    const { command, asked } = await cluster(2);
    expect(await emptied(command)).to.equal(true);
    expect(await asked()).to.deep.equal(['wipe', 'up', 'wipe', 'up']);
  });

  it('are emptied once when they do', async () => {
    const { command, asked } = await cluster(1);
    expect(await emptied(command)).to.equal(true);
    expect(await asked()).to.deep.equal(['wipe', 'up']);
  });

  it('are given up when they do not start again', async () => {
    expect(await emptied((await cluster(3)).command)).to.equal(false);
  });

  it('are left as they are where no command is given', async () => {
    expect(await emptied(undefined)).to.equal(true);
  });
});
