import { randomUUID } from 'node:crypto';
import { createAppendFaults } from './appendFaults.ts';
import { deniedByDefault, userOf, type Users } from './authorization.ts';
import type { AppendOutcome, CallName, ClusterNode, Member } from './clusterNode.ts';
import { createHeldAppends } from './heldAppends.ts';
import { createNodeListener, type NodeListener } from './nodeListener.ts';
import { createNodeServer } from './nodeServer.ts';
import { type RpcError, rpcErrors } from './rpcErrors.ts';
import { createScavenges } from './scavenges.ts';
import type { Expectation, Proposal, StoredEvent } from './storedEvents.ts';
import { createStoredLog } from './storedLog.ts';

export interface ClusterOptions {
  /** Default 1. */
  readonly nodes?: number;
  /** Names and passwords; default: the server runs insecure and takes every request. */
  readonly users?: Users;
  /** Bytes of all events of an append; default 1 MiB, as the server's. */
  readonly maxAppendSize?: number;
  /** Records of the log of another, which this one begins with. */
  readonly copied?: readonly StoredEvent[];
  /** Bytes of one event; default: no limit, as the server's. */
  readonly maxAppendEventSize?: number;
}

/** Behaviour of a node in its next reads. */
export type ReadFault = 'notReady' | 'tooBusy' | 'error';

interface NodeState {
  readonly id: string;
  readonly listener: NodeListener;
  readonly abandonCalls: () => void;
  readonly calls: Record<CallName, number>;
  readonly wakes: Set<() => void>;
  isAlive: boolean;
  isFrozen: boolean;
  visibleWhenFrozen: number;
  lag: number;
  /** It still takes itself for the leader, with as many records as it had when it was frozen; called back when that ends. */
  pastTerm: { readonly visible: number; readonly over: (() => void)[] } | null;
  /** State of the node in gossip during its outage. */
  lastState: Member['state'];
  answerGossip: (members: readonly Member[]) => readonly Member[] | null;
}

export type Cluster = Awaited<ReturnType<typeof createCluster>>;

