import { randomBytes } from 'node:crypto';
import type { AppendFault } from './appendFaults.ts';
import { type ClusterOptions, createCluster, type ReadFault } from './cluster.ts';
import type { Access, CallName, Member } from './clusterNode.ts';
import type { ScavengeResult } from './scavenges.ts';
import type { StoredEvent } from './storedEvents.ts';

export type { AppendFault } from './appendFaults.ts';
export type { ClusterOptions, ReadFault } from './cluster.ts';
export type { Access, Member } from './clusterNode.ts';

/** One node of the double. */
export interface EventStoreDbNode {
  /** `esdb://127.0.0.1:<port>?tls=false`: this node alone. */
  readonly url: string;
  readonly port: number;
  /** Connections of clients open now. */
  readonly connections: number;
  /** Calls received since the start, by method. */
  readonly calls: Readonly<Record<CallName, number>>;
}

/** Fate of events written but not committed before another node leads. Default: lost. */
export interface Succession {
  readonly heldAppends?: 'lost' | 'kept';
}

/**
 * A cluster of servers that speak EventStoreDB's published protocol as far as a client of streams uses it, from memory:
 * one log that all nodes have, and every fault of such a cluster at a test's word. Nodes are counted from 0, which leads
 * at first.
 */
export interface EventStoreDbDouble {
  /** All nodes: `esdb://127.0.0.1:<port>,127.0.0.1:<port>?tls=false`. */
  readonly url: string;
  readonly nodes: readonly EventStoreDbNode[];
  /** Leader; `null` during an election. */
  readonly leader: number | null;
  /** The cluster as gossip tells it now. */
  members(): readonly Member[];
  /** Breaks every connection and call, forgets nothing, and listens again on the same ports. */
  restart(): Promise<void>;
  /** Breaks every connection and call and refuses new ones. */
  goAway(): Promise<void>;
  /** Listens again on the same ports. */
  comeBack(): Promise<void>;
  stop(): Promise<void>;

  /** The leader finishes what it has begun and gives up; another leads. Connections stay. */
  resign(): void;
  /** That node leads from now on. Nodes that are frozen count as dead. */
  electLeader(node: number, succession?: Succession): void;
  /** Nobody leads: appends that wait time out, further requests for the leader find the server not ready. */
  loseQuorum(): void;
  regainQuorum(): void;
  /** Ends a node like a killed process; another leads when the majority is left. */
  kill(node: number, succession?: Succession): void;
  /**
   * Ends a node as a service manager does: it tells its clients to go, answers no append any more, and ends the calls
   * without a status after the grace, which is 5 s on a real server.
   */
  shutDown(node: number, graceMs?: number): Promise<void>;
  start(node: number): Promise<void>;
  /** Clients cannot reach the node any more, the other nodes can; `start` ends that. */
  cutOff(node: number): void;
  /** Stops a node like a stopped process: connections stay, nothing is answered. */
  freeze(node: number): void;
  /**
   * Goes on with all that came meanwhile. A leader that others have replaced may take itself for the leader until
   * `stepDown`: gossip names two, it answers reads from what it had, and its appends time out then. A real server is seen
   * to do so for some seconds, and to shut down after it when it wrote something that the others have not.
   */
  thaw(node: number, options?: { readonly believesToLead?: boolean }): void;
  /** The node learns that another leads. */
  stepDown(node: number): void;
  /** The node has the log but for its last so many events; `null`: all of it. */
  lag(node: number, events: number | null): void;
  /** Gossip of a node, derived from the true state; `null`: no answer. */
  answerGossip(
    node: number,
    answer: (members: readonly Member[]) => readonly Member[] | null,
  ): void;

  /** The next so many appends meet that fault. */
  failAppends(fault: AppendFault, times?: number): void;
  /** The next so many reads, or pages of a subscription that catches up, meet that fault. */
  failReads(fault: ReadFault, times?: number): void;
  /** Appends are written, but neither committed nor answered, until `releaseAppends`. */
  holdAppends(): void;
  releaseAppends(): void;
  /** Deduplication by event id of appends without expected revision. Default: until a new leader. */
  rememberIds(on: boolean): void;
  /**
   * Breaks the connection of the first call that sends its n-th message from now on; 0: of the next call.
   *
   * @returns resolves when that happened
   */
  disconnectAfter(messages: number): Promise<void>;
  /** Takes `disconnectAfter` back. */
  disconnectNever(): void;
  /** Denies what the function says, until told otherwise. */
  deny(isDenied: (access: Access) => boolean): void;

