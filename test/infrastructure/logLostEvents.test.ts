import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { createLostEvents } from '../../application/log/lostEvents.ts';
import { createOperatorDirectory } from '../../application/operator/operators.ts';
import type { LogLostEvents } from '../../application/ports/faults.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import type { Operators } from '../../domain/operator/operators.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import type { PostgresEventLog } from '../../infrastructure/eventstore/postgresEventLog.ts';
import { anEvent, collect } from '../contracts/eventLogContract.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { manualClock, memoryAggregateCache, neverStale } from '../support/doubles/memoryPorts.ts';
import { startProxy, type TestProxy } from '../support/doubles/proxy.ts';
import { testVault } from '../support/doubles/vault.ts';
import {
  loseEventsAfter,
  migratedDatabase,
  startPostgresEventLog,
} from '../support/events/eventLogs.ts';
import { context } from '../support/worlds/deviceWorld.ts';
import { systemRandomness } from '../../infrastructure/system.ts';

describe('A log that lost its end in a failover', () => {
  let url: string;
  let proxy: TestProxy;
  /** Process that saw the events that are lost. */
  let here: PostgresEventLog;
  /** Process that did not. */
  let elsewhere: PostgresEventLog;
  let lost: LogLostEvents[];

  beforeEach(async () => {
    url = await migratedDatabase();
    proxy = await startProxy(Number(new URL(url).port));
    lost = [];
    here = await startPostgresEventLog({
      url: Object.assign(new URL(url), { port: String(proxy.port) }).href,
      onEventsLost: (cause) => lost.push(cause),
    });
    elsewhere = await startPostgresEventLog({ url });
  });

  afterEach(async () => {
    proxy.mend();
    await Promise.all([here.stop(), elsewhere.stop()]);
    await proxy.close();
  });

  const append = (log: PostgresEventLog, stream = `session-${randomUUID()}`) =>
    log.append(stream, [anEvent()], 'any');

  /** The standby that takes over never received the events after `position`. */
  async function failOver({ losing, meanwhile }: { losing: bigint; meanwhile?: () => unknown }) {
    proxy.cut();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await loseEventsAfter(admin, losing);
    await admin.end();
    await meanwhile?.();
    proxy.mend();
  }

  const untilBack = () => eventually(() => append(here));

  it('is noticed on reconnection, also when others took the lost positions', async () => {
    for (let times = 0; times < 5; times += 1) await append(here);
    await failOver({
      losing: 3n,
      meanwhile: async () => {
        for (let times = 0; times < 4; times += 1) await append(elsewhere);
      },
    });
    await untilBack();
    expect(lost).to.have.length(1);
    expect(lost[0]?.message).to.include('position 7').and.to.include('at 5 is gone');
  });

  it('is noticed by a process that only read what is lost', async () => {
    await append(elsewhere);
    const seen = collect(here);
    await eventually(() => expect(seen.events).to.have.length(1));
    await failOver({ losing: 0n });
    await eventually(() => expect(lost).to.have.length(1));
  });

  it('is not suspected when nothing is lost, though others went on', async () => {
    await append(here);
    await failOver({ losing: 1n, meanwhile: () => append(elsewhere) });
    await untilBack();
    expect(lost).to.deep.equal([]);
  });

  it('ends the subscriptions, and those begun anew miss nothing', async () => {
    let stopped: unknown;
    const first = collect(here, { onStopped: (cause) => (stopped = cause) });
    for (let times = 0; times < 3; times += 1) await append(here);
    await eventually(() => expect(first.events).to.have.length(3));
    await failOver({
      losing: 1n,
      meanwhile: async () => {
        for (let times = 0; times < 4; times += 1) await append(elsewhere);
      },
    });
    await untilBack();
    await eventually(() => expect(stopped).to.have.property('name', 'LogLostEvents'));
    const again = collect(here, { after: 1n });
    await append(here);
    await append(elsewhere);
    await eventually(() => {
      const positions = again.events.map(({ position }) => position);
      expect(positions).to.deep.equal(positions.map((_, index) => BigInt(index) + 2n));
      expect(positions.length).to.be.at.least(7);
    });
    await again.stop();
  });

  it('leaves no operator with a right that was lost', async () => {
    const operatorId = randomUUID();
    const now = '2026-03-01T12:00:00.000Z';
    const directory = (log: PostgresEventLog) =>
      createOperatorDirectory({
        eventStore: createEventLog({ store: log, vault: testVault() }),
        cache: memoryAggregateCache<Operators>(),
        staleness: neverStale,
        clock: manualClock(now),
        randomness: systemRandomness,
        onFailure: () => undefined,
      });
    const operators = directory(here);
    await operators.start();
    for (const id of [operatorId, randomUUID()]) {
      await operators.handle(
        {
          type: 'AddOperator',
          operatorId: id,
          now,
          email: `${id}@tamga.mn`,
          passwordHash: 'hash',
          role: 'SUPER_ADMIN',
          mustChangePassword: false,
          unlessKnown: false,
        },
        context,
      );
    }
    const before = await here.head();
    const roleOf = async () => (await operators.current()).get(operatorId)?.role;
    const setRole = (role: OperatorRole) =>
      operators.handle({ type: 'ChangeRole', operatorId, now, role }, context);
    await setRole('AUDITOR');
    expect(await roleOf()).to.equal('AUDITOR');
    await failOver({ losing: before ?? 0n, meanwhile: () => append(elsewhere) });
    await eventually(async () => expect(await roleOf()).to.equal('SUPER_ADMIN'));
    await setRole('SUPPORT');
    await eventually(async () => expect(await roleOf()).to.equal('SUPPORT'));
    await operators.stop();
  });

  it('raises an alarm that stays, and clears what is remembered', async () => {
    const lines: string[] = [];
    let counted = 0;
    let cleared = 0;
    const line = () => undefined;
    const alarm = createLostEvents({
      log: { debug: line, info: line, warn: line, error: (_, text) => lines.push(text) },
      onNoticed: () => (counted += 1),
    });
    alarm.onNoticed(() => (cleared += 1));
    await alarm.check();
    await append(here);
    await failOver({ losing: 0n });
    const [cause] = await eventually(() => {
      expect(lost).to.have.length(1);
      return lost;
    });
    if (cause !== undefined) alarm.noticed(cause);
    expect([lines.length, counted, cleared]).to.deep.equal([1, 1, 1]);
    expect(await rejection(alarm.check())).to.have.property('name', 'NotReady');
  });
});
