import type * as grpc from '@grpc/grpc-js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendOutcome, ClusterNode } from './clusterNode.ts';
import {
  batchErrors,
  batchExpectation,
  batchSuccess,
  nameOf,
  sizeOf,
  toIdentifier,
  toProposal,
  toUuidText,
  unaryExpectation,
  unarySuccess,
  unaryWrongExpectedVersion,
} from './messages.ts';
import { type RpcError, rpcErrors } from './rpcErrors.ts';
import { CallEnded, cutBefore, requiresLeader, send, userOf } from './serverCall.ts';
import type { Expectation, Proposal } from './storedEvents.ts';

export type BatchCall = grpc.ServerDuplexStream<Streams.BatchAppendReq, Streams.BatchAppendResp>;
type UnaryCall = grpc.ServerReadableStream<Streams.AppendReq, Streams.AppendResp>;

interface Batch {
  readonly stream: string;
  readonly expected: Expectation;
  readonly proposals: Proposal[];
  size: number;
}

/** Streams.BatchAppend, as `Streams.BatchAppend.cs`: failures are answers in the stream, but that of another leader ends it. */
export function batchAppend(node: ClusterNode, call: BatchCall): void {
  node.count('batchAppend');
  const open = new Map<string, Batch>();
  let answers = Promise.resolve();
  let pending = 0;
  let user: string | null = null;
  let hasEnded = false;
  let isOver = false;

  function fail(error: unknown): void {
    if (isOver) return;
    isOver = true;
    if (!(error instanceof CallEnded)) call.emit('error', error);
  }

  function close(): void {
    if (hasEnded && pending === 0 && !isOver) call.end();
  }

  function answer(
    request: Streams.BatchAppendReq,
    response: Streams.BatchAppendResp,
    name?: string,
  ) {
    response.setCorrelationId(request.getCorrelationId());
    const identifier = name === undefined ? undefined : toIdentifier(name);
    response.setStreamIdentifier(identifier ?? request.getOptions()?.getStreamIdentifier());
    pending += 1;
    answers = answers
      .then(() => (isOver ? undefined : send(node, call, response)))
      .catch(fail)
      .then(() => {
        pending -= 1;
        close();
      });
  }

  function begin(
    request: Streams.BatchAppendReq,
    options: Streams.BatchAppendReq.Options,
  ): boolean {
    const identifier = options.getStreamIdentifier();
    const stream = nameOf(identifier);
    if (isDenied(node, user, stream)) answer(request, batchErrors.accessDenied());
    else if (identifier === undefined)
      answer(request, batchErrors.badRequest('Required field StreamIdentifier not set.'));
    else if ((options.getDeadline()?.toDate().getTime() ?? Infinity) <= Date.now())
      answer(request, batchErrors.timeout());
    else {
      const expected = batchExpectation(options);
      if (expected === null) {
        answer(request, batchErrors.badRequest('No expected version.'));
        return false;
      }
      const key = toUuidText(request.getCorrelationId());
      if (!open.has(key)) open.set(key, { stream, expected, proposals: [], size: 0 });
      return true;
    }
    return false;
  }

  call.on('data', (request: Streams.BatchAppendReq) => {
    if (isOver) return;
    const options = request.getOptions();
    if (options !== undefined && !begin(request, options)) return;
    const key = toUuidText(request.getCorrelationId());
    const batch = open.get(key);
    if (batch === undefined) return;
    const refusal = add(batch, request);
    if (refusal !== null) {
      open.delete(key);
      answer(request, refusal, batch.stream);
    }
    if (!request.getIsFinal() || !open.delete(key)) return;
    pending += 1;
    void node
      .append(batch.stream, batch.proposals, batch.expected, requiresLeader(call))
      .then((outcome) => {
        pending -= 1;
        if (outcome.kind === 'silent') {
          pending = Infinity;
          return;
        }
        if (outcome.kind === 'disconnected') node.disconnect(call.getPeer());
        else if (outcome.kind === 'notLeader') {
          void answers.then(() => fail(rpcErrors.notLeader(outcome.leader)));
        } else answer(request, toBatchResponse(node, batch, outcome), batch.stream);
      });
  });
  call.on('end', () => {
    hasEnded = true;
    close();
  });
  call.on('cancelled', () => {
    isOver = true;
  });
  call.on('error', () => undefined);
  try {
    user = userOf(node, call);
    cutBefore(node, call);
  } catch (error) {
    fail(error);
  }

  function add(batch: Batch, request: Streams.BatchAppendReq): Streams.BatchAppendResp | null {
    for (const message of request.getProposedMessagesList()) {
      const proposal = toProposal(message);
      if (typeof proposal === 'string')
        return batchErrors.badRequest(`The given key '${proposal}' was not present in the map.`);
      if (proposal.type === '')
        return batchErrors.badRequest("Empty eventType provided. (Parameter 'eventType')");
      const size = sizeOf(proposal);
      if (size > node.maxAppendEventSize)
        return batchErrors.maximumAppendEventSizeExceeded(
          proposal.id,
          size,
          node.maxAppendEventSize,
        );
      batch.size += size;
      batch.proposals.push(proposal);
    }
    return batch.size > node.maxAppendSize
      ? batchErrors.maximumAppendSizeExceeded(node.maxAppendSize)
      : null;
  }
}

