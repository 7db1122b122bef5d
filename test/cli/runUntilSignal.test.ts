import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../support/assertions/waiting.ts';

const tested = new URL('../../main/cli/runUntilSignal.js', import.meta.url).href;

/** Parts of a service that say what is done to them, for a process of its own. */
const parts = `
  import { runUntilSignal } from ${JSON.stringify(tested)};
  const say = (text) => process.stdout.write(text + '\\n');
  const never = new Promise(() => setInterval(() => undefined, 1000));
  const service = { start: async () => say('started'), stop: async () => say('stopped') };
  const work = async (shutdown) => {
    shutdown.defer(() => say('phones stopped'));
    say('working');
  };
  const failing = async (shutdown) => {
    await work(shutdown);
    throw new Error('the demo failed');
  };
  const run = (...with_) => runUntilSignal(...with_).catch((error) => {
    say(error.message);
    process.exit(1);
  });
`;

describe('A service that runs until a signal', () => {
  let child: ChildProcess;

  afterEach(() => {
    child.kill('SIGKILL');
  });

  /** Runs a program, sends each signal once the text before it was said, and waits for the end. */
  async function outcomeOf(
    program: string,
    signals: Readonly<Partial<Record<string, NodeJS.Signals>>>,
  ) {
    const started = spawn(process.execPath, ['--input-type=module', '-e', parts + program]);
    child = started;
    let output = '';
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    }
    const ended = once(started, 'close');
    for (const [text, signal] of Object.entries(signals)) {
      await until(() => output.includes(text));
      started.kill(signal);
    }
    const [code, signal] = (await ended) as [number | null, string | null];
    return { end: code ?? signal, said: output.trim().split('\n') };
  }

  it('stops all that was started, the newest first, and ends', async () => {
    expect(await outcomeOf('run(service, work)', { working: 'SIGTERM' })).to.deep.equal({
      end: 0,
      said: ['started', 'working', 'phones stopped', 'stopped'],
    });
  });

  it('is interrupted in its start, and works no more', async () => {
    const program = `
      let release;
      const start = () => new Promise((resolve) => { release = resolve; say('starting'); });
      const stop = async () => { release(); await new Promise(setImmediate); say('stopped'); };
      setInterval(() => undefined, 1000);
      run({ start, stop }, work)`;
    const { end, said } = await outcomeOf(program, { starting: 'SIGINT' });
    expect({ end, said }).to.deep.equal({ end: 0, said: ['starting', 'stopped'] });
  });

  it('is interrupted in its work', async () => {
    const program = 'run(service, async (shutdown) => { await work(shutdown); await never; })';
    expect(await outcomeOf(program, { working: 'SIGTERM' })).to.deep.equal({
      end: 0,
      said: ['started', 'working', 'phones stopped', 'stopped'],
    });
  });

  it('stops all that was started when its work fails, and fails', async () => {
    expect(await outcomeOf('run(service, failing)', {})).to.deep.equal({
      end: 1,
      said: ['started', 'working', 'phones stopped', 'stopped', 'the demo failed'],
    });
  });

  for (const [when, work, signals, end] of [
    ['is signalled', 'work', { working: 'SIGTERM' }, 0],
    ['failed', 'failing', {}, 1],
  ] as const) {
    it(`waits for no stop that does not end when it ${when}`, async () => {
      const program = `run({ ...service, stop: () => never }, ${work}, 50)`;
      expect(await outcomeOf(program, signals)).to.include({ end });
    });
  }

  it('N15: is killed at its deadline when a thread hangs in a call to the system', async () => {
    const pipe = join(await mkdtemp(join(tmpdir(), 'tamga-hung-')), 'volume');
    execFileSync('mkfifo', [pipe]);
    const program = `
      const { open } = await import('node:fs/promises');
      const start = async () => { void open(${JSON.stringify(pipe)}, 'r'); say('started'); };
      run({ ...service, start }, work, 50)`;
    expect((await outcomeOf(program, { working: 'SIGTERM' })).end).to.equal('SIGKILL');
  });

  it('N15: is killed at its deadline when it never gives back its thread', async () => {
    const program = `
      const stop = () => { for (;;); };
      run({ ...service, stop }, work, 50)`;
    expect((await outcomeOf(program, { working: 'SIGTERM' })).end).to.equal('SIGKILL');
  });

  it('ends at once on a second signal', async () => {
    const program = `
      const stop = () => { say('stopping'); return never; };
      run({ ...service, stop }, work, 60_000)`;
    const signals = { working: 'SIGTERM', stopping: 'SIGINT' } as const;
    expect((await outcomeOf(program, signals)).end).to.equal('SIGINT');
  });
});
