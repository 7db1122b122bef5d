import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import { createOutageLog } from '../../infrastructure/telemetry/outageLog.ts';
import { memoryLog, until } from '../support/http/http.ts';

describe('O13: the log during an outage', () => {
  /** An outage that a check tells the end of, and the lines about it. */
  function world(times = { lineEveryMs: 60_000, checkEveryMs: 5 }) {
    const log = memoryLog();
    const outages = createOutageLog(log, times);
    const state = { isUp: false };
    outages.watch({
      database: () => (state.isUp ? Promise.resolve() : Promise.reject(new Error('refused'))),
    });
    after(() => outages.stop());
    const fail = (cause: unknown, requestId = 'r') =>
      outages.error({ requestId, err: cause }, 'request failed');
    const messages = () => log.lines.map(({ message }) => message);
    return { log, outages, state, fail, messages };
  }

  it('has one line for its beginning, with the first failure, and one for its end', async () => {
    const { log, state, fail, messages } = world();
    for (let request = 1; request <= 500; request += 1) {
      fail(new Unavailable('database', new Error('refused')), `r${request}`);
    }
    expect(messages()).to.deep.equal(['An outage began.']);
    expect(log.lines[0]?.level).to.equal('error');
    expect(log.lines[0]?.fields).to.deep.include({
      requestId: 'r1',
      dependency: 'database',
      failed: 'request failed',
    });
    state.isUp = true;
    await until(() => messages().includes('An outage ended.'));
    expect(log.lines[1]?.level).to.equal('warn');
    expect(log.lines[1]?.fields).to.deep.include({ dependency: 'database', failures: 500 });
    fail(new Unavailable('database'));
    expect(messages().at(-1)).to.equal('An outage began.');
  });

  it('has a line from time to time while it lasts', async () => {
    const { log, fail, messages } = world({ lineEveryMs: 20, checkEveryMs: 5 });
    fail(new Unavailable('database'));
    await until(() => messages().filter((each) => each === 'An outage lasts.').length >= 2);
    expect(messages()).not.to.include('An outage ended.');
    expect(log.lines.at(-1)?.fields).to.have.all.keys('dependency', 'failures', 'seconds');
  });

  it('ends by silence where nothing checks the dependency', async () => {
    const { fail, messages } = world({ lineEveryMs: 20, checkEveryMs: 5 });
    fail(new Unavailable('push'));
    await until(() => messages().at(-1) === 'An outage ended.');
  });

  it('tells the outage in the cause of an error, and one of PostgreSQL by its code', () => {
    const { fail, messages } = world();
    fail(new Error('The list cannot be read.', { cause: new Unavailable('database') }));
    fail(Object.assign(new Error('no answer'), { code: 'ECONNREFUSED' }));
    fail(new Unavailable('keyVault'));
    expect(messages()).to.deep.equal(['An outage began.', 'An outage began.']);
  });

  it('has every failure that comes from no outage', () => {
    const { outages, fail, messages } = world();
    fail(new Unavailable('database'));
    for (let request = 0; request < 3; request += 1) fail(new TypeError('undefined is no object'));
    outages.warn({ clientId: 'c' }, 'A logout token was not taken.');
    outages.info({}, 'request');
    expect(messages().slice(1)).to.deep.equal([
      ...Array.from({ length: 3 }, () => 'request failed'),
      'A logout token was not taken.',
      'request',
    ]);
  });
});