/** The nodes, who leads, and what goes wrong. */
export async function createCluster(options: ClusterOptions) {
  const { users, maxAppendSize = 1024 * 1024, maxAppendEventSize = Infinity } = options;
  const log = createStoredLog(options.copied);
  const held = createHeldAppends(log);
  const faults = createAppendFaults(() => elect(successor(), true));
  const scavenges = createScavenges(log, () => wakeAll());
  const readFaults: ReadFault[] = [];
  const nodes: NodeState[] = [];
  const cuts = createCuts();
  let isDenied = deniedByDefault(users);
  let leader: number | null = 0;
  let isResigning = false;
  let remembersIds = true;

  function stateOf(index: number): Member['state'] {
    if (nodes[index]?.pastTerm) return 'LEADER';
    if (leader === null) return 'UNKNOWN';
    if (index !== leader) return 'FOLLOWER';
    return isResigning ? 'RESIGNINGLEADER' : 'LEADER';
  }

  function memberOf({ id, listener, isAlive, lastState }: NodeState, index: number): Member {
    const state = isAlive ? stateOf(index) : lastState;
    return { id, host: '127.0.0.1', port: listener.port, state, isAlive };
  }

  const members = () => nodes.map(memberOf);

  function nodeAt(index: number): NodeState {
    const node = nodes[index];
    if (node === undefined) throw new RangeError(`There is no node ${index}.`);
    return node;
  }

  function wakeAll(): void {
    for (const { wakes } of nodes) for (const wake of wakes) wake();
  }

  /** @param keepsHeld whether the new leader has what was written and not yet committed */
  function elect(index: number | null, keepsHeld: boolean): void {
    isResigning = false;
    if (index === leader) return;
    if (index === null) held.cancel();
    else held.end(keepsHeld);
    for (const [at, node] of nodes.entries()) {
      if (node.isFrozen && at !== index) node.isAlive = false;
      node.lastState = 'UNKNOWN';
    }
    leader = index;
    log.forgetRecentIds();
    wakeAll();
  }

  /** Node elected after the leader's end; `null`: no majority, or no node. */
  function successor(): number | null {
    const able = [...nodes.keys()].filter((at) => nodeAt(at).isAlive && !nodeAt(at).isFrozen);
    const other = able.find((at) => at !== leader) ?? able[0];
    return able.length * 2 > nodes.length ? (other ?? null) : null;
  }

  async function store(
    stream: string,
    proposals: readonly Proposal[],
    expected: Expectation,
  ): Promise<AppendOutcome> {
    const before = log.length;
    if (!remembersIds) log.forgetRecentIds();
    const outcome = log.append(stream, proposals, expected);
    if (outcome.kind !== 'success') return outcome;
    const isRepeated = log.length === before;
    if (isRepeated && !held.isHeld(outcome.position)) return outcome;
    wakeAll();
    if (!held.isHolding) return outcome;
    const settlement = await held.settled();
    // The server drops the repetition of an append that is not committed yet, and times out.
    if (settlement === 'replicated' && !isRepeated) return outcome;
    return { kind: 'timeout', why: 'Request canceled by server' };
  }

  function leaderRefusal(): RpcError | null {
    if (leader === null) return rpcErrors.serverNotReady();
    return rpcErrors.notLeader(memberOf(nodeAt(leader), leader));
  }

  function visibleTo({ lag, pastTerm }: NodeState): number {
    const own = pastTerm?.visible ?? log.length - lag;
    return Math.max(0, Math.min(held.committed(), own));
  }

  async function appendTo(
    index: number,
    requiresLeader: boolean,
    stored: () => Promise<AppendOutcome>,
  ): Promise<AppendOutcome> {
    const { isAlive, pastTerm } = nodeAt(index);
    if (!isAlive) return { kind: 'silent' };
    if (pastTerm !== null) {
      await new Promise<void>((resolve) => pastTerm.over.push(resolve));
      return { kind: 'timeout', why: 'Request canceled by server' };
    }
    if (leader === null || isResigning) return { kind: 'notReady' };
    if (leader !== index && requiresLeader)
      return { kind: 'notLeader', leader: memberOf(nodeAt(leader), leader) };
    return faults.around(stored);
  }

  function nodeOf(index: number): ClusterNode {
    return {
      log,
      maxAppendSize,
      maxAppendEventSize,
      visible: () => visibleTo(nodeAt(index)),
      assertReadable(requiresLeader) {
        const fault = readFaults.shift();
        if (fault === 'notReady') throw rpcErrors.serverNotReady();
        if (fault === 'tooBusy') throw rpcErrors.serverBusy();
        if (fault === 'error') throw rpcErrors.unknown('Unexpected ReadAllResult: Error');
        const leads = leader === index || nodeAt(index).pastTerm !== null;
        const refusal = leads || !requiresLeader ? null : leaderRefusal();
        if (refusal !== null) throw refusal;
      },
      append: (stream, proposals, expected, requiresLeader) =>
        appendTo(index, requiresLeader, () => store(stream, proposals, expected)),
      tombstone(stream, last, requiresLeader) {
        this.assertReadable(requiresLeader);
        const decision = log.endStream(stream, last);
        if (decision.kind === 'success') wakeAll();
        return decision;
      },
      scavenge: () => scavenges.start(index, `127.0.0.1:${nodeAt(index).listener.port}`),
      gossip: () => nodeAt(index).answerGossip(members()),
      authenticate: (header) => userOf(header, users),
      authorize(user, access) {
        if (isDenied({ ...access, user })) throw rpcErrors.accessDenied();
      },
      count(call) {
        nodeAt(index).calls[call] += 1;
      },
      disconnect: (peer) => nodeAt(index).listener.disconnect(peer),
      isCutAt: cuts.isCutAt,
      onVisible(listener) {
        const { wakes } = nodeAt(index);
        wakes.add(listener);
        return () => wakes.delete(listener);
      },
    };
  }

  for (let index = 0; index < (options.nodes ?? 1); index += 1) {
    const { server, abandonCalls } = createNodeServer(nodeOf(index));
    nodes.push({
      id: randomUUID(),
      listener: await createNodeListener(server),
      abandonCalls,
      calls: {
        gossip: 0,
        features: 0,
        read: 0,
        subscribe: 0,
        append: 0,
        batchAppend: 0,
        tombstone: 0,
      },
      wakes: new Set(),
      isAlive: true,
      isFrozen: false,
      visibleWhenFrozen: 0,
      lag: 0,
      pastTerm: null,
      lastState: 'UNKNOWN',
      answerGossip: (all) => all,
    });
  }

  function leave(index: number): void {
    const node = nodeAt(index);
    node.lastState = stateOf(index);
    node.isAlive = false;
    node.isFrozen = false;
    node.pastTerm = null;
  }

  return {
    log,
    nodes,
    faults,
    readFaults,
    scavenges,
    cuts,
    members,
    wakeAll,
    elect,
    get leader() {
      return leader;
    },
    resign() {
      // The leader first finishes what it has begun.
      if (held.count > 0) isResigning = true;
      else elect(successor(), true);
    },
    regainQuorum() {
      if (leader === null) elect(successor(), true);
    },
    /** Ends the node; when it led and the others are a majority, one of them leads. */
    kill(index: number, keepsHeld: boolean) {
      leave(index);
      nodeAt(index).listener.close();
      if (nodes.length > 1 && leader === index) elect(successor(), keepsHeld);
    },
    /** @returns resolves when the node has ended */
    async shutDown(index: number, graceMs: number): Promise<void> {
      const { listener, abandonCalls } = nodeAt(index);
      leave(index);
      if (nodes.length > 1 && leader === index) elect(successor(), true);
      listener.drain();
      await new Promise((resolve) => setTimeout(resolve, graceMs));
      abandonCalls();
      // Closed at once, the connections would take the ends of the calls with them.
      await new Promise((resolve) => setTimeout(resolve, 50));
      listener.close();
    },
    async start(index: number) {
      const node = nodeAt(index);
      await node.listener.open();
      node.isAlive = true;
      if (leader === index) log.forgetRecentIds();
      if (leader === null) elect(successor(), true);
    },
    freeze(index: number) {
      nodeAt(index).visibleWhenFrozen = visibleTo(nodeAt(index));
      nodeAt(index).isFrozen = true;
      nodeAt(index).listener.freeze();
    },
    /** @param believesToLead whether it has not heard of another leader yet */
    thaw(index: number, believesToLead: boolean) {
      const node = nodeAt(index);
      if (believesToLead) node.pastTerm = { visible: node.visibleWhenFrozen, over: [] };
      node.isFrozen = false;
      node.isAlive = true;
      node.listener.thaw();
    },
    stepDown(index: number) {
      const { pastTerm } = nodeAt(index);
      nodeAt(index).pastTerm = null;
      for (const over of pastTerm?.over ?? []) over();
      wakeAll();
    },
    lag(index: number, events: number) {
      nodeAt(index).lag = events;
      wakeAll();
    },
    hold: held.hold,
    release() {
      held.release();
      wakeAll();
      if (isResigning) elect(successor(), true);
    },
    deny(denied: typeof isDenied) {
      isDenied = denied;
    },
    rememberIds(on: boolean) {
      remembersIds = on;
    },
  };
}

/** Breaks a connection behind the n-th message of a call. */
function createCuts() {
  let after: number | null = null;
  let sent = new WeakMap<object, number>();
  let happened = (): void => undefined;
  return {
    after(messages: number): Promise<void> {
      after = messages;
      sent = new WeakMap();
      return new Promise((resolve) => {
        happened = resolve;
      });
    },
    never() {
      after = null;
    },
    isCutAt(call: object, more: 0 | 1): boolean {
      if (after === null) return false;
      const total = (sent.get(call) ?? 0) + more;
      sent.set(call, total);
      if (after === 0 ? more > 0 : more === 0 || total < after) return false;
      after = null;
      happened();
      return true;
    },
  };
}
