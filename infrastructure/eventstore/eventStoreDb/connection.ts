import { setTimeout as pause } from 'node:timers/promises';
import {
  Channel,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientUnaryCall,
  connectivityState,
  Metadata,
} from '@grpc/grpc-js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import { channelCredentialsOf } from './channelCredentials.ts';
import type { ConnectionSettings, Endpoint } from './connectionString.ts';
import { type Access, findLeader, isLeaderByItsWord, readGossip } from './discovery.ts';
import { CallFailed, callFailure } from './outcomes.ts';
import { assertAnswering, targetOf } from './preflight.ts';
import { endRequest, positionOf } from './protocol.ts';

/** Result stream of a read call. */
export type ReadCall = ClientReadableStream<Streams.ReadResp>;
export type BatchAppendCall = ClientDuplexStream<Streams.BatchAppendReq, Streams.BatchAppendResp>;
type Call = ReadCall | BatchAppendCall | ClientUnaryCall;

type ReadEvent = Streams.ReadResp.ReadEvent.RecordedEvent;

/**
 * One transport connection to the node that was leader when it was opened. It closes for good with the first sign that
 * the node no longer leads; all calls in progress then fail. One connection is one server process, so successive reads
 * on it are consistent.
 */
export interface LeaderConnection {
  readonly endpoint: Endpoint;
  /** Position of the newest record of $all when connecting; `null`: there was none. */
  readonly end: bigint | null;
  /** Resolves with the reason once the connection has closed. */
  readonly ended: Promise<CallFailed>;
  isOpen(): boolean;
  /** Closes the transport and fails the calls in progress. */
  close(reason: CallFailed): void;
  /** Reads from the leader alone. @param deadlineMs `null`: none, for subscriptions */
  read(request: Streams.ReadReq, deadlineMs: number | null): ReadCall;
  /** Reads all records of a finite read. @throws CallFailed */
  readAll(request: Streams.ReadReq, deadlineMs: number): Promise<readonly ReadEvent[]>;
  /** Deletes a stream for good. @throws CallFailed */
  tombstone(request: Streams.TombstoneReq, deadlineMs: number): Promise<void>;
  /** Opens the stream used for appends. */
  batchAppend(): BatchAppendCall;
  /** Position of the newest record of $all, read from the leader now. @throws CallFailed */
  readEnd(deadlineMs: number): Promise<bigint | null>;
}

/** Credentials and channel options of every call. */
export function accessOf(settings: ConnectionSettings): Access {
  const { tls, credentials, connectionName } = settings;
  const metadata = new Metadata();
  metadata.set('requires-leader', 'true');
  metadata.set('connection-name', connectionName);
  // Sent over TLS only: a server without TLS has no users.
  if (credentials !== null && tls !== null) {
    const { username, password } = credentials;
    const basic = Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
    metadata.set('authorization', `Basic ${basic}`);
  }
  return {
    credentials: channelCredentialsOf(settings),
    options: {
      'grpc.keepalive_time_ms': settings.keepAliveIntervalMs,
      'grpc.keepalive_timeout_ms': settings.keepAliveTimeoutMs,
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      // Neither shared with the connection that replaces it nor reconnected by the library.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
    },
    metadata,
  };
}

/** The server stores events of up to 16 MiB. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

/**
 * Finds the leader and connects to it.
 *
 * @param hint likely address of the leader
 * @param left unresponsive node that was just abandoned
 * @param timeoutMs for connecting, and again for its first answer
 * @throws CallFailed when there is no leader, or it does not answer in time
 */
export async function connectToLeader(
  settings: ConnectionSettings,
  { hint, left }: { readonly hint: Endpoint | null; readonly left: Endpoint | null },
  timeoutMs: number,
): Promise<LeaderConnection> {
  const access = accessOf(settings);
  const endpoint = hint ?? (await findLeader(settings, access, left));
  await assertAnswering(endpoint, settings.tls, timeoutMs);
  const channel = new Channel(targetOf(endpoint), access.credentials, access.options);
  try {
    await becomeReady(channel, timeoutMs);
  } catch (error) {
    channel.close();
    throw new CallFailed('Unavailable', `${targetOf(endpoint)}: ${(error as Error).message}`);
  }
  const opened = openConnection(endpoint, channel, access);
  const gossip = new gossipGrpc.GossipClient('', access.credentials, { channelOverride: channel });
  try {
    const members = await readGossip(gossip, access.metadata, timeoutMs);
    if (!isLeaderByItsWord(endpoint, members)) {
      throw new CallFailed('ServerNotReady', `${targetOf(endpoint)} is not the leader`);
    }
    const end = await opened.readEnd(timeoutMs);
    return Object.assign(opened, { end });
  } catch (error) {
    const failure = callFailure(error);
    opened.close(failure);
    throw failure;
  }
}

