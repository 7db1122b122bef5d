import { createRequire } from 'node:module';
import * as grpc from '@grpc/grpc-js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type * as Shared from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';

/** A server that speaks EventStoreDB's published Streams protocol, as far as our adapter uses it, from memory. */
export interface EventStoreDbDouble {
  readonly url: string;
  /** Breaks every connection and call, forgets nothing, and listens again on the same port. */
  restart(): Promise<void>;
  /** Breaks every connection and call and refuses new ones. */
  goAway(): Promise<void>;
  /** Listens again on the same port. */
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly metadata: readonly [string, string][];
  readonly customMetadata: Uint8Array;
  readonly data: Uint8Array;
}

interface Proposal {
  readonly id: string;
  readonly metadata: readonly [string, string][];
  readonly customMetadata: Uint8Array;
  readonly data: Uint8Array;
}

type Expectation = { kind: 'any' | 'noStream' | 'streamExists' } | { kind: 'revision'; at: bigint };
type AppendResult =
  { ok: true; revision: bigint; position: bigint } | { ok: false; current: bigint | null };

/** Past what a double holds exactly: positions that go through Number somewhere come back wrong. */
const FIRST_POSITION = 9_007_199_254_740_993n;
const POSITION_STEP = 173n;

// `google-protobuf` is the client's dependency, not ours.
const require = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
const { Any } = require('google-protobuf/google/protobuf/any_pb.js') as {
  Any: new () => NonNullable<ReturnType<InstanceType<typeof statusPb.Status>['getDetails']>>;
};

