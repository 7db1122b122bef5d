import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../support/assertions/waiting.ts';

const module = fileURLToPath(new URL('../../main/cli/test.js', import.meta.url));

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('A run of the tests', () => {
  /** Runs a shell that starts a process, says its id, and does the rest. */
  function runShell(rest: string) {
    const program = `
      const { runAsGroup } = await import(${JSON.stringify(module)});
      process.exitCode = await runAsGroup('/bin/sh', ['-c', 'sleep 600 & echo $!; ${rest}']);`;
    const parameters = ['--input-type=module', '--eval', program];
    const run = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    run.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return { run, said: () => said };
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends all that it started on ${signal}`, async () => {
      const { run, said } = runShell('wait');
      await until(() => said().includes('\n'));
      const started = Number(said());
      expect(isRunning(started)).to.equal(true);
      run.kill(signal);
      const [code] = (await once(run, 'exit')) as [number];
      expect(code).to.equal(signal === 'SIGTERM' ? 143 : 130);
      await until(() => !isRunning(started));
    });
  }

  it('ends with the exit code of the program', async () => {
    const { run } = runShell('kill $!; exit 7');
    expect(await once(run, 'exit')).to.deep.equal([7, null]);
  });
});
