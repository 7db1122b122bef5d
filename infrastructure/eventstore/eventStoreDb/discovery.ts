import { lookup } from 'node:dns/promises';
import type { ChannelCredentials, ChannelOptions, Metadata } from '@grpc/grpc-js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type * as Gossip from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { ConnectionSettings, Endpoint } from './connectionString.ts';
import { CallFailed, callFailure } from './outcomes.ts';
import { assertAnswering, type Node, targetOf } from './preflight.ts';

const { LEADER } = gossipPb.MemberInfo.VNodeState;

/** Credentials and options to reach a node. */
export interface Access {
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
  readonly metadata: Metadata;
}

/**
 * Chooses the node to connect to: a single node, or the leader according to gossip. All seeds are queried at once, so
 * that an unresponsive one does not delay the others.
 *
 * @param left unresponsive node that was just abandoned: chosen only when no other is called leader, since dead nodes
 * remain leaders in gossip for a while
 * @throws CallFailed when no seed names a leader within the gossip timeout
 */
export async function findLeader(
  settings: ConnectionSettings,
  access: Access,
  left: Endpoint | null,
): Promise<Endpoint> {
  const seeds = await seedsOf(settings);
  const [only] = seeds;
  if (only !== undefined && seeds.length === 1 && !settings.isDnsDiscovery) return only;
  const answers = seeds.map((seed) => askForLeaders(seed, access, settings));
  const isOther = (leader: Endpoint) => left === null || targetOf(leader) !== targetOf(left);
  const first = (isWanted: (leader: Endpoint) => boolean) =>
    Promise.any(
      answers.map(async (answer) => {
        const leader = (await answer).find(isWanted);
        if (leader === undefined) throw new CallFailed('ServerNotReady', 'there is no leader now');
        return leader;
      }),
    );
  try {
    return await first(isOther).catch(() => first(() => true));
  } catch (error) {
    const [reason] = (error as AggregateError).errors as unknown[];
    throw callFailure(reason);
  }
}

async function seedsOf({ seeds, isDnsDiscovery }: ConnectionSettings): Promise<readonly Node[]> {
  const [name] = seeds;
  if (!isDnsDiscovery || name === undefined) return seeds;
  try {
    const found = await lookup(name.address, { all: true });
    return found.map(({ address }) => ({ address, port: name.port, serverName: name.address }));
  } catch (error) {
    const why = `the name ${name.address} cannot be resolved: ${String(error)}`;
    throw new CallFailed('Unavailable', why);
  }
}

async function askForLeaders(
  seed: Node,
  access: Access,
  { tls, gossipTimeoutMs }: ConnectionSettings,
): Promise<readonly Endpoint[]> {
  await assertAnswering(seed, tls, gossipTimeoutMs);
  const { serverName } = seed;
  const client = new gossipGrpc.GossipClient(
    targetOf(seed),
    access.credentials,
    serverName === undefined
      ? access.options
      : { ...access.options, 'grpc.ssl_target_name_override': serverName },
  );
  try {
    const members = await readGossip(client, access.metadata, gossipTimeoutMs);
    return members
      .filter((member) => member.getIsAlive() && member.getState() === LEADER)
      .map(endpointOf);
  } finally {
    client.close();
  }
}

/** Reads the cluster members known to a node. @throws CallFailed */
export function readGossip(
  client: InstanceType<typeof gossipGrpc.GossipClient>,
  metadata: Metadata,
  timeoutMs: number,
): Promise<readonly Gossip.MemberInfo[]> {
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + timeoutMs;
    client.read(new sharedPb.Empty(), metadata, { deadline }, (error, answer) =>
      error ? reject(callFailure(error)) : resolve(answer.getMembersList()),
    );
  });
}

/**
 * True when the node itself reports that it leads. A node about to lead answers reads too, before it knows everything
 * the previous leader acknowledged.
 */
export function isLeaderByItsWord(node: Endpoint, members: readonly Gossip.MemberInfo[]): boolean {
  const isLeader = (member: Gossip.MemberInfo) =>
    member.getIsAlive() && member.getState() === LEADER;
  const own = members.find((member) => targetOf(endpointOf(member)) === targetOf(node));
  // Reached by another address than it advertises: knowing a leader is enough.
  return own === undefined ? members.some(isLeader) : isLeader(own);
}

/** Address of a member. */
export function endpointOf(member: Gossip.MemberInfo): Endpoint {
  const endpoint = member.getHttpEndPoint();
  return { address: endpoint?.getAddress() ?? '', port: endpoint?.getPort() ?? 0 };
}
