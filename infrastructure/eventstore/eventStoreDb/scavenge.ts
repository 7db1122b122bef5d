import { setTimeout as pause } from 'node:timers/promises';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type * as Gossip from '@eventstore/db-client/generated/gossip_pb.js';
import operationsGrpc from '@eventstore/db-client/generated/operations_grpc_pb.js';
import operationsPb from '@eventstore/db-client/generated/operations_pb.js';
import type * as Operations from '@eventstore/db-client/generated/operations_pb.js';
import { Unavailable } from '../../../application/ports/faults.ts';
import { accessOf, connectWithin, FAILOVER_MS, type LeaderConnection } from './connection.ts';
import {
  type ConnectionSettings,
  type Endpoint,
  parseConnectionString,
} from './connectionString.ts';
import { type Access, endpointOf, readGossip } from './discovery.ts';
import { CallFailed, callFailure, unknownUser } from './outcomes.ts';
import { targetOf } from './preflight.ts';
import { streamRequest, toLoggedEvent } from './protocol.ts';

/** Outcome of one node's scavenge. */
export interface NodeScavenge {
  /** Address of the node. */
  readonly node: string;
  /** Bytes given back; null: it was not scavenged, for `failure`. */
  readonly spaceSaved: number | null;
  readonly failure: string;
}

