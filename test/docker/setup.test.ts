import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isInstalled } from '../../main/cli/test.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { shownBlock } from '../support/programs/shownBlocks.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';
import { run } from '../support/programs/tools.ts';

const page = readFileSync('docs/setup.md', 'utf8');
const ceremony = readFileSync('docs/ceremony.md', 'utf8');

const block = (name: string) => shownBlock('docs/setup.md', name);

/** Settings of a block, with its directories below another one. */
const settingsOf = (name: string, directory: string) =>
  block(name).replaceAll('/etc/tamga', directory).replaceAll('/var/lib/tamga', directory);

describe('The set-up of one machine', () => {
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-setup-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('has secrets and settings that nothing is wrong with', async () => {
    execFileSync('sh', ['-eu', '-c', block('secrets')], {
      env: { ...process.env, ETC: directory, PASSWORD: 'unused' },
    });
    await writeFile(join(directory, 'database-url'), await migratedDatabase());
    for (const kept of ['files', 'archive']) await mkdir(join(directory, kept));
    const files = ['environment', 'all.environment'].map((name) => join(directory, name));
    await writeFile(files[0] ?? '', settingsOf('environment', directory));
    await writeFile(files[1] ?? '', settingsOf('all', directory));
    // Ports of this machine may be in use.
    const environment = ['SVC_PORT=0', 'SVC_CONSOLE_PORT=0', 'SVC_MANAGEMENT_PORT=0'];
    const { output } = await run(
      'env',
      ...['-i', `PATH=${process.env['PATH'] ?? ''}`, 'sh', '-eu', '-c'],
      // Sources the files as the page does for its commands.
      ...['set -a && . "$0" && . "$1" && set +a && shift && exec env "$@"', ...files],
      ...[...environment, process.execPath, tamgaProgram(), 'check-config'],
    );
    // Root and settings have the same names, arc and address.
    for (const [question, name] of [
      ['Operator name', 'SVC_PKI_OPERATOR_NAME'],
      ['Operator number', 'SVC_PKI_OPERATOR_ETSI'],
      ['Policy arc', 'SVC_PKI_POLICY_ARC'],
      ['Address of the PKI', 'SVC_PKI_BASE'],
    ] as const) {
      const [, answer = ''] = new RegExp(`^${question}: (.*)$`, 'm').exec(ceremony) ?? [];
      expect(block('environment').replaceAll('"', '')).to.include(`${name}=${answer}\n`);
    }
    const told = (mark: string) => output.split('\n').filter((line) => line.startsWith(mark));
    // The server of the tests, alone, may lose what it acknowledged.
    const [server, root, ...more] = told('fails');
    expect(server).to.match(/^fails SVC_DATABASE_URL: .* is not safe to use:$/);
    // It comes from the ceremony.
    expect(root).to.match(/^fails SVC_ROOT_KEY_ONLINE: There is no Root CA yet\./);
    expect(more).to.deep.equal([]);
    expect(told('warns SVC_')).to.deep.equal([]);
    const key = await readFile(join(directory, 'master-key'), 'utf8');
    expect(Buffer.from(key, 'base64')).to.have.length(32);
  });

  it('has a unit of systemd that exposes less than 3 of 10', async function () {
    if (!isInstalled('systemd-analyze')) {
      process.stdout.write('systemd-analyze is missing: the unit is not examined.\n');
      this.skip();
    }
    const unit = join(directory, 'tamga@api.service');
    await copyFile('docker/systemd/tamga@.service', unit);
    const { code, output } = await run(
      'systemd-analyze',
      ...['security', '--offline=true', '--threshold=30', unit],
    );
    expect(code, output).to.equal(0);
    const [, exposure = ''] = /exposure level for \S+: ([\d.]+)/.exec(output) ?? [];
    expect(page).to.include(`reports ${exposure} of 10`);
  });
});
