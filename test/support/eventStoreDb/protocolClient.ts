import { randomUUID } from 'node:crypto';
import * as grpc from '@grpc/grpc-js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import { Empty, nameOf, toIdentifier } from './messages.ts';
import type { Expectation } from './storedEvents.ts';

export interface ReadRequest {
  /** Default: $all. */
  readonly stream?: string;
  /** Revision in a stream, commit position in $all; default 'start'. */
  readonly from?: 'start' | 'end' | bigint;
  readonly backwards?: boolean;
  /** Default: a subscription. */
  readonly count?: number;
  readonly filter?: {
    readonly regex?: string;
    readonly prefixes?: string[];
    readonly types?: string;
    readonly window?: number;
    readonly multiplier?: number;
  };
}

export interface CallOptions {
  /** Default: false. */
  readonly requiresLeader?: boolean;
  /** `name:password`. */
  readonly credentials?: string;
}

/** Summary of the messages of a read. */
export type ReadMessage =
  | {
      kind: 'event';
      id: string;
      stream: string;
      revision: bigint;
      position: bigint;
      type: string;
      contentType: string;
      data: string;
      customMetadata: string;
    }
  | { kind: 'checkpoint'; position: bigint }
  | { kind: 'first' | 'last'; revision: bigint }
  | { kind: 'confirmation' | 'caughtUp' | 'fellBehind' | 'streamNotFound' };

/** End of a call: status, text and trailers. `null`: success. */
export interface Failure {
  readonly code: keyof typeof grpc.status;
  readonly details: string;
  readonly trailers: Readonly<Record<string, string>>;
}

export interface ReadCall {
  readonly messages: ReadMessage[];
  readonly ended: Promise<Failure | null>;
  cancel(): void;
}

export interface AppendRequest {
  readonly stream: string;
  readonly expected?: Expectation;
  /** Each an id and contents; default: one new event. */
  readonly events?: readonly NewEvent[];
}

export interface NewEvent {
  readonly id?: string;
  readonly type?: string;
  readonly contentType?: string;
  readonly data?: string;
  readonly customMetadata?: string;
}

export type AppendAnswer =
  | { kind: 'success'; revision: bigint; position: bigint | null }
  | { kind: 'wrongExpectedVersion'; current: bigint | null }
  | { kind: 'error'; message: string; code: number; details: string };

export interface BatchCall {
  /** @returns the answer; `null` when the call ended without it */
  append(request: AppendRequest): Promise<AppendAnswer | null>;
  readonly ended: Promise<Failure | null>;
  end(): void;
}

export type ProtocolClient = ReturnType<typeof createProtocolClient>;

/** The protocol itself, without a client's discovery, retries and judgement. `address` is `host:port`. */
export function createProtocolClient(address: string) {
  const credentials = grpc.credentials.createInsecure();
  // Channels are shared by target otherwise, and with them the connections a test counts.
  const settings = { 'grpc.use_local_subchannel_pool': 1, 'grpc.max_receive_message_length': -1 };
  const streams = new streamsGrpc.StreamsClient(address, credentials, settings);
  const gossip = new gossipGrpc.GossipClient(address, credentials, settings);

  function readAny(request: ReadRequest, options: CallOptions = {}): ReadCall {
    const call = streams.read(toReadReq(request), headers(options));
    const messages: ReadMessage[] = [];
    call.on('data', (response: Streams.ReadResp) => messages.push(toMessage(response)));
    return { messages, ended: endOf(call), cancel: () => call.cancel() };
  }

  return {
    read: readAny,
    /** Reads to the end. @throws Failure */
    async all(request: ReadRequest, options: CallOptions = {}): Promise<ReadMessage[]> {
      const call = readAny({ count: 1_000_000, ...request }, options);
      const failure = await call.ended;
      if (failure !== null) throw new Error(`${failure.code}: ${failure.details}`);
      return call.messages;
    },
    async gossip(options: CallOptions = {}) {
      const info = await new Promise<gossipPb.ClusterInfo>((resolve, reject) => {
        gossip.read(new sharedPb.Empty(), headers(options), (error, response) => {
          if (error === null) resolve(response);
          else reject(new Error(`${grpc.status[error.code]}: ${error.details}`));
        });
      });
      return info.getMembersList().map((member) => ({
        state: stateName(member.getState()),
        isAlive: member.getIsAlive(),
        address: `${member.getHttpEndPoint()?.getAddress()}:${member.getHttpEndPoint()?.getPort()}`,
      }));
    },
    batchAppend(options: CallOptions = {}): BatchCall {
      const call = streams.batchAppend(headers(options));
      const waiting = new Map<string, (answer: AppendAnswer | null) => void>();
      call.on('data', (response: Streams.BatchAppendResp) => {
        const id = response.getCorrelationId()?.getString() ?? '';
        waiting.get(id)?.(toBatchAnswer(response));
        waiting.delete(id);
      });
      const ended = endOf(call);
      return {
        ended,
        end: () => call.end(),
        append(request) {
          const id = randomUUID();
          call.write(toBatchReq(id, request));
          return new Promise((resolve) => {
            waiting.set(id, resolve);
            void ended.then(() => resolve(null));
          });
        },
      };
    },
    /** Unary append. */
    async append(
      request: AppendRequest,
      options: CallOptions = {},
    ): Promise<AppendAnswer | Failure> {
      return new Promise((resolve) => {
        const call = streams.append(headers(options), (error, response) => {
          resolve(error === null ? toUnaryAnswer(response) : toFailure(error));
        });
        for (const message of toAppendReqs(request)) call.write(message);
        call.end();
      });
    },
    close() {
      streams.close();
      gossip.close();
    },
  };
}