/** Time of one attempt to connect, ms. */
const CONNECT_MS = 1000;
const CONNECT_AGAIN_AFTER_MS = 200;
/** Longest time without a leader that callers wait through, ms: a cluster elects in 1 to 3 s. */
export const FAILOVER_MS = 7000;

/**
 * Connects to the leader as {@link connectToLeader} does, and again over an election. Later attempts take longer: servers
 * under load answer, but late.
 *
 * @param isWanted false ends the attempts
 * @throws CallFailed when no leader was reached in time, or at once when the server refuses
 */
export async function connectWithin(
  settings: ConnectionSettings,
  timeoutMs: number,
  isWanted: () => boolean = () => true,
): Promise<LeaderConnection> {
  const begun = Date.now();
  for (let hint: Endpoint | null = null; ;) {
    const attemptMs = Math.max(CONNECT_MS, Date.now() - begun);
    const gossipTimeoutMs = Math.max(settings.gossipTimeoutMs, attemptMs);
    try {
      return await connectToLeader(
        { ...settings, gossipTimeoutMs },
        { hint, left: null },
        attemptMs,
      );
    } catch (error) {
      const failure = callFailure(error);
      const isPassing = failure.action === 'reconnect' || failure.action === 'repeat';
      const isOver = Date.now() + CONNECT_AGAIN_AFTER_MS > begun + timeoutMs;
      if (!isPassing || isOver || !isWanted()) throw failure;
      hint = failure.leader;
      await pause(CONNECT_AGAIN_AFTER_MS);
    }
  }
}

function openConnection(
  endpoint: Endpoint,
  channel: Channel,
  access: Access,
): Omit<LeaderConnection, 'end'> {
  // The channel has the address; the generated client requires one nevertheless.
  const client = new streamsGrpc.StreamsClient('', access.credentials, {
    channelOverride: channel,
  });
  const calls = new Set<Call>();
  let isOpen = true;
  let endWith: (reason: CallFailed) => void = () => undefined;
  const ended = new Promise<CallFailed>((resolve) => {
    endWith = resolve;
  });

  function close(reason: CallFailed): void {
    if (!isOpen) return;
    isOpen = false;
    endWith(reason);
    // An open call keeps the transport open, and subscriptions never end by themselves.
    for (const call of calls) call.cancel();
    channel.close();
  }

  function underWay<Opened extends Call>(call: Opened): Opened {
    calls.add(call);
    call.once('status', () => calls.delete(call));
    return call;
  }

  // The library would reconnect by itself, perhaps to another server process.
  channel.watchConnectivityState(connectivityState.READY, Infinity, () =>
    close(new CallFailed('Unavailable', `the connection to ${targetOf(endpoint)} was lost`)),
  );

  function read(request: Streams.ReadReq, deadlineMs: number | null): ReadCall {
    if (!isOpen) throw hasEnded();
    const options = deadlineMs === null ? {} : { deadline: Date.now() + deadlineMs };
    return underWay(client.read(request, access.metadata, options));
  }

  function readAll(request: Streams.ReadReq, deadlineMs: number): Promise<readonly ReadEvent[]> {
    return new Promise((resolve, reject) => {
      const events: ReadEvent[] = [];
      const call = read(request, deadlineMs);
      call.on('data', (response: Streams.ReadResp) => {
        const event = response.getEvent()?.getEvent();
        if (event !== undefined) events.push(event);
      });
      call.once('error', (error) => reject(callFailure(error)));
      call.once('end', () => resolve(events));
    });
  }

  return {
    endpoint,
    ended,
    isOpen: () => isOpen,
    close,
    read,
    readAll: async (request, deadlineMs) => readAll(request, deadlineMs),
    tombstone: (request, deadlineMs) =>
      new Promise((resolve, reject) => {
        if (!isOpen) throw hasEnded();
        const options = { deadline: Date.now() + deadlineMs };
        const answered = (error: unknown) =>
          error === null ? resolve() : reject(callFailure(error));
        underWay(client.tombstone(request, access.metadata, options, answered));
      }),
    batchAppend: () => {
      if (!isOpen) throw hasEnded();
      return underWay(client.batchAppend(access.metadata));
    },
    async readEnd(deadlineMs) {
      const [newest] = await readAll(endRequest(), deadlineMs);
      return newest === undefined ? null : positionOf(newest);
    },
  };
}

function hasEnded(): CallFailed {
  return new CallFailed('Unavailable', 'the connection has ended');
}

function becomeReady(channel: Channel, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  return new Promise((resolve, reject) => {
    const look = () => {
      const state = channel.getConnectivityState(true);
      if (state === connectivityState.READY) resolve();
      // The library would retry with its own back-off.
      else if (state === connectivityState.TRANSIENT_FAILURE)
        reject(new Error('connecting failed'));
      else {
        channel.watchConnectivityState(state, deadline, (error) =>
          error === undefined
            ? look()
            : reject(new Error(`connecting timed out after ${timeoutMs} ms`)),
        );
      }
    };
    look();
  });
}
