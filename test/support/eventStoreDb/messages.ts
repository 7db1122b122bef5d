import { createRequire } from 'node:module';
import codePb from '@eventstore/db-client/generated/code_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type * as Shared from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Member } from './clusterNode.ts';
import type {
  AppendDecision,
  Expectation,
  LogPosition,
  Proposal,
  StoredEvent,
} from './storedEvents.ts';

// `google-protobuf` is the client's dependency, not ours.
const require = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
type Any = NonNullable<ReturnType<InstanceType<typeof statusPb.Status>['getDetails']>>;
type Empty = NonNullable<ReturnType<Shared.WrongExpectedVersion['getExpectedAny']>>;
const { Any } = require('google-protobuf/google/protobuf/any_pb.js') as { Any: new () => Any };
export const { Empty } = require('google-protobuf/google/protobuf/empty_pb.js') as {
  Empty: new () => Empty;
};
const { BinaryWriter } = require('google-protobuf') as {
  BinaryWriter: new () => {
    writeString(field: number, value: string): void;
    writeUint32(field: number, value: number): void;
    getResultBuffer(): Uint8Array;
  };
};

const { Code } = codePb;
type Code = codePb.Code;

type Success = Extract<AppendDecision, { kind: 'success' }>;

export function nameOf(identifier: Shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
}

export function toIdentifier(name: string): Shared.StreamIdentifier {
  return new sharedPb.StreamIdentifier().setStreamName(Buffer.from(name, 'utf8'));
}

/** Text of an id that a client may send as two halves. */
export function toUuidText(id: Shared.UUID | undefined): string {
  const halves = id?.getStructured();
  if (halves === undefined) return id?.getString().toLowerCase() ?? '';
  const hex = [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
}

function toUuid(text: string, isText: boolean): Shared.UUID {
  if (isText) return new sharedPb.UUID().setString(text);
  const hex = text.replaceAll('-', '');
  const half = (at: number) => String(BigInt.asIntN(64, BigInt(`0x${hex.slice(at, at + 16)}`)));
  const halves = new sharedPb.UUID.Structured();
  halves.setMostSignificantBits(half(0));
  halves.setLeastSignificantBits(half(16));
  return new sharedPb.UUID().setStructured(halves);
}

/** @returns the name of the metadata property that is missing, or the proposal */
export function toProposal(
  message: Streams.BatchAppendReq.ProposedMessage | Streams.AppendReq.ProposedMessage,
): Proposal | 'type' | 'content-type' {
  const metadata = message.getMetadataMap();
  const type = metadata.get('type');
  if (type === undefined) return 'type';
  const contentType = metadata.get('content-type');
  if (contentType === undefined) return 'content-type';
  return {
    id: toUuidText(message.getId()),
    type,
    isJson: contentType === 'application/json',
    data: message.getData_asU8(),
    customMetadata: message.getCustomMetadata_asU8(),
  };
}

/** Bytes of `Event.SizeOnDisk`, which count towards the limits of an append. */
export function sizeOf({ type, data, customMetadata }: Proposal): number {
  return data.length + customMetadata.length + type.length * 2;
}

export function batchExpectation(options: Streams.BatchAppendReq.Options): Expectation | null {
  if (options.hasStreamPosition()) return BigInt(options.getStreamPosition());
  if (options.hasNoStream()) return 'noStream';
  if (options.hasStreamExists()) return 'streamExists';
  return options.hasAny() ? 'any' : null;
}

export function unaryExpectation(options: Streams.AppendReq.Options): Expectation | null {
  if (options.hasRevision()) return BigInt(options.getRevision());
  if (options.hasNoStream()) return 'noStream';
  if (options.hasStreamExists()) return 'streamExists';
  return options.hasAny() ? 'any' : null;
}

/** @param hasTextIds whether the reader asked for ids as text */
export function toReadEvent(event: StoredEvent, hasTextIds: boolean): Streams.ReadResp {
  const recorded = new streamsPb.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(toUuid(event.id, hasTextIds));
  recorded.setStreamIdentifier(toIdentifier(event.stream));
  recorded.setStreamRevision(String(event.revision));
  recorded.setCommitPosition(String(event.position));
  recorded.setPreparePosition(String(event.position));
  recorded.setCustomMetadata(event.customMetadata);
  recorded.setData(event.data);
  const metadata = recorded.getMetadataMap();
  metadata.set('type', event.type);
  metadata.set('created', String(event.created));
  metadata.set('content-type', event.isJson ? 'application/json' : 'application/octet-stream');
  const readEvent = new streamsPb.ReadResp.ReadEvent();
  readEvent.setEvent(recorded);
  readEvent.setCommitPosition(String(event.position));
  return new streamsPb.ReadResp().setEvent(readEvent);
}

export function toCheckpoint({ commit, prepare }: LogPosition): Streams.ReadResp {
  const checkpoint = new streamsPb.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(commit));
  checkpoint.setPreparePosition(String(prepare));
  return new streamsPb.ReadResp().setCheckpoint(checkpoint);
}

export function toConfirmation(id: string): Streams.ReadResp {
  const confirmation = new streamsPb.ReadResp.SubscriptionConfirmation();
  return new streamsPb.ReadResp().setConfirmation(confirmation.setSubscriptionId(id));
}

export function toCaughtUp(): Streams.ReadResp {
  return new streamsPb.ReadResp().setCaughtUp(new streamsPb.ReadResp.CaughtUp());
}