/** Starts the double on a free local port. */
export async function startEventStoreDbDouble(): Promise<EventStoreDbDouble> {
  const log: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const wakes = new Set<() => void>();
  let server = new grpc.Server();
  let port = 0;

  function append(
    name: string,
    proposals: readonly Proposal[],
    expectation: Expectation,
  ): AppendResult {
    const stream = streams.get(name) ?? [];
    const current = stream.length === 0 ? null : BigInt(stream.length - 1);
    if (!meets(expectation, current)) return repeated(stream, proposals, expectation, current);
    for (const proposal of proposals) {
      const event = {
        ...proposal,
        stream: name,
        revision: BigInt(stream.length),
        position: FIRST_POSITION + BigInt(log.length) * POSITION_STEP,
      };
      stream.push(event);
      log.push(event);
    }
    streams.set(name, stream);
    for (const wake of wakes) wake();
    return {
      ok: true,
      revision: BigInt(stream.length - 1),
      position: log.at(-1)?.position ?? FIRST_POSITION,
    };
  }

  async function read(
    call: grpc.ServerWritableStream<Streams.ReadReq, Streams.ReadResp>,
  ): Promise<void> {
    const options = call.request.getOptions();
    if (options?.getSubscription() !== undefined) return follow(call, options);
    const name = options?.getStream()?.getStreamIdentifier();
    const found = name === undefined ? log : streams.get(nameOf(name));
    if (found === undefined) {
      const missing = new streamsPb.ReadResp.StreamNotFound();
      missing.setStreamIdentifier(name);
      await write(call, new streamsPb.ReadResp().setStreamNotFound(missing));
      call.end();
      return;
    }
    for (const event of select(found, options)) {
      if (call.cancelled) break;
      await write(call, toResponse(event));
    }
    call.end();
  }

  /** Catch up, say so, live: with a checkpoint after each window the filter passed nothing of. */
  async function follow(
    call: grpc.ServerWritableStream<Streams.ReadReq, Streams.ReadResp>,
    options: Streams.ReadReq.Options,
  ): Promise<void> {
    const { filter, every } = filterOf(options);
    const start = indexAfter(options);
    if (start === null) {
      call.emit('error', { code: grpc.status.INVALID_ARGUMENT, details: 'No such position.' });
      return;
    }
    let next = start;
    let sinceCheckpoint = 0;
    let isLive = false;
    const confirmation = new streamsPb.ReadResp.SubscriptionConfirmation();
    confirmation.setSubscriptionId('double');
    await write(call, new streamsPb.ReadResp().setConfirmation(confirmation));
    while (!call.cancelled && !call.destroyed) {
      const event = log[next];
      if (event === undefined) {
        if (!isLive) {
          isLive = true;
          const caughtUp = new streamsPb.ReadResp.CaughtUp();
          await write(call, new streamsPb.ReadResp().setCaughtUp(caughtUp));
          continue;
        }
        await appended(call);
        continue;
      }
      next += 1;
      sinceCheckpoint += 1;
      if (filter.test(event.stream)) await write(call, toResponse(event));
      if (sinceCheckpoint >= every) {
        sinceCheckpoint = 0;
        const checkpoint = new streamsPb.ReadResp.Checkpoint();
        checkpoint.setCommitPosition(String(event.position));
        checkpoint.setPreparePosition(String(event.position));
        await write(call, new streamsPb.ReadResp().setCheckpoint(checkpoint));
      }
    }
  }

  function appended(call: grpc.ServerWritableStream<unknown, unknown>): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        wakes.delete(wake);
        call.off('cancelled', wake);
        resolve();
      };
      wakes.add(wake);
      call.once('cancelled', wake);
    });
  }

  function batchAppend(
    call: grpc.ServerDuplexStream<Streams.BatchAppendReq, Streams.BatchAppendResp>,
  ): void {
    const open = new Map<string, { options: Streams.BatchAppendReq.Options; all: Proposal[] }>();
    call.on('data', (request: Streams.BatchAppendReq) => {
      const correlation = request.getCorrelationId();
      const key = correlation?.getString() ?? '';
      const options = request.getOptions();
      const batch = open.get(key) ?? (options && { options, all: [] });
      if (batch === undefined) return;
      open.set(key, batch);
      batch.all.push(...request.getProposedMessagesList().map(toProposal));
      if (!request.getIsFinal()) return;
      open.delete(key);
      const identifier = batch.options.getStreamIdentifier();
      const name = identifier === undefined ? '' : nameOf(identifier);
      const result = append(name, batch.all, batchExpectation(batch.options));
      const response = new streamsPb.BatchAppendResp();
      response.setCorrelationId(correlation);
      response.setStreamIdentifier(identifier);
      if (result.ok) response.setSuccess(batchSuccess(result));
      else response.setError(wrongExpectedVersion(batch.options, result.current));
      call.write(response);
    });
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  }

  function unaryAppend(
    call: grpc.ServerReadableStream<Streams.AppendReq, Streams.AppendResp>,
    answer: grpc.sendUnaryData<Streams.AppendResp>,
  ): void {
    let options: Streams.AppendReq.Options | undefined;
    const all: Proposal[] = [];
    call.on('data', (request: Streams.AppendReq) => {
      options = request.getOptions() ?? options;
      const message = request.getProposedMessage();
      if (message !== undefined) all.push(toProposal(message));
    });
    call.on('end', () => {
      const identifier = options?.getStreamIdentifier();
      if (options === undefined || identifier === undefined) {
        answer({ code: grpc.status.INVALID_ARGUMENT });
        return;
      }
      answer(null, unaryResponse(append(nameOf(identifier), all, unaryExpectation(options))));
    });
  }

  function build(): grpc.Server {
    const built = new grpc.Server();
    built.addService(streamsGrpc.StreamsService, {
      read: (call: grpc.ServerWritableStream<Streams.ReadReq, Streams.ReadResp>) => {
        call.on('error', () => undefined);
        read(call).catch((error: unknown) => call.destroy(error as Error));
      },
      append: unaryAppend,
      batchAppend,
    });
    built.addService(featuresGrpc.ServerFeaturesService, { getSupportedMethods });
    return built;
  }

  async function listen(): Promise<void> {
    server = build();
    port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(
        `127.0.0.1:${port}`,
        grpc.ServerCredentials.createInsecure(),
        (error, bound) => (error ? reject(error) : resolve(bound)),
      );
    });
  }

  const goAway = () => {
    server.forceShutdown();
    for (const wake of wakes) wake();
    return Promise.resolve();
  };

  await listen();
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    goAway,
    comeBack: listen,
    restart: async () => {
      await goAway();
      await listen();
    },
    stop: goAway,
  };
}

