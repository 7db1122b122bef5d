import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { createEventStoreDbEventLog } from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { anEvent, collect } from '../contracts/eventLogContract.ts';
import {
  clusterFaults,
  type FaultName,
  noOutage,
  type Outage,
} from '../support/installation/clusterFaults.ts';
import {
  type ClusterWorld,
  expectNothingWrong,
  type FaultReport,
  startClusterWorld,
} from '../support/worlds/clusterWorld.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { givenCluster } from '../support/eventStoreDb/eventStoreCluster.ts';
import { faultTable } from '../support/installation/faultTable.ts';
import { call } from '../../main/drill/callers.ts';
import { createServiceProcess } from '../support/installation/serviceProcess.ts';
import { until } from '../support/assertions/waiting.ts';

/** Delay of a fault after the start of its load, ms. */
const FAULT_AFTER_MS = 5000;
/** Duration of a load at 10 cycles a second: 500 cycles, ms. */
const LOAD_MS = 50_000;
/** Full service again after that, seconds. */
const RECOVERY_S = 5;
/** The service may always take so long, ms; longer when this machine is slow without a fault. */
const SLOW_MS = 1000;

describe('Under load, while the nodes that keep the log fail', function () {
  this.timeout(300_000);
  const cluster = givenCluster();
  const table = faultTable();
  let world: ClusterWorld;
  let slowMs = SLOW_MS;

  before(async () => {
    world = await startClusterWorld(cluster);
  });

  beforeEach(async () => {
    await cluster.up();
  });

  afterEach(function () {
    const said = world.said(20);
    if (this.currentTest?.state === 'failed') process.stdout.write(`${said}\n`);
  });

  after(async () => {
    process.stdout.write(`\n${table.markdown()}\n`);
    await cluster.up();
    await (world as ClusterWorld | undefined)?.stop();
  });

  async function meet(
    name: string,
    fault: () => Promise<Outage>,
    load = { perSecond: 10, milliseconds: LOAD_MS },
  ): Promise<FaultReport> {
    const pids = world.pids();
    const report = await world.under({ ...load, slowMs }, async () => {
      await pause(FAULT_AFTER_MS);
      return fault();
    });
    table.add(name, report);
    expect(world.pids(), 'no process was restarted').to.deep.equal(pids);
    expectNothingWrong(report);
    return report;
  }

  const meetFault = (name: FaultName) => meet(name, () => clusterFaults[name](cluster));

  it('nothing fails while none of them does', async () => {
    const report = await meet('none', () => Promise.resolve(noOutage()));
    expect([report.createsFailed, report.othersRefused]).to.deep.equal([[], []]);
    slowMs = Math.max(slowMs, 2 * report.longestMs);
  });

  it('a follower that is killed and started again is not noticed', async () => {
    const { createsFailed } = await meetFault('follower killed, back after 20 s');
    expect(createsFailed).to.deep.equal([]);
  });

  it('the leader is killed: at most one creation fails', async () => {
    const { createsFailed, recoveredAfter } = await meetFault('leader killed, back after 20 s');
    expect(createsFailed.length).to.be.at.most(1);
    expect(recoveredAfter).to.be.at.most(RECOVERY_S);
  });

  it('the leader resigns: no creation fails', async () => {
    const { createsFailed, recoveredAfter } = await meetFault('leader resigned');
    expect(createsFailed).to.deep.equal([]);
    expect(recoveredAfter).to.be.at.most(RECOVERY_S);
  });

  it('the leader freezes: it is left within 5 s', async () => {
    const name = 'leader frozen for 20 s';
    let leftAfterMs = Infinity;
    const { createsFailed, recoveredAfter } = await meet(name, async () => {
      const port = cluster.portOf(await cluster.untilLed());
      const open = async () => Object.values(await world.connections()).flat();
      const inUse = (await open()).filter((connection) => connection.port === port);
      const sockets = new Set(inUse.map(({ socket }) => socket));
      expect(sockets.size, 'connections to the leader').to.equal(world.pids().length);
      const frozen = performance.now();
      const leaving = until(async () => {
        return !(await open()).some(({ socket }) => sockets.has(socket));
      }).then(() => {
        leftAfterMs = performance.now() - frozen;
      });
      const [outage] = await Promise.all([clusterFaults[name](cluster), leaving]);
      return outage;
    });
    expect(leftAfterMs).to.be.at.most(RECOVERY_S * 1000);
    expect(recoveredAfter).to.be.at.most(RECOVERY_S);
    expect(createsFailed.length).to.be.at.most(1);
  });

  it('quorum is lost and regained: full service within 5 s, without a restart', async () => {
    const { recoveredAfter } = await meetFault('quorum lost for 20 s');
    expect(recoveredAfter).to.be.at.most(RECOVERY_S);
  });

  it('a process starts after the leader resigned: every process reads what another wrote', async () => {
    await cluster.resign(await cluster.untilLed());
    await cluster.untilLed();
    await world.apis[0].stop();
    await world.apis[0].start();
    const report = await meet(
      'leader resigned, then an API started',
      () => Promise.resolve(noOutage()),
      { perSecond: 20, milliseconds: 60_000 },
    );
    expect([report.createsFailed, report.othersRefused]).to.deep.equal([[], []]);
  });

  it('another installation is refused and leaves no trace', async () => {
    const log = createEventStoreDbEventLog({ url: cluster.url });
    await log.start();
    const seen = collect(log, { after: await log.head() });
    await seen.caughtUp;

    const stranger = await createServiceProcess({
      SVC_DATABASE_URL: await migratedDatabase(),
      SVC_EVENTSTORE_URL: cluster.url,
      SVC_SW_MASTER_KEY: randomBytes(32).toString('base64'),
    });
    stranger.launch();
    const ended = until(() => stranger.hasEnded()).then(
      () => true,
      () => false,
    );
    expect(await ended, 'ends by itself').to.equal(true);
    expect(stranger.output()).to.match(/another installation/i);
    // Of a category that nobody follows: of any other, an event without content would be parked.
    await log.append(`marker-${randomUUID()}`, [anEvent({}, 'Marked')], 'none');
    await until(() => seen.events.length > 0);
    await seen.stop();
    await log.stop();
    expect(seen.events.map(({ type }) => type)).to.deep.equal(['Marked']);
  });

  it('what the servers write about themselves after our last event is not looked through', async () => {
    await appendStatistics(cluster.url);
    const log = createEventStoreDbEventLog({ url: cluster.url });
    await log.start();
    const after = await log.head();
    const took = {
      check: await timed(() => log.check()),
      head: await timed(() => log.head()),
      'a subscription renewed': await timed(async () => {
        const seen = collect(log, { after });
        await seen.caughtUp;
        await seen.stop();
      }),
      readiness: await timed(async () => {
        const { body } = await call(`${world.apis[0].origin}/readyz`);
        expect(body['status'], JSON.stringify(body)).to.equal('ready');
      }),
    };
    await log.stop();
    process.stdout.write(`      ${JSON.stringify(took)} ms\n`);
    for (const [what, ms] of Object.entries(took)) expect(ms, what).to.be.below(200);
  });
});

/** Number of statistics records that a node writes on a quiet day. */
async function appendStatistics(url: string): Promise<void> {
  const client = EventStoreDBClient.connectionString(url);
  const text = 'x'.repeat(8 * 1024);
  for (let left = 3000; left > 0; left -= 100) {
    const events = Array.from({ length: 100 }, () =>
      jsonEvent({ type: '$statsCollected', data: { text } }),
    );
    await client.appendToStream('$stats-127.0.0.1:2113', events, {
      credentials: { username: 'admin', password: 'changeit' },
    });
  }
  await client.dispose();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return Math.round(performance.now() - begun);
}
