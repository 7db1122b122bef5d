import { setTimeout as pause } from 'node:timers/promises';
import type { EventStoreCluster } from '../eventStoreDb/eventStoreCluster.ts';

/** Duration of a node's outage, ms. */
const LASTS_MS = 20_000;

/** The time the servers had no leader, from the fault to the next one; times of `performance.now()`. */
export interface Outage {
  readonly from: number;
  readonly until: number;
}

/** Breaks the cluster and mends it. */
export type ClusterFault = (cluster: EventStoreCluster) => Promise<Outage>;

/** Nothing that a leader is needed for was unavailable. */
export function noOutage(): Outage {
  const now = performance.now();
  return { from: now, until: now };
}

/** Faults of the nodes by their name in the table. */
export const clusterFaults = {
  'follower killed, back after 20 s': async (cluster) => {
    const outage = noOutage();
    await cluster.kill(await cluster.follower());
    await pause(LASTS_MS);
    await cluster.up();
    return outage;
  },
  'leader killed, back after 20 s': async (cluster) => {
    const leader = await cluster.untilLed();
    const from = performance.now();
    await cluster.kill(leader);
    const until = await ledBy(cluster, leader);
    await pause(LASTS_MS);
    await cluster.up();
    return { from, until };
  },
  'leader resigned': async (cluster) => {
    const leader = await cluster.untilLed();
    const from = performance.now();
    await cluster.resign(leader);
    return { from, until: await ledBy(cluster, leader) };
  },
  'leader frozen for 20 s': async (cluster) => {
    const leader = await cluster.untilLed();
    const from = performance.now();
    await cluster.freeze(leader);
    try {
      const [until] = await Promise.all([ledBy(cluster, leader), pause(LASTS_MS)]);
      return { from, until };
    } finally {
      await cluster.thaw(leader);
      await cluster.up();
    }
  },
  'quorum lost for 20 s': async (cluster) => {
    const [leader, follower] = [await cluster.untilLed(), await cluster.follower()];
    const from = performance.now();
    await Promise.all([cluster.kill(leader), cluster.kill(follower)]);
    await pause(LASTS_MS);
    // A node that has to truncate its log ends once more: `up` starts it again.
    const [until] = await Promise.all([ledBy(cluster), cluster.up()]);
    return { from, until };
  },
} satisfies Readonly<Record<string, ClusterFault>>;

export type FaultName = keyof typeof clusterFaults;

/** Waits until another node leads. */
async function ledBy(cluster: EventStoreCluster, not?: number): Promise<number> {
  await cluster.untilLed(not);
  return performance.now();
}