/** The events a read asks for: from its revision on, or from the end backwards. */
function select(
  found: readonly StoredEvent[],
  options: Streams.ReadReq.Options | undefined,
): StoredEvent[] {
  const { BACKWARDS } = streamsPb.ReadReq.Options.ReadDirection;
  const count = Math.min(found.length, Number(options?.getCount()));
  if (options?.getReadDirection() === BACKWARDS) return found.toReversed().slice(0, count);
  const from = Number(options?.getStream()?.getRevision() ?? 0);
  return found.slice(from, from + count);
}

/** The stream name filter, and after how many events looked through a checkpoint is due. */
function filterOf(options: Streams.ReadReq.Options): { filter: RegExp; every: number } {
  const filter = options.getFilter();
  const regex = filter?.getStreamIdentifier()?.getRegex() ?? '';
  const window = filter?.getMax() ?? 32;
  return {
    filter: new RegExp(regex, 'u'),
    every: window * (filter?.getCheckpointintervalmultiplier() ?? 1),
  };
}

/** Index of the first event after the position asked for; `null` when no event stands there, as the server refuses it. */
function indexAfter(options: Streams.ReadReq.Options): number | null {
  const after = options.getAll()?.getPosition()?.getCommitPosition();
  if (after === undefined) return 0;
  const distance = BigInt(after) - FIRST_POSITION;
  return distance % POSITION_STEP === 0n ? Number(distance / POSITION_STEP) + 1 : null;
}

async function write<Request, Response>(
  call: grpc.ServerWritableStream<Request, Response>,
  response: Response,
): Promise<void> {
  if (call.write(response) || call.cancelled) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      call.off('drain', done);
      call.off('cancelled', done);
      resolve();
    };
    call.once('drain', done);
    call.once('cancelled', done);
  });
}

function getSupportedMethods(
  _call: unknown,
  answer: grpc.sendUnaryData<InstanceType<typeof featuresPb.SupportedMethods>>,
): void {
  const methods = new featuresPb.SupportedMethods();
  methods.setEventStoreServerVersion('24.10.0');
  for (const name of ['Read', 'Append', 'BatchAppend']) {
    const method = new featuresPb.SupportedMethod();
    method.setServiceName('event_store.client.streams.Streams');
    method.setMethodName(name);
    methods.addMethods(method);
  }
  answer(null, methods);
}

function meets(expectation: Expectation, current: bigint | null): boolean {
  switch (expectation.kind) {
    case 'any':
      return true;
    case 'noStream':
      return current === null;
    case 'streamExists':
      return current !== null;
    case 'revision':
      return current === expectation.at;
  }
}

/** EventStoreDB answers an append whose very events already stand at the expected place with success. */
function repeated(
  stream: readonly StoredEvent[],
  proposals: readonly Proposal[],
  expectation: Expectation,
  current: bigint | null,
): AppendResult {
  const start = expectation.kind === 'revision' ? Number(expectation.at) + 1 : 0;
  const stored = stream.slice(start, start + proposals.length);
  const last = stored.at(-1);
  const isSame =
    stored.length === proposals.length && stored.every(({ id }, at) => id === proposals[at]?.id);
  if (last === undefined || !isSame) return { ok: false, current };
  return { ok: true, revision: last.revision, position: last.position };
}

