import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import { createEventStoreDbEventLog } from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { anEvent, collect, eventLogContract, readAll } from '../contracts/eventLogContract.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { createPatientLog } from '../support/eventStoreDb/patientLog.ts';
import { until } from '../support/assertions/waiting.ts';

const serverUrl = process.env['SVC_EVENTSTORE_URL'];

eventLogContract(
  serverUrl === undefined ? 'EventStoreDB (gRPC double)' : 'EventStoreDB (SVC_EVENTSTORE_URL)',
  async () => {
    const double = serverUrl === undefined ? await startEventStoreDbDouble() : undefined;
    const url = serverUrl ?? double?.url ?? '';
    const logs = [createPatientLog(url), createPatientLog(url)] as const;
    await Promise.all(logs.map((log) => log.start()));
    return {
      logs: [...logs],
      stop: async () => {
        await Promise.all(logs.map((log) => log.stop()));
        await double?.stop();
      },
    };
  },
  // Server and client share a process with the double; five pages are as good as twenty.
  serverUrl === undefined ? { volume: 5000 } : {},
);

describe('EventStoreDB event log', () => {
  let double: EventStoreDbDouble;

  beforeEach(async () => {
    double = await startEventStoreDbDouble();
  });

  afterEach(async () => {
    await double.stop();
  });

  it('throws Unavailable while the server is down, and recovers by itself', async () => {
    const log = createEventStoreDbEventLog({ url: double.url, timeoutMs: 2000 });
    await log.start();
    await log.append('session-1', [anEvent()], 'none');

    await double.goAway();
    const outcome = await log.append('session-2', [anEvent()], 'none').catch((e: unknown) => e);
    expect(outcome).to.be.instanceOf(Unavailable);
    const check = await log.check().catch((e: unknown) => e);
    expect(check).to.be.instanceOf(Unavailable);

    await double.comeBack();
    await until(() =>
      log.check().then(
        () => true,
        () => false,
      ),
    );
    await log.append('session-2', [anEvent()], 'none');
    expect(await readAll(log, 'session-2')).to.have.lengthOf(1);
    await log.stop();
  });

  it('resubscribes from the last delivered position when the connection breaks', async () => {
    const errors: unknown[] = [];
    const log = createEventStoreDbEventLog({
      url: double.url,
      onError: (cause) => errors.push(cause),
    });
    await log.start();
    const seen = collect(log);
    for (let n = 0; n < 5; n += 1) await log.append(`session-${n}`, [anEvent({ n })], 'none');
    await until(() => seen.events.length === 5);

    await double.restart();
    await until(() => errors.length > 0);
    await until(() =>
      log.append('session-after', [anEvent({ n: 5 })], 'any').then(
        () => true,
        () => false,
      ),
    );
    await until(() => seen.events.length === 6);
    await seen.stop();
    await log.stop();

    expect(seen.events.map(({ data }) => data)).to.deep.equal(
      [0, 1, 2, 3, 4, 5].map((n) => `{"n":${n}}`),
    );
  });

  it('refuses to start without a server', async () => {
    await double.stop();
    const log = createEventStoreDbEventLog({ url: double.url, timeoutMs: 2000 });
    const outcome = await log.start().catch((e: unknown) => e);
    expect(outcome).to.be.instanceOf(Unavailable);
    await log.stop();
  });
});
