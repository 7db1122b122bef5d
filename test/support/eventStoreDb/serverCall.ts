import type * as grpc from '@grpc/grpc-js';
import type { ClusterNode } from './clusterNode.ts';

type WritableCall<Request, Response> =
  grpc.ServerWritableStream<Request, Response> | grpc.ServerDuplexStream<Request, Response>;

/** The client or the connection ended the call: there is nobody to answer. */
export class CallEnded extends Error {}

export function requiresLeader(call: { metadata: grpc.Metadata }): boolean {
  return headerOf(call, 'requires-leader')?.toLowerCase() === 'true';
}

function headerOf(call: { metadata: grpc.Metadata }, name: string): string | undefined {
  return call.metadata.get(name)[0]?.toString();
}

/** Authenticates the caller. @throws RpcError */
export function userOf(node: ClusterNode, call: { metadata: grpc.Metadata }): string | null {
  return node.authenticate(headerOf(call, 'authorization'));
}

/** Sends one message, waits while the client takes no more, and breaks the connection behind it when a test wants that. @throws CallEnded */
export async function send<Request, Response>(
  node: ClusterNode,
  call: WritableCall<Request, Response>,
  response: Response,
): Promise<void> {
  if (call.cancelled || call.destroyed) throw new CallEnded();
  if (node.isCutAt(call, 1)) {
    await new Promise<void>((resolve) => {
      call.once('cancelled', resolve);
      call.write(response, () => resolve());
    });
    node.disconnect(call.getPeer());
    throw new CallEnded();
  }
  if (call.write(response)) return;
  await new Promise<void>((resolve, reject) => {
    const drained = () => {
      call.off('cancelled', ended);
      resolve();
    };
    const ended = () => {
      call.off('drain', drained);
      reject(new CallEnded());
    };
    call.once('drain', drained);
    call.once('cancelled', ended);
  });
}

/** Breaks the connection of a call that is to get no message at all. @throws CallEnded */
export function cutBefore(node: ClusterNode, call: { getPeer(): string }): void {
  if (!node.isCutAt(call, 0)) return;
  node.disconnect(call.getPeer());
  throw new CallEnded();
}
