import type * as grpc from '@grpc/grpc-js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ClusterNode } from './clusterNode.ts';
import { nameOf } from './messages.ts';
import { rpcErrors } from './rpcErrors.ts';
import { cutBefore, requiresLeader, userOf } from './serverCall.ts';

/** Streams.Tombstone with an expected revision, as `Streams.Delete.cs`. @throws RpcError */
export function tombstone(
  node: ClusterNode,
  call: grpc.ServerUnaryCall<Streams.TombstoneReq, Streams.TombstoneResp>,
): Streams.TombstoneResp {
  node.count('tombstone');
  const options = call.request.getOptions();
  const stream = nameOf(options?.getStreamIdentifier());
  if (options?.hasRevision() !== true) throw rpcErrors.unimplemented();
  node.authorize(userOf(node, call), { operation: 'delete', stream });
  cutBefore(node, call);
  const decision = node.tombstone(stream, BigInt(options.getRevision()), requiresLeader(call));
  if (decision.kind === 'streamDeleted') throw rpcErrors.streamDeleted(stream);
  if (decision.kind === 'wrongExpectedVersion') throw rpcErrors.wrongExpectedVersion(stream);
  const at = new streamsPb.TombstoneResp.Position();
  at.setCommitPosition(String(decision.position)).setPreparePosition(String(decision.position));
  return new streamsPb.TombstoneResp().setPosition(at);
}
