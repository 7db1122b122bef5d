import { randomUUID } from 'node:crypto';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ClusterNode } from './clusterNode.ts';
import { toCaughtUp, toCheckpoint, toConfirmation, toReadEvent } from './messages.ts';
import { filterOf, hasTextIds, PAGE, type ReadCall, startOf } from './reads.ts';
import { CallEnded, requiresLeader, send } from './serverCall.ts';
import type { EventFilter, LogPosition, StoredEvent } from './storedEvents.ts';

/** Live messages the server keeps for a subscription; when more wait, the oldest are dropped and it reads the log again. */
const LIVE_BUFFER = 32;

interface LiveMessage {
  readonly sequence: number;
  readonly event?: StoredEvent;
  readonly checkpoint?: LogPosition;
}

/**
 * A subscription to $all, as `Enumerator.AllSubscription.cs` and `Enumerator.AllSubscriptionFiltered.cs` run it. Only
 * catching up asks whether the node leads: a live subscription stays with a node that follows.
 */
export async function subscribeToAll(
  node: ClusterNode,
  call: ReadCall,
  options: Streams.ReadReq.Options,
): Promise<void> {
  const { filter, window, interval } = filterOf(options);
  const isFiltered = options.hasFilter();
  const live = followLive(node, filter, interval);
  call.once('cancelled', live.stop);
  let lastCheckpoint: LogPosition | undefined;
  let sequence = 0;

  const sendEvent = (event: StoredEvent) =>
    send(node, call, toReadEvent(event, hasTextIds(options)));

  /** A subscription that found nothing yet stands at -1, which the protocol's unsigned numbers make the largest of all. */
  async function sendCheckpoint({ commit, prepare }: LogPosition): Promise<void> {
    const sent = { commit: BigInt.asUintN(64, commit), prepare: BigInt.asUintN(64, prepare) };
    if (lastCheckpoint !== undefined && compare(sent, lastCheckpoint) <= 0) return;
    lastCheckpoint = sent;
    await send(node, call, toCheckpoint(sent));
  }

  async function goLive(from: LogPosition): Promise<LogPosition> {
    let checkpoint = from;
    await send(node, call, toCaughtUp());
    for (;;) {
      const message = await live.next();
      const isNext = message.sequence === sequence + 1;
      sequence = message.sequence;
      const { event } = message;
      if (event !== undefined && compare(at(event.position), checkpoint) <= 0) continue;
      if (message.checkpoint !== undefined && compare(message.checkpoint, checkpoint) < 0) continue;
      if (!isNext) {
        if (isFiltered) await sendCheckpoint(checkpoint);
        return checkpoint;
      }
      if (event !== undefined) {
        await sendEvent(event);
        checkpoint = at(event.position);
      } else if (message.checkpoint !== undefined) {
        await sendCheckpoint(message.checkpoint);
        checkpoint = message.checkpoint;
      }
    }
  }

  async function catchUp(from: LogPosition): Promise<LogPosition> {
    let checkpoint = from;
    let start = from.commit < 0n ? at(0n) : from;
    let considered = 0;
    for (;;) {
      node.assertReadable(requiresLeader(call));
      const query = { from: start, maxCount: PAGE, visible: node.visible(), filter, window };
      const page = node.log.readAllForward(query);
      for (const event of page.events) {
        if (compare(at(event.position), checkpoint) <= 0) continue;
        await sendEvent(event);
        checkpoint = at(event.position);
      }
      if (isFiltered ? page.isEnd : page.events.length < PAGE) {
        if (isFiltered) await sendCheckpoint(checkpoint);
        return checkpoint;
      }
      considered += page.considered;
      if (considered >= interval) {
        considered %= interval;
        if (compare(checkpoint, page.current) < 0) checkpoint = page.current;
        await sendCheckpoint(checkpoint);
      }
      start = page.next;
    }
  }

  try {
    await send(node, call, toConfirmation(randomUUID()));
    const start = startOf(options);
    let checkpoint = start === 'end' ? live.confirmed : (start ?? at(-1n));
    if (compare(checkpoint, live.confirmed) >= 0) checkpoint = await goLive(checkpoint);
    for (;;) checkpoint = await goLive(await catchUp(checkpoint));
  } finally {
    live.stop();
  }
}

/** Follows `SubscriptionsService`: sends what is committed from now on, and counts towards checkpoints. */
function followLive(node: ClusterNode, filter: EventFilter, interval: number) {
  const queue: LiveMessage[] = [];
  const confirmed = at(node.log.lastPosition(node.visible()));
  let dispatched = confirmed.commit;
  let sequence = 0;
  let considered = 0;
  let wake = (): void => undefined;
  let isStopped = false;

  function put(message: Omit<LiveMessage, 'sequence'>): void {
    sequence += 1;
    queue.push({ ...message, sequence });
    if (queue.length > LIVE_BUFFER) queue.shift();
  }

  function dispatch(): void {
    for (const event of node.log.between(dispatched, node.visible())) {
      dispatched = event.position;
      if (filter(event)) put({ event });
      considered += 1;
      if (considered < interval) continue;
      put({ checkpoint: at(event.position) });
      considered = 0;
    }
    wake();
  }

  const unfollow = node.onVisible(dispatch);
  return {
    confirmed,
    async next(): Promise<LiveMessage> {
      for (;;) {
        const message = queue.shift();
        if (message !== undefined) return message;
        if (isStopped) throw new CallEnded();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    stop(): void {
      isStopped = true;
      unfollow();
      wake();
    },
  };
}

function at(position: bigint): LogPosition {
  return { commit: position, prepare: position };
}

function compare(one: LogPosition, other: LogPosition): number {
  const [first, second] =
    one.commit === other.commit ? [one.prepare, other.prepare] : [one.commit, other.commit];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}
