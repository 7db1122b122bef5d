import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { clusterFaults, type FaultName } from '../support/installation/clusterFaults.ts';
import {
  type ClusterWorld,
  expectNothingWrong,
  startClusterWorld,
} from '../support/worlds/clusterWorld.ts';
import { givenCluster } from '../support/eventStoreDb/eventStoreCluster.ts';
import { faultTable } from '../support/installation/faultTable.ts';

const MINUTES = Number(process.env['TAMGA_TEST_SOAK_MINUTES']);
/** One fault meets so much of the load, ms; it happens 5 s after the beginning. */
const ROUND_MS = 60_000;
const FAULT_AFTER_MS = 5000;
const PER_SECOND = 20;
/** Full service again after that, seconds. */
const RECOVERY_S = 5;
/** Threshold of a slow call, ms. */
const SLOW_MS = 2000;

describe(`${MINUTES} minutes at ${PER_SECOND} cycles a second while the nodes that keep the log fail`, function () {
  this.timeout(MINUTES * 2 * 60_000 + 300_000);
  const cluster = givenCluster();
  const table = faultTable();
  let world: ClusterWorld;

  before(async () => {
    await cluster.up();
    world = await startClusterWorld(cluster);
  });

  after(async () => {
    process.stdout.write(`\n${table.markdown()}\n`);
    await cluster.up();
    await world.stop();
  });

  it('loses nothing, misses nothing and is back within 5 s each time', async () => {
    const pids = world.pids();
    const connections = await world.connections();
    const names = Object.keys(clusterFaults) as FaultName[];
    const wrong: string[] = [];
    for (let round = 0; round * ROUND_MS < MINUTES * 60_000; round += 1) {
      const name = names[round % names.length] ?? 'leader resigned';
      await cluster.up();
      const report = await world.under(
        { perSecond: PER_SECOND, milliseconds: ROUND_MS, slowMs: SLOW_MS },
        async () => {
          await pause(FAULT_AFTER_MS);
          return clusterFaults[name](cluster);
        },
      );
      table.add(name, report);
      process.stdout.write(`      ${table.lines().at(-1)?.join(' | ') ?? ''}\n`);
      const failure = failureOf(() => {
        expectNothingWrong(report);
        expect(report.recoveredAfter, 'seconds to full service').to.be.at.most(RECOVERY_S);
      });
      const said = world.said(20);
      if (failure !== null) process.stdout.write(`${failure}\n${said}\n`);
      if (failure !== null) wrong.push(`${name}, round ${round + 1}: ${failure}`);
    }
    expect(wrong).to.deep.equal([]);
    expect(world.pids(), 'no process was restarted').to.deep.equal(pids);
    for (const [process, is] of Object.entries(await world.connections())) {
      const was = connections[process]?.length ?? 0;
      expect(is.length, `connections of ${process}`).to.be.at.most(was);
    }
  });
});

/** One wrong round does not end the others: what they show is needed to find out why. */
function failureOf(assertion: () => void): string | null {
  try {
    assertion();
    return null;
  } catch (error) {
    return String(error);
  }
}
