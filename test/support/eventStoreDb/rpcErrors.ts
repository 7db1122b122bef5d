import * as grpc from '@grpc/grpc-js';
import type { Member } from './clusterNode.ts';

/** A failure as the server's `RpcExceptions.cs` words it: status, text and trailers. */
export class RpcError extends Error {
  readonly code: grpc.status;
  readonly details: string;
  readonly metadata: grpc.Metadata;

  constructor(code: grpc.status, details: string, metadata: grpc.Metadata) {
    super(details);
    this.code = code;
    this.details = details;
    this.metadata = metadata;
  }
}

function rpcError(
  code: grpc.status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): RpcError {
  const metadata = new grpc.Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return new RpcError(code, details, metadata);
}

export const rpcErrors = {
  timeout: (why: string) => rpcError(grpc.status.ABORTED, `Operation timed out: ${why}`),
  serverNotReady: () => rpcError(grpc.status.UNAVAILABLE, 'Server Is Not Ready'),
  serverBusy: () => rpcError(grpc.status.UNAVAILABLE, 'Server Is Too Busy'),
  notLeader: ({ host, port }: Member) =>
    rpcError(grpc.status.NOT_FOUND, 'Leader info available', {
      exception: 'not-leader',
      'leader-endpoint-host': host,
      'leader-endpoint-port': String(port),
    }),
  accessDenied: () =>
    rpcError(grpc.status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' }),
  unauthenticated: () => rpcError(grpc.status.UNAUTHENTICATED, 'Unauthenticated'),
  /** Status of the gRPC framework for any other exception. */
  thrown: () => rpcError(grpc.status.UNKNOWN, 'Exception was thrown by handler.'),
  streamDeleted: (stream: string) =>
    rpcError(grpc.status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
      exception: 'stream-deleted',
      'stream-name': stream,
    }),
  wrongExpectedVersion: (stream: string) =>
    rpcError(grpc.status.FAILED_PRECONDITION, `Delete failed due to WrongExpectedVersion.`, {
      exception: 'wrong-expected-version',
      'stream-name': stream,
    }),
  invalidTransaction: () =>
    rpcError(grpc.status.INVALID_ARGUMENT, 'Invalid Transaction', {
      exception: 'invalid-transaction',
    }),
  maximumAppendSizeExceeded: (limit: number) =>
    rpcError(grpc.status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
      exception: 'maximum-append-size-exceeded',
      'maximum-append-size': String(limit),
    }),
  maximumAppendEventSizeExceeded: (id: string, size: number, limit: number) =>
    rpcError(
      grpc.status.INVALID_ARGUMENT,
      `Event with Id: ${id}, Size: ${size}, exceeds Maximum Append Event Size of ${limit}.`,
      {
        exception: 'maximum-append-event-size-exceeded',
        'maximum-append-event-size': String(limit),
        'event-id': id,
        'proposed-append-event-size': String(size),
      },
    ),
  missingMetadata: (property: string) =>
    rpcError(grpc.status.INVALID_ARGUMENT, `Required Metadata Property '${property}' is missing`, {
      exception: 'missing-required-metadata-property',
      'required-metadata-properties': 'type,content-type',
    }),
  invalidPosition: () =>
    rpcError(grpc.status.INVALID_ARGUMENT, 'Trying to read from an invalid position.'),
  /** Operation of the server that the double does not implement. */
  unimplemented: () => rpcError(grpc.status.UNIMPLEMENTED, 'The double does not do that.'),
  unknown: (text: string) => rpcError(grpc.status.UNKNOWN, text),
};