export function toStreamNotFound(name: string): Streams.ReadResp {
  const missing = new streamsPb.ReadResp.StreamNotFound();
  return new streamsPb.ReadResp().setStreamNotFound(
    missing.setStreamIdentifier(toIdentifier(name)),
  );
}

export function toClusterInfo(members: readonly Member[]) {
  const info = new gossipPb.ClusterInfo();
  for (const { id, host, port, state, isAlive } of members) {
    const member = info.addMembers();
    member.setInstanceId(toUuid(id, false));
    member.setTimeStamp(String(BigInt(Date.now()) * 10_000n));
    member.setState(gossipPb.MemberInfo.VNodeState[state]);
    member.setIsAlive(isAlive);
    member.setHttpEndPoint(new gossipPb.EndPoint().setAddress(host).setPort(port));
  }
  return info;
}

export function batchSuccess({ revision, position }: Success): Streams.BatchAppendResp {
  const success = new streamsPb.BatchAppendResp.Success();
  success.setCurrentRevision(String(revision));
  if (position === null) success.setNoPosition(new Empty());
  else {
    const at = new sharedPb.AllStreamPosition();
    success.setPosition(
      at.setCommitPosition(String(position)).setPreparePosition(String(position)),
    );
  }
  return new streamsPb.BatchAppendResp().setSuccess(success);
}

export function unarySuccess({ revision, position }: Success): Streams.AppendResp {
  const success = new streamsPb.AppendResp.Success();
  success.setCurrentRevision(String(revision));
  if (position === null) success.setNoPosition(new sharedPb.Empty());
  else {
    const at = new streamsPb.AppendResp.Position();
    success.setPosition(
      at.setCommitPosition(String(position)).setPreparePosition(String(position)),
    );
  }
  return new streamsPb.AppendResp().setSuccess(success);
}

export function unaryWrongExpectedVersion(
  expected: Expectation,
  current: bigint,
): Streams.AppendResp {
  const wrong = new streamsPb.AppendResp.WrongExpectedVersion();
  if (expected === 'any') wrong.setExpectedAny(new sharedPb.Empty());
  else if (expected === 'streamExists') wrong.setExpectedStreamExists(new sharedPb.Empty());
  else if (expected === 'noStream') wrong.setExpectedNoStream(new sharedPb.Empty());
  else wrong.setExpectedRevision(String(expected));
  if (current === -1n) wrong.setCurrentNoStream(new sharedPb.Empty());
  else wrong.setCurrentRevision(String(current));
  return new streamsPb.AppendResp().setWrongExpectedVersion(wrong);
}

interface Details {
  serializeBinary(): Uint8Array;
}

function batchError(
  message: string,
  code: Code,
  type: string,
  details: Details,
): Streams.BatchAppendResp {
  const any = new Any();
  any.pack(details.serializeBinary(), type);
  const status = new statusPb.Status();
  status.setMessage(message);
  status.setCode(code);
  status.setDetails(any);
  return new streamsPb.BatchAppendResp().setError(status);
}

const CLIENT = 'event_store.client.';

/** Answers of a batch append that the server puts into the stream, as its `Status.cs` makes them. */
export const batchErrors = {
  wrongExpectedVersion(expected: Expectation, current: bigint) {
    const wrong = new sharedPb.WrongExpectedVersion();
    if (current === -1n) wrong.setCurrentNoStream(new Empty());
    else wrong.setCurrentStreamRevision(String(current));
    if (expected === 'any') wrong.setExpectedAny(new Empty());
    else if (expected === 'streamExists') wrong.setExpectedStreamExists(new Empty());
    else if (expected === 'noStream') wrong.setExpectedNoStream(new Empty());
    else wrong.setExpectedStreamPosition(String(expected));
    return named('WrongExpectedVersion', Code.ALREADY_EXISTS, wrong);
  },
  streamDeleted: (name: string) =>
    named(
      'StreamDeleted',
      Code.NOT_FOUND,
      new sharedPb.StreamDeleted().setStreamIdentifier(toIdentifier(name)),
    ),
  accessDenied: () => named('AccessDenied', Code.PERMISSION_DENIED, new sharedPb.AccessDenied()),
  timeout: () => named('Timeout', Code.DEADLINE_EXCEEDED, new sharedPb.Timeout()),
  unknown: () => named('Unknown', Code.UNKNOWN, new sharedPb.Unknown()),
  badRequest: (text: string) =>
    named('BadRequest', Code.INVALID_ARGUMENT, new sharedPb.BadRequest().setMessage(text)),
  maximumAppendSizeExceeded: (limit: number) =>
    named(
      'MaximumAppendSizeExceeded',
      Code.INVALID_ARGUMENT,
      new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(limit),
    ),
  /** The client's stubs do not know this message. */
  maximumAppendEventSizeExceeded(id: string, size: number, limit: number) {
    const writer = new BinaryWriter();
    writer.writeString(1, id);
    writer.writeUint32(2, size);
    writer.writeUint32(3, limit);
    return named('MaximumAppendEventSizeExceeded', Code.INVALID_ARGUMENT, {
      serializeBinary: () => writer.getResultBuffer(),
    });
  },
  notReady: () => notHandled('Server Is Not Ready'),
  tooBusy: () => notHandled('Server Is Busy'),
};

function named(name: string, code: Code, details: Details): Streams.BatchAppendResp {
  return batchError(name, code, `${CLIENT}${name}`, details);
}

/** Code 0, as the server sends it: only the text tells that it is an error. */
function notHandled(text: string): Streams.BatchAppendResp {
  return batchError(text, Code.OK, 'google.protobuf.Empty', new Empty());
}