function toBatchResponse(
  node: ClusterNode,
  { stream, expected }: Batch,
  outcome: Exclude<AppendOutcome, { kind: 'notLeader' }>,
): Streams.BatchAppendResp {
  switch (outcome.kind) {
    case 'success':
      return batchSuccess(outcome);
    case 'wrongExpectedVersion':
      return batchErrors.wrongExpectedVersion(expected, outcome.current);
    case 'streamDeleted':
      return batchErrors.streamDeleted(stream);
    case 'timeout':
      return batchErrors.timeout();
    case 'accessDenied':
      return batchErrors.accessDenied();
    case 'badRequest':
      return batchErrors.badRequest('Bad request.');
    case 'maximumAppendSizeExceeded':
      return batchErrors.maximumAppendSizeExceeded(node.maxAppendSize);
    case 'notReady':
      return batchErrors.notReady();
    case 'tooBusy':
      return batchErrors.tooBusy();
    default:
      return batchErrors.unknown();
  }
}

/** Streams.Append, as `Streams.Append.cs`. @throws RpcError */
export async function append(
  node: ClusterNode,
  call: UnaryCall,
  respond: grpc.sendUnaryData<Streams.AppendResp>,
): Promise<void> {
  node.count('append');
  const { stream, expected, proposals } = await receive(node, call);
  const outcome = await node.append(stream, proposals, expected, requiresLeader(call));
  switch (outcome.kind) {
    case 'silent':
      return;
    case 'disconnected':
      node.disconnect(call.getPeer());
      return;
    case 'success':
      respond(null, unarySuccess(outcome));
      return;
    case 'wrongExpectedVersion':
      respond(null, unaryWrongExpectedVersion(expected, outcome.current));
      return;
    default:
      throw toRpcError(node, stream, outcome);
  }
}

/** Reads all that a unary append sends: options first, then events. @throws RpcError */
async function receive(node: ClusterNode, call: UnaryCall): Promise<Batch> {
  let batch: Batch | undefined;
  for await (const request of call as AsyncIterable<Streams.AppendReq>) {
    if (batch === undefined) {
      const options = request.getOptions();
      const expected = options === undefined ? null : unaryExpectation(options);
      if (expected === null) throw rpcErrors.thrown();
      const stream = nameOf(options?.getStreamIdentifier());
      node.authorize(userOf(node, call), { operation: 'append', stream });
      batch = { stream, expected, proposals: [], size: 0 };
      continue;
    }
    const message = request.getProposedMessage();
    if (message === undefined) throw rpcErrors.thrown();
    const proposal = toProposal(message);
    if (typeof proposal === 'string') throw rpcErrors.missingMetadata(proposal);
    const size = sizeOf(proposal);
    if (size > node.maxAppendEventSize)
      throw rpcErrors.maximumAppendEventSizeExceeded(proposal.id, size, node.maxAppendEventSize);
    batch.size += size;
    if (batch.size > node.maxAppendSize)
      throw rpcErrors.maximumAppendSizeExceeded(node.maxAppendSize);
    batch.proposals.push(proposal);
  }
  if (batch === undefined) throw rpcErrors.thrown();
  return batch;
}

function toRpcError(
  node: ClusterNode,
  stream: string,
  outcome: Exclude<AppendOutcome, { kind: 'success' | 'wrongExpectedVersion' }>,
): RpcError {
  switch (outcome.kind) {
    case 'streamDeleted':
      return rpcErrors.streamDeleted(stream);
    case 'timeout':
      return rpcErrors.timeout(outcome.why);
    case 'notLeader':
      return rpcErrors.notLeader(outcome.leader);
    case 'accessDenied':
      return rpcErrors.accessDenied();
    case 'maximumAppendSizeExceeded':
      return rpcErrors.maximumAppendSizeExceeded(node.maxAppendSize);
    case 'notReady':
      return rpcErrors.serverNotReady();
    case 'tooBusy':
      return rpcErrors.serverBusy();
    default:
      return rpcErrors.unknown('Unexpected OperationResult: InvalidTransaction');
  }
}

function isDenied(node: ClusterNode, user: string | null, stream: string): boolean {
  try {
    node.authorize(user, { operation: 'append', stream });
    return false;
  } catch {
    return true;
  }
}
