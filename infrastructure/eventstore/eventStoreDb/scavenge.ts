import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import operationsGrpc from '@eventstore/db-client/generated/operations_grpc_pb.js';
import operationsPb from '@eventstore/db-client/generated/operations_pb.js';
import { accessOf, connectToLeader } from './connection.ts';
import { type Endpoint, parseConnectionString } from './connectionString.ts';
import { type Access, endpointOf, readGossip } from './discovery.ts';
import { CallFailed, callFailure } from './outcomes.ts';
import { targetOf } from './preflight.ts';

const TIMEOUT_MS = 10_000;

/**
 * Starts a scavenge on every node that is alive, as each gives back its own disk. It goes on for minutes to hours after
 * that; one under way goes on.
 *
 * @param url connection string of a user in the group `$ops`
 * @returns addresses of the nodes
 * @throws CallFailed; Error when the user is not in the group
 */
export async function startScavenges(url: string): Promise<readonly string[]> {
  const settings = parseConnectionString(url);
  const access = accessOf(settings);
  const leader = await connectToLeader(settings, { hint: null, left: null }, TIMEOUT_MS);
  leader.close(new CallFailed('Cancelled', 'known'));
  const nodes = await nodesOf(leader.endpoint, access);
  for (const node of nodes) await startScavenge(node, access);
  return nodes.map(targetOf);
}

async function nodesOf(leader: Endpoint, access: Access): Promise<readonly Endpoint[]> {
  const client = new gossipGrpc.GossipClient(targetOf(leader), access.credentials, access.options);
  try {
    const members = await readGossip(client, access.metadata, TIMEOUT_MS);
    return members.filter((member) => member.getIsAlive()).map(endpointOf);
  } finally {
    client.close();
  }
}

async function startScavenge(node: Endpoint, access: Access): Promise<void> {
  const client = new operationsGrpc.OperationsClient(
    targetOf(node),
    access.credentials,
    access.options,
  );
  const options = new operationsPb.StartScavengeReq.Options().setThreadCount(1);
  const request = new operationsPb.StartScavengeReq().setOptions(options);
  try {
    await new Promise<void>((resolve, reject) => {
      const call = { deadline: Date.now() + TIMEOUT_MS };
      client.startScavenge(request, access.metadata, call, (error) =>
        error === null ? resolve() : reject(refusal(error)),
      );
    });
  } finally {
    client.close();
  }
}

function refusal(error: unknown): Error {
  const failure = callFailure(error);
  if (failure.action !== 'denied') return failure;
  return new Error(
    'EventStoreDB lets users in the group $ops scavenge, and nobody else but administrators: see docs/eventstoredb.md, Scavenging.',
    { cause: failure },
  );
}