function toProposal(
  message: Streams.BatchAppendReq.ProposedMessage | Streams.AppendReq.ProposedMessage,
): Proposal {
  return {
    id: message.getId()?.getString() ?? '',
    metadata: message.getMetadataMap().toArray(),
    customMetadata: message.getCustomMetadata_asU8(),
    data: message.getData_asU8(),
  };
}

function toResponse(event: StoredEvent): Streams.ReadResp {
  const id = new sharedPb.UUID();
  id.setString(event.id);
  const identifier = new sharedPb.StreamIdentifier();
  identifier.setStreamName(Buffer.from(event.stream, 'utf8'));
  const recorded = new streamsPb.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(id);
  recorded.setStreamIdentifier(identifier);
  recorded.setStreamRevision(String(event.revision));
  recorded.setCommitPosition(String(event.position));
  recorded.setPreparePosition(String(event.position));
  recorded.setCustomMetadata(event.customMetadata);
  recorded.setData(event.data);
  for (const [key, value] of event.metadata) recorded.getMetadataMap().set(key, value);
  recorded.getMetadataMap().set('created', '638000000000000000');
  const readEvent = new streamsPb.ReadResp.ReadEvent();
  readEvent.setEvent(recorded);
  readEvent.setCommitPosition(String(event.position));
  return new streamsPb.ReadResp().setEvent(readEvent);
}

function batchExpectation(options: Streams.BatchAppendReq.Options): Expectation {
  if (options.hasNoStream()) return { kind: 'noStream' };
  if (options.hasStreamExists()) return { kind: 'streamExists' };
  if (options.hasStreamPosition())
    return { kind: 'revision', at: BigInt(options.getStreamPosition()) };
  return { kind: 'any' };
}

function unaryExpectation(options: Streams.AppendReq.Options): Expectation {
  if (options.hasNoStream()) return { kind: 'noStream' };
  if (options.hasStreamExists()) return { kind: 'streamExists' };
  if (options.hasRevision()) return { kind: 'revision', at: BigInt(options.getRevision()) };
  return { kind: 'any' };
}

function batchSuccess(result: {
  revision: bigint;
  position: bigint;
}): Streams.BatchAppendResp.Success {
  const position = new sharedPb.AllStreamPosition();
  position.setCommitPosition(String(result.position));
  position.setPreparePosition(String(result.position));
  const success = new streamsPb.BatchAppendResp.Success();
  success.setCurrentRevision(String(result.revision));
  success.setPosition(position);
  return success;
}

function wrongExpectedVersion(options: Streams.BatchAppendReq.Options, current: bigint | null) {
  const details: Shared.WrongExpectedVersion = new sharedPb.WrongExpectedVersion();
  if (current !== null) details.setCurrentStreamRevision(String(current));
  if (options.hasStreamPosition()) details.setExpectedStreamPosition(options.getStreamPosition());
  if (options.hasNoStream()) details.setExpectedNoStream(options.getNoStream());
  const any = new Any();
  any.pack(details.serializeBinary(), 'event_store.client.WrongExpectedVersion');
  const status = new statusPb.Status();
  status.setMessage('WrongExpectedVersion');
  status.setDetails(any);
  return status;
}

function unaryResponse(result: AppendResult): Streams.AppendResp {
  if (result.ok) {
    const position = new streamsPb.AppendResp.Position();
    position.setCommitPosition(String(result.position));
    position.setPreparePosition(String(result.position));
    const success = new streamsPb.AppendResp.Success();
    success.setCurrentRevision(String(result.revision));
    success.setPosition(position);
    return new streamsPb.AppendResp().setSuccess(success);
  }
  const wrong = new streamsPb.AppendResp.WrongExpectedVersion();
  if (result.current !== null) wrong.setCurrentRevision(String(result.current));
  return new streamsPb.AppendResp().setWrongExpectedVersion(wrong);
}

function nameOf(identifier: Shared.StreamIdentifier): string {
  return Buffer.from(identifier.getStreamName_asU8()).toString('utf8');
}
