import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../infrastructure/telemetry/log.ts';
import { until } from '../support/http/http.ts';

describe('The log', () => {
  it('writes JSON lines of its level, errors without what drivers attach to them', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tamga-log-'));
    const path = join(directory, 'log');
    const log = createLog({ level: 'info', destination: path });
    log.debug({}, 'too fine');
    log.info({ requestId: 'r1' }, 'request');
    const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key=Бат' });
    log.error({ err: new Error('append failed', { cause }) }, 'request failed');
    let text = '';
    const reading = setInterval(() => {
      void readFile(path, 'utf8').then((read) => (text = read));
    }, 10);
    await until(() => text.includes('request failed'));
    clearInterval(reading);
    log.close();
    await rm(directory, { recursive: true });
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).to.have.length(2);
    expect(lines[0]).to.include({ level: 'info', requestId: 'r1', msg: 'request' });
    expect(lines[1]).to.have.nested.property('err.cause.code', '23505');
    expect(text).not.to.include('Бат');
  });

  it('keeps the last line, however the process ends', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tamga-log-'));
    const path = join(directory, 'log');
    const module = new URL('../../infrastructure/telemetry/log.js', import.meta.url).href;
    const endings = [
      '',
      'process.exit(3)',
      'throw new Error("out")',
      'log.close(); log.info({}, "after")',
      // The only thread of the pool is busy at the end: Node.js cancels writes that wait for it.
      'const { pbkdf2 } = await import("node:crypto");' +
        'process.prependListener("exit", () => pbkdf2("", "", 1e6, 64, "sha1", () => {}))',
    ];
    for (const ending of endings) {
      const source = `const { createLog } = await import(${JSON.stringify(module)});
        const log = createLog({ level: 'info', destination: ${JSON.stringify(path)} });
        log.info({}, 'last words'); ${ending}`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
        stdio: 'ignore',
        env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
      });
      await once(child, 'exit');
      const text = await readFile(path, 'utf8');
      expect(text, ending).to.contain('"last words"');
      if (ending.includes('after')) expect(text).to.contain('"after"');
      await rm(path);
    }
    await rm(directory, { recursive: true });
  });
});
