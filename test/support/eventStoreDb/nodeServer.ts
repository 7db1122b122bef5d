import { constants, type ServerHttp2Stream } from 'node:http2';
import * as grpc from '@grpc/grpc-js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import operationsGrpc from '@eventstore/db-client/generated/operations_grpc_pb.js';
import operationsPb from '@eventstore/db-client/generated/operations_pb.js';
import type * as Operations from '@eventstore/db-client/generated/operations_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import { InvalidPosition } from './allReads.ts';
import { append, type BatchCall, batchAppend } from './appends.ts';
import { tombstone } from './tombstones.ts';
import type { ClusterNode } from './clusterNode.ts';
import { toClusterInfo } from './messages.ts';
import { read, type ReadCall } from './reads.ts';
import { RpcError, rpcErrors } from './rpcErrors.ts';
import { CallEnded, cutBefore, userOf } from './serverCall.ts';

/** A call as the library has it: what ends without a status has no other name there. */
interface LibraryCall {
  readonly call: { readonly stream: ServerHttp2Stream };
}

/** Bytes of a request at most: a record of the server's log. */
const MAX_MESSAGE = 16 * 1024 * 1024 - 10_000;

/** The gRPC services of a node. */
export interface NodeServer {
  readonly server: grpc.Server;
  /** Ends all calls without a status, as a server does that shuts down. */
  abandonCalls(): void;
}

export function createNodeServer(node: ClusterNode): NodeServer {
  const open = new Set<LibraryCall>();
  const opened = (call: ReadCall | BatchCall) => {
    const own = call as unknown as LibraryCall;
    open.add(own);
    call.once('close', () => open.delete(own));
  };
  const server = new grpc.Server({ 'grpc.max_receive_message_length': MAX_MESSAGE });
  server.addService(streamsGrpc.StreamsService, {
    read: (call: ReadCall) => {
      opened(call);
      call.on('error', () => undefined);
      read(node, call).catch((error: unknown) => fail(call, error));
    },
    append: (
      call: grpc.ServerReadableStream<Streams.AppendReq, Streams.AppendResp>,
      respond: grpc.sendUnaryData<Streams.AppendResp>,
    ) => {
      append(node, call, respond).catch((error: unknown) => respond(toStatus(error)));
    },
    tombstone: (
      call: grpc.ServerUnaryCall<Streams.TombstoneReq, Streams.TombstoneResp>,
      respond: grpc.sendUnaryData<Streams.TombstoneResp>,
    ) => answer(respond, () => tombstone(node, call)),
    batchAppend: (call: BatchCall) => {
      opened(call);
      batchAppend(node, call);
    },
  });
  server.addService(gossipGrpc.GossipService, {
    read: (
      call: grpc.ServerUnaryCall<Empty, ClusterInfo>,
      respond: grpc.sendUnaryData<ClusterInfo>,
    ) =>
      answer(respond, () => {
        node.count('gossip');
        node.authorize(userOf(node, call), { operation: 'gossip' });
        cutBefore(node, call);
        const members = node.gossip();
        return members === null ? null : toClusterInfo(members);
      }),
  });
  server.addService(featuresGrpc.ServerFeaturesService, {
    getSupportedMethods: (
      call: grpc.ServerUnaryCall<Empty, InstanceType<typeof featuresPb.SupportedMethods>>,
      respond: grpc.sendUnaryData<InstanceType<typeof featuresPb.SupportedMethods>>,
    ) =>
      answer(respond, () => {
        node.count('features');
        node.authorize(userOf(node, call), { operation: 'features' });
        cutBefore(node, call);
        return supportedMethods();
      }),
  });
  // Of the server's operations, the one that is asked for.
  const { startScavenge } = operationsGrpc.OperationsService;
  server.addService(
    { startScavenge },
    {
      startScavenge: (
        call: grpc.ServerUnaryCall<Operations.StartScavengeReq, Operations.ScavengeResp>,
        respond: grpc.sendUnaryData<Operations.ScavengeResp>,
      ) =>
        answer(respond, () => {
          node.authorize(userOf(node, call), { operation: 'scavenge' });
          const { id, isNew } = node.scavenge();
          const { STARTED, INPROGRESS } = operationsPb.ScavengeResp.ScavengeResult;
          return new operationsPb.ScavengeResp()
            .setScavengeId(id)
            .setScavengeResult(isNew ? STARTED : INPROGRESS);
        }),
    },
  );
  return {
    server,
    abandonCalls() {
      for (const { call } of open) call.stream.close(constants.NGHTTP2_NO_ERROR);
    },
  };
}

/** @param make `null`: no answer */
function answer<Response>(
  respond: grpc.sendUnaryData<Response>,
  make: () => Response | null,
): void {
  try {
    const response = make();
    if (response !== null) respond(null, response);
  } catch (error) {
    if (!(error instanceof CallEnded)) respond(toStatus(error));
  }
}

function fail(call: ReadCall, error: unknown): void {
  if (!(error instanceof CallEnded) && !call.cancelled) call.emit('error', toStatus(error));
}

function toStatus(error: unknown): Partial<grpc.StatusObject> {
  if (error instanceof InvalidPosition) return rpcErrors.invalidPosition();
  // A stack here tells of a mistake in the double itself.
  return error instanceof RpcError ? error : rpcErrors.unknown(String((error as Error).stack));
}

function supportedMethods() {
  const methods = new featuresPb.SupportedMethods();
  methods.setEventStoreServerVersion('24.10.4');
  for (const [name, features] of [
    ['read', ['position', 'events']],
    ['append', []],
    ['batchappend', ['deadline_duration']],
  ] as const) {
    const method = methods.addMethods();
    method.setServiceName('event_store.client.streams.streams');
    method.setMethodName(name);
    method.setFeaturesList([...features]);
  }
  return methods;
}
