import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { builtExample } from '../support/programs/clientExample.ts';

const run = promisify(execFile);

/** Loaded before everything else: any socket, name look-up or server ends the program. */
const noNetwork = `
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
const forbid = (owner, name) => {
  owner[name] = () => {
    process.stderr.write('NETWORK ' + name + '\\n');
    process.exit(99);
  };
};
forbid(net.Socket.prototype, 'connect');
forbid(net.Server.prototype, 'listen');
forbid(dgram, 'createSocket');
forbid(dns, 'lookup');
`;

describe("A small bank's own tests on the fake platform", () => {
  const guard = resolve('dist/test-artefacts', `no-network-${process.pid}.mjs`);

  before(() => writeFile(guard, noNetwork));
  after(() => rm(guard, { force: true }));

  it('pass without opening a socket', async () => {
    const suite = await builtExample('small-bank/bank.test.ts');
    const { stdout, stderr } = await run(process.execPath, [
      ...['--import', guard, '--test', '--test-isolation=none', '--test-reporter=tap', suite],
    ]);
    expect(stderr).to.equal('');
    expect(stdout).to.match(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).to.be.above(25);
  });

  it('would have been ended by one', async () => {
    const asking = "await fetch('http://127.0.0.1:59999/').catch(() => 0);";
    const options = ['--import', guard, '--input-type=module', '--eval', asking];
    const ended = await run(process.execPath, options).catch((error: unknown) => error);
    expect(ended).to.include({ code: 99 }).and.have.property('stderr').that.includes('NETWORK');
  });
});