function headers({ requiresLeader = false, credentials }: CallOptions): grpc.Metadata {
  const metadata = new grpc.Metadata();
  metadata.set('requires-leader', String(requiresLeader));
  if (credentials !== undefined)
    metadata.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  return metadata;
}

function endOf(call: {
  on(event: 'error', listener: (error: grpc.ServiceError) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
}): Promise<Failure | null> {
  return new Promise((resolve) => {
    call.on('error', (error) => resolve(toFailure(error)));
    call.on('end', () => setImmediate(() => resolve(null)));
  });
}

function toFailure({ code, details, metadata }: grpc.ServiceError): Failure {
  const trailers = Object.fromEntries(
    Object.entries(metadata.getMap()).map(([key, value]) => [key, value.toString()]),
  );
  return { code: grpc.status[code] as keyof typeof grpc.status, details, trailers };
}

function stateName(state: gossipPb.MemberInfo.VNodeState): string {
  const states = Object.entries(gossipPb.MemberInfo.VNodeState);
  return states.find(([, value]) => value === state)?.[0] ?? String(state);
}

function toReadReq(request: ReadRequest): Streams.ReadReq {
  const { stream, backwards = false, count, filter } = request;
  const options = new streamsPb.ReadReq.Options();
  if (stream === undefined) options.setAll(toAllOptions(request));
  else options.setStream(toStreamOptions(stream, request));
  const { FORWARDS, BACKWARDS } = streamsPb.ReadReq.Options.ReadDirection;
  options.setReadDirection(backwards ? BACKWARDS : FORWARDS);
  if (count === undefined) {
    options.setSubscription(new streamsPb.ReadReq.Options.SubscriptionOptions());
  } else options.setCount(String(count));
  if (filter === undefined) options.setNoFilter(new sharedPb.Empty());
  else options.setFilter(toFilter(filter));
  options.setUuidOption(new streamsPb.ReadReq.Options.UUIDOption().setString(new sharedPb.Empty()));
  options.setControlOption(new streamsPb.ReadReq.Options.ControlOption().setCompatibility(1));
  return new streamsPb.ReadReq().setOptions(options);
}

function toAllOptions({ from = 'start' }: ReadRequest): Streams.ReadReq.Options.AllOptions {
  const all = new streamsPb.ReadReq.Options.AllOptions();
  if (from === 'start') return all.setStart(new sharedPb.Empty());
  if (from === 'end') return all.setEnd(new sharedPb.Empty());
  const position = new streamsPb.ReadReq.Options.Position();
  position.setCommitPosition(String(from));
  position.setPreparePosition(String(from));
  return all.setPosition(position);
}

function toStreamOptions(
  name: string,
  { from = 'start' }: ReadRequest,
): Streams.ReadReq.Options.StreamOptions {
  const stream = new streamsPb.ReadReq.Options.StreamOptions();
  stream.setStreamIdentifier(toIdentifier(name));
  if (from === 'start') return stream.setStart(new sharedPb.Empty());
  if (from === 'end') return stream.setEnd(new sharedPb.Empty());
  return stream.setRevision(String(from));
}

function toFilter(
  filter: NonNullable<ReadRequest['filter']>,
): Streams.ReadReq.Options.FilterOptions {
  const expression = new streamsPb.ReadReq.Options.FilterOptions.Expression();
  expression.setRegex(filter.types ?? filter.regex ?? '');
  expression.setPrefixList(filter.prefixes ?? []);
  const options = new streamsPb.ReadReq.Options.FilterOptions();
  if (filter.types === undefined) options.setStreamIdentifier(expression);
  else options.setEventType(expression);
  options.setMax(filter.window ?? 32);
  options.setCheckpointintervalmultiplier(filter.multiplier ?? 1);
  return options;
}

function toMessage(response: Streams.ReadResp): ReadMessage {
  const { ContentCase } = streamsPb.ReadResp;
  switch (response.getContentCase()) {
    case ContentCase.EVENT:
      return toEventMessage(response);
    case ContentCase.CHECKPOINT:
      return {
        kind: 'checkpoint',
        position: BigInt(response.getCheckpoint()?.getCommitPosition() ?? -1),
      };
    case ContentCase.FIRST_STREAM_POSITION:
      return { kind: 'first', revision: BigInt(response.getFirstStreamPosition()) };
    case ContentCase.LAST_STREAM_POSITION:
      return { kind: 'last', revision: BigInt(response.getLastStreamPosition()) };
    case ContentCase.CONFIRMATION:
      return { kind: 'confirmation' };
    case ContentCase.CAUGHT_UP:
      return { kind: 'caughtUp' };
    case ContentCase.STREAM_NOT_FOUND:
      return { kind: 'streamNotFound' };
    default:
      throw new Error(`Unexpected content ${response.getContentCase()}.`);
  }
}

function toEventMessage(response: Streams.ReadResp): ReadMessage {
  const read = response.getEvent() as Streams.ReadResp.ReadEvent;
  const recorded = read.getEvent() as Streams.ReadResp.ReadEvent.RecordedEvent;
  const metadata = new Map(recorded.getMetadataMap().toArray());
  return {
    kind: 'event',
    id: recorded.getId()?.getString() ?? '',
    stream: nameOf(recorded.getStreamIdentifier()),
    revision: BigInt(recorded.getStreamRevision()),
    position: BigInt(read.getCommitPosition()),
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    data: Buffer.from(recorded.getData_asU8()).toString('utf8'),
    customMetadata: Buffer.from(recorded.getCustomMetadata_asU8()).toString('utf8'),
  };
}

function proposed(event: NewEvent) {
  return {
    id: new sharedPb.UUID().setString(event.id ?? randomUUID()),
    metadata: [
      ['type', event.type ?? 'Tested'],
      ['content-type', event.contentType ?? 'application/json'],
    ] as const,
    data: Buffer.from(event.data ?? '{}'),
    customMetadata: Buffer.from(event.customMetadata ?? ''),
  };
}

function toBatchReq(
  id: string,
  { stream, expected = 'any', events = [{}] }: AppendRequest,
): Streams.BatchAppendReq {
  const options = new streamsPb.BatchAppendReq.Options();
  options.setStreamIdentifier(toIdentifier(stream));
  if (expected === 'any') options.setAny(new Empty());
  else if (expected === 'noStream') options.setNoStream(new Empty());
  else if (expected === 'streamExists') options.setStreamExists(new Empty());
  else options.setStreamPosition(String(expected));
  const request = new streamsPb.BatchAppendReq();
  request.setCorrelationId(new sharedPb.UUID().setString(id));
  request.setOptions(options);
  request.setIsFinal(true);
  for (const event of events) {
    const { id: eventId, metadata, data, customMetadata } = proposed(event);
    const message = request.addProposedMessages();
    message.setId(eventId).setData(data).setCustomMetadata(customMetadata);
    for (const [key, value] of metadata) message.getMetadataMap().set(key, value);
  }
  return request;
}

function toAppendReqs({ stream, expected = 'any', events = [{}] }: AppendRequest) {
  const options = new streamsPb.AppendReq.Options();
  options.setStreamIdentifier(toIdentifier(stream));
  if (expected === 'any') options.setAny(new sharedPb.Empty());
  else if (expected === 'noStream') options.setNoStream(new sharedPb.Empty());
  else if (expected === 'streamExists') options.setStreamExists(new sharedPb.Empty());
  else options.setRevision(String(expected));
  const messages = events.map((event) => {
    const { id, metadata, data, customMetadata } = proposed(event);
    const message = new streamsPb.AppendReq.ProposedMessage();
    message.setId(id).setData(data).setCustomMetadata(customMetadata);
    for (const [key, value] of metadata) message.getMetadataMap().set(key, value);
    return new streamsPb.AppendReq().setProposedMessage(message);
  });
  return [new streamsPb.AppendReq().setOptions(options), ...messages];
}

function toBatchAnswer(response: Streams.BatchAppendResp): AppendAnswer {
  const success = response.getSuccess();
  if (success !== undefined)
    return succeeded(success.getCurrentRevision(), success.getPosition()?.getCommitPosition());
  const status = response.getError() as Status;
  const any = status.getDetails();
  const details = any?.getTypeName() ?? '';
  if (details !== 'event_store.client.WrongExpectedVersion')
    return { kind: 'error', message: status.getMessage(), code: status.getCode(), details };
  const bytes = any?.getValue_asU8() ?? new Uint8Array();
  const wrong = sharedPb.WrongExpectedVersion.deserializeBinary(bytes);
  const current = wrong.hasCurrentStreamRevision() ? wrong.getCurrentStreamRevision() : undefined;
  return conflicting(current);
}

function toUnaryAnswer(response: Streams.AppendResp): AppendAnswer {
  const success = response.getSuccess();
  if (success !== undefined)
    return succeeded(success.getCurrentRevision(), success.getPosition()?.getCommitPosition());
  const wrong = response.getWrongExpectedVersion();
  return conflicting(wrong?.hasCurrentRevision() ? wrong.getCurrentRevision() : undefined);
}

function succeeded(revision: string, position: string | undefined): AppendAnswer {
  const known = position === undefined ? null : BigInt(position);
  return { kind: 'success', revision: BigInt(revision), position: known };
}

function conflicting(current: string | undefined): AppendAnswer {
  const known = current === undefined ? null : BigInt(current);
  return { kind: 'wrongExpectedVersion', current: known };
}