  /** Appends so many events of the server's own, each of about that many bytes. */
  appendSystemEvents(count: number, bytes?: number): void;
  /** Ends the scavenges that nodes are asked for from now on. Default: `Success`, after 20 ms. */
  endScavenges(outcome: (node: number) => ScavengeResult, milliseconds?: number): void;
  /** Starts a scavenge of the node, as another client does. */
  startScavenge(node: number): void;
  /** Every record of the log, to begin another with. */
  records(): readonly StoredEvent[];
  /** Removes events, by default those of deleted streams but for their tombstones; positions of the others stay. */
  scavenge(isRemoved?: (event: StoredEvent) => boolean): void;
  /** Breaks all connections and drops the event at the position and all behind it: a log restored from a backup. */
  truncate(position: bigint): Promise<void>;
  /** Reads of the stream begin at that revision. */
  truncateStream(stream: string, before: number): void;
  /** The stream reads as if there were none, until it is written to. */
  softDeleteStream(stream: string): void;
  /** The stream is gone for good. */
  tombstoneStream(stream: string): void;
}

/** Starts the double on free local ports. */
export async function startEventStoreDbDouble(
  options: ClusterOptions = {},
): Promise<EventStoreDbDouble> {
  const cluster = await createCluster(options);
  const { log, nodes } = cluster;
  const isKept = (succession?: Succession) => succession?.heldAppends === 'kept';

  const goAway = () => {
    for (const { listener } of nodes) listener.close();
    return Promise.resolve();
  };
  const comeBack = async () => {
    for (const { listener } of nodes) await listener.open();
  };
  const setMetadata = (stream: string, metadata: Record<string, number>) => {
    log.setMetadata(stream, metadata);
    cluster.wakeAll();
  };

  return {
    url: `esdb://${nodes.map(({ listener }) => `127.0.0.1:${listener.port}`).join(',')}?tls=false`,
    nodes: nodes.map(({ listener, calls }) => ({
      url: `esdb://127.0.0.1:${listener.port}?tls=false`,
      port: listener.port,
      get connections() {
        return listener.connections;
      },
      calls,
    })),
    get leader() {
      return cluster.leader;
    },
    members: cluster.members,
    goAway,
    comeBack,
    async restart() {
      await goAway();
      await comeBack();
    },
    stop() {
      for (const { listener } of nodes) listener.stop();
      return Promise.resolve();
    },
    resign: cluster.resign,
    electLeader: (node, succession) => cluster.elect(node, isKept(succession)),
    loseQuorum: () => cluster.elect(null, true),
    regainQuorum: cluster.regainQuorum,
    kill: (node, succession) => cluster.kill(node, isKept(succession)),
    shutDown: (node, graceMs = 100) => cluster.shutDown(node, graceMs),
    start: cluster.start,
    cutOff: (node) => nodes[node]?.listener.close(),
    freeze: cluster.freeze,
    thaw: (node, { believesToLead = false } = {}) => cluster.thaw(node, believesToLead),
    stepDown: cluster.stepDown,
    lag: (node, events) => cluster.lag(node, events ?? 0),
    answerGossip(node, answer) {
      const state = nodes[node];
      if (state !== undefined) state.answerGossip = answer;
    },
    failAppends: (fault, times = 1) => cluster.faults.add(fault, times),
    failReads(fault, times = 1) {
      for (let n = 0; n < times; n += 1) cluster.readFaults.push(fault);
    },
    holdAppends: cluster.hold,
    releaseAppends: cluster.release,
    rememberIds: cluster.rememberIds,
    disconnectAfter: cluster.cuts.after,
    disconnectNever: cluster.cuts.never,
    deny: cluster.deny,
    appendSystemEvents(count, bytes = 4096) {
      for (let n = 0; n < count; n += 1) {
        const data = Buffer.from(JSON.stringify({ stats: randomBytes(bytes / 2).toString('hex') }));
        log.writeOwn('$stats-127.0.0.1:2113', '$statsCollected', data);
      }
      cluster.wakeAll();
    },
    endScavenges: cluster.scavenges.end,
    startScavenge: (node) => cluster.scavenges.start(node, 'another'),
    records: () => [...log.records],
    scavenge: log.scavenge,
    async truncate(position) {
      await goAway();
      log.truncate(position);
      await comeBack();
    },
    truncateStream: (stream, before) => setMetadata(stream, { $tb: before }),
    softDeleteStream: (stream) => setMetadata(stream, { $tb: 2 ** 63 }),
    tombstoneStream(stream) {
      log.tombstone(stream);
      cluster.wakeAll();
    },
  };
}