export interface ScavengeOptions {
  /** Called before each node. */
  readonly onStarted?: (node: string) => void;
  /** Called after each node. */
  readonly onEnded?: (scavenge: NodeScavenge) => void;
  /** Interval of asking whether it has ended, ms; default 1,000. */
  readonly lookEveryMs?: number;
  /** Time after which a node that does not answer counts as gone, ms; default 60,000. */
  readonly goneAfterMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * Scavenges the nodes of the cluster, one after the other: each writes a point to one stream of the server, and of two
 * that do so at once one fails. A scavenge takes minutes to hours; one under way is waited for first.
 *
 * @param url connection string of a user in the group `$ops`
 * @returns the outcome of every node that the cluster names, of those that are down too
 * @throws Unavailable; Error when the user is not in the group
 */
export async function scavengeNodes(
  url: string,
  options: ScavengeOptions = {},
): Promise<readonly NodeScavenge[]> {
  const { onStarted, onEnded, lookEveryMs = 1000, goneAfterMs = 60_000 } = options;
  const cluster = openCluster(parseConnectionString(url));
  const outcomes: NodeScavenge[] = [];

  /** Waits until the scavenge has told its outcome in the log, or the node is gone. */
  async function outcomeOf(node: string, id: string): Promise<NodeScavenge> {
    let seenAt = Date.now();
    for (;;) {
      const ended = await cluster.endOf(id);
      if (ended !== null) return { node, ...ended };
      if (await cluster.isAlive(node)) seenAt = Date.now();
      if (Date.now() - seenAt > goneAfterMs) return failed(node, 'the node is gone');
      await pause(lookEveryMs);
    }
  }

  async function scavenge(member: Member): Promise<NodeScavenge> {
    const node = targetOf(member);
    if (!member.isAlive) return failed(node, 'the node is down');
    for (;;) {
      const { id, isNew } = await cluster.start(member);
      if (isNew) return outcomeOf(node, id);
      // One that was under way may have begun before the last events were deleted.
      if (id === NOBODY) await pause(lookEveryMs);
      else await outcomeOf(node, id);
    }
  }

  try {
    for (const member of await cluster.members()) {
      const node = targetOf(member);
      onStarted?.(node);
      const outcome = await scavenge(member).catch((error: unknown) => {
        const failure = callFailure(error);
        if (failure.action === 'denied') throw refusal(failure);
        return failed(node, failure.message);
      });
      outcomes.push(outcome);
      onEnded?.(outcome);
    }
  } finally {
    cluster.close();
  }
  return outcomes;
}

type Member = Endpoint & { readonly isAlive: boolean };

/** Id the server gives while another operation holds the files. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

function failed(node: string, failure: string): NodeScavenge {
  return { node, spaceSaved: null, failure };
}

/** The calls that scavenging takes; what the leader is asked is asked again over an election. */
function openCluster(settings: ConnectionSettings) {
  const access = accessOf(settings);
  let connection: LeaderConnection | null = null;

  async function atLeader<Result>(ask: (leader: LeaderConnection) => Promise<Result>) {
    const until = Date.now() + FAILOVER_MS;
    for (;;) {
      try {
        if (connection?.isOpen() !== true) connection = await connectWithin(settings, FAILOVER_MS);
        return await ask(connection);
      } catch (error) {
        const failure = callFailure(error);
        connection?.close(failure);
        if (failure.action === 'denied') throw refusal(failure);
        if (Date.now() > until) throw new Unavailable('eventStore', failure);
      }
    }
  }

  const members = () =>
    atLeader(async ({ endpoint }) => (await gossipOf(endpoint, access)).map(memberOf));

  return {
    members,
    isAlive: async (node: string) =>
      (await members()).some((member) => member.isAlive && targetOf(member) === node),
    async start(member: Endpoint) {
      const answer = await startScavenge(member, access);
      const isNew = answer.getScavengeResult() === STARTED;
      return { id: answer.getScavengeId(), isNew };
    },
    /** Outcome of a scavenge; null: it has not ended. */
    endOf: (id: string) =>
      atLeader(async (leader) => {
        const request = streamRequest(`$scavenges-${id}`, 'end', 1);
        const [last] = await leader.readAll(request, TIMEOUT_MS);
        if (last === undefined) return null;
        const { type, data } = toLoggedEvent(last);
        return type === '$scavengeCompleted'
          ? endedOf(JSON.parse(data) as ScavengeCompleted)
          : null;
      }),
    close: () => connection?.close(new CallFailed('Cancelled', 'done')),
  };
}

const { STARTED } = operationsPb.ScavengeResp.ScavengeResult;

/** Data of `$scavengeCompleted`, as far as it is told here. */
interface ScavengeCompleted {
  readonly result: 'Success' | 'Stopped' | 'Errored' | 'Interrupted';
  readonly error?: string | null;
  readonly spaceSaved?: number;
}

function endedOf({ result, error, spaceSaved = 0 }: ScavengeCompleted) {
  if (result === 'Success') return { spaceSaved, failure: '' };
  return { spaceSaved: null, failure: [result, error ?? ''].join(' ').trim() };
}

function memberOf(info: Gossip.MemberInfo): Member {
  return { ...endpointOf(info), isAlive: info.getIsAlive() };
}

async function gossipOf(leader: Endpoint, access: Access): Promise<readonly Gossip.MemberInfo[]> {
  const client = new gossipGrpc.GossipClient(targetOf(leader), access.credentials, access.options);
  try {
    return await readGossip(client, access.metadata, TIMEOUT_MS);
  } finally {
    client.close();
  }
}

async function startScavenge(node: Endpoint, access: Access): Promise<Operations.ScavengeResp> {
  const client = new operationsGrpc.OperationsClient(
    targetOf(node),
    access.credentials,
    access.options,
  );
  const options = new operationsPb.StartScavengeReq.Options().setThreadCount(1);
  const request = new operationsPb.StartScavengeReq().setOptions(options);
  try {
    return await new Promise((resolve, reject) => {
      const call = { deadline: Date.now() + TIMEOUT_MS };
      client.startScavenge(request, access.metadata, call, (error, answer) =>
        error === null ? resolve(answer) : reject(callFailure(error)),
      );
    });
  } finally {
    client.close();
  }
}

function refusal(failure: CallFailed): Error {
  return (
    unknownUser(failure) ??
    new Error(
      'EventStoreDB allows only administrators and users in the group $ops to scavenge. See docs/eventstoredb.md, Scavenging.',
      { cause: failure },
    )
  );
}
