import type * as grpc from '@grpc/grpc-js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import { type AllPage, InvalidPosition } from './allReads.ts';
import type { ClusterNode } from './clusterNode.ts';
import { nameOf, toReadEvent, toStreamNotFound } from './messages.ts';
import { rpcErrors } from './rpcErrors.ts';
import { cutBefore, requiresLeader, send, userOf } from './serverCall.ts';
import type { EventFilter, LogPosition, StoredEvent } from './storedEvents.ts';
import { subscribeToAll } from './subscriptions.ts';

export type ReadCall = grpc.ServerWritableStream<Streams.ReadReq, Streams.ReadResp>;
type Options = Streams.ReadReq.Options;

/** Events the server reads at once; between two such pages a node may lose its leadership. */
export const PAGE = 32;

/** Streams.Read: of a stream, of $all, and subscriptions to $all. @throws RpcError | CallEnded */
export async function read(node: ClusterNode, call: ReadCall): Promise<void> {
  const options = call.request.getOptions();
  if (options === undefined) throw rpcErrors.thrown();
  const isSubscription = options.hasSubscription();
  node.count(isSubscription ? 'subscribe' : 'read');
  const stream = options.getStream();
  const name = stream === undefined ? '$all' : nameOf(stream.getStreamIdentifier());
  node.authorize(userOf(node, call), { operation: 'read', stream: name });
  cutBefore(node, call);
  if (isSubscription && stream !== undefined) throw rpcErrors.unimplemented();
  if (isSubscription) await subscribeToAll(node, call, options);
  else if (stream === undefined) await readAll(node, call, options);
  else await readStream(node, call, stream);
  call.end();
}

/** Follows `Enumerator.ReadStreamForwards.cs` and `Enumerator.ReadStreamBackwards.cs`. */
async function readStream(
  node: ClusterNode,
  call: ReadCall,
  stream: Streams.ReadReq.Options.StreamOptions,
): Promise<void> {
  const name = nameOf(stream.getStreamIdentifier());
  const options = call.request.getOptions() as Options;
  const isBackwards = isBackward(options);
  const events = limited(node, call, options);
  const edge = edgeTeller(node, call, options);
  let from = revisionOf(stream);
  for (;;) {
    node.assertReadable(requiresLeader(call));
    const query = { from, maxCount: events.pageSize, isBackwards };
    const page = node.log.readStream(name, node.visible(), query);
    if (page === 'noStream') return send(node, call, toStreamNotFound(name));
    if (page === 'streamDeleted') throw rpcErrors.streamDeleted(name);
    const isMoved = page.events.length === 0 && from !== page.next;
    if (isMoved && events.sent === 0n && !isBackwards) await edge.first(page.next);
    await events.send(page.events);
    if (page.isEnd || events.sent >= events.maxCount) return edge.last(page.last);
    from = page.next;
  }
}

/** Tells clients that understand it where a stream begins and ends. */
function edgeTeller(node: ClusterNode, call: ReadCall, options: Options) {
  const isAsked = (options.getControlOption()?.getCompatibility() ?? 0) >= 1;
  const tell = async (response: Streams.ReadResp) => {
    if (isAsked) await send(node, call, response);
  };
  return {
    first: (at: bigint) => tell(new streamsPb.ReadResp().setFirstStreamPosition(String(at))),
    last: (at: bigint) => tell(new streamsPb.ReadResp().setLastStreamPosition(String(at))),
  };
}

/** Follows `Enumerator.ReadAllForwards.cs` and its siblings: backwards, filtered, both. */
async function readAll(node: ClusterNode, call: ReadCall, options: Options): Promise<void> {
  const { filter, window } = filterOf(options);
  const events = limited(node, call, options);
  let from: LogPosition | 'end' = startOf(options) ?? { commit: 0n, prepare: 0n };
  for (;;) {
    node.assertReadable(requiresLeader(call));
    const maxCount = events.pageSize;
    const query = { from, maxCount, visible: node.visible(), filter, window };
    const page = invalidAsUnknown(options, () =>
      isBackward(options) ? node.log.readAllBackward(query) : node.log.readAllForward(query),
    );
    // The server looks for one event more than it was asked for before it ends the answer.
    if (!(await events.send(page.events))) return;
    // The unfiltered answer ends with any page that is not full, the filtered one where the log ends.
    if (options.hasFilter() ? page.isEnd : page.events.length < maxCount) return;
    from = page.next;
  }
}

/** Sends events until the reader has as many as it asked for. */
function limited(node: ClusterNode, call: ReadCall, options: Options) {
  const maxCount = BigInt(options.getCount());
  let sent = 0n;
  return {
    pageSize: Number(maxCount < PAGE ? maxCount : PAGE),
    get sent() {
      return sent;
    },
    maxCount,
    /** @returns whether all of them were still asked for */
    async send(events: readonly StoredEvent[]): Promise<boolean> {
      for (const event of events) {
        if (sent >= maxCount) return false;
        await send(node, call, toReadEvent(event, hasTextIds(options)));
        sent += 1n;
      }
      return true;
    },
  };
}

/** A read words a position it cannot start from as something unexpected; a subscription names it. */
function invalidAsUnknown(options: Options, page: () => AllPage): AllPage {
  try {
    return page();
  } catch (error) {
    if (!(error instanceof InvalidPosition)) throw error;
    const result = options.hasFilter() ? 'FilteredReadAllResult' : 'ReadAllResult';
    throw rpcErrors.unknown(`Unexpected ${result}: ${error.result}`);
  }
}

function revisionOf(stream: Streams.ReadReq.Options.StreamOptions): bigint | 'end' {
  if (stream.hasEnd()) return 'end';
  return stream.hasRevision() ? BigInt(stream.getRevision()) : 0n;
}

/** Position a read or subscription names; `null`: the start. */
export function startOf(options: Options): LogPosition | 'end' | null {
  const all = options.getAll();
  if (all?.hasEnd()) return 'end';
  const position = all?.getPosition();
  if (position === undefined) return null;
  const commit = BigInt(position.getCommitPosition());
  return { commit, prepare: BigInt(position.getPreparePosition()) };
}

/** Filter, events searched for one page, and interval of checkpoints. */
export function filterOf(options: Options): {
  filter: EventFilter;
  window: number;
  interval: number;
} {
  const given = options.getFilter();
  if (given === undefined) return { filter: () => true, window: Infinity, interval: Infinity };
  const window = given.hasMax() ? given.getMax() : PAGE;
  const interval = window * given.getCheckpointintervalmultiplier();
  const byType = given.getEventType();
  const expression = byType ?? given.getStreamIdentifier();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = expression?.getRegex() ?? '';
  const pattern = regex === '' ? null : new RegExp(regex, 'u');
  const passes = (text: string) =>
    pattern?.test(text) ?? prefixes.some((prefix) => text.startsWith(prefix));
  return { filter: (event) => passes(byType ? event.type : event.stream), window, interval };
}

export function hasTextIds(options: Options): boolean {
  return options.getUuidOption()?.hasString() ?? false;
}

function isBackward(options: Options): boolean {
  return options.getReadDirection() === streamsPb.ReadReq.Options.ReadDirection.BACKWARDS;
}
