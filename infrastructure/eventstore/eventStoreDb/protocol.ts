import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type {
  EncodedEvent,
  ExpectedRevision,
  LoggedEvent,
} from '../../../application/ports/eventLog.ts';

// Messages of the Streams service, encoded and decoded by the official client's generated code.

type RecordedEvent = Streams.ReadResp.ReadEvent.RecordedEvent;

const empty = () => new sharedPb.Empty();

/** Filter of $all: these stream-name prefixes, or all but the server's own events. */
export type Filter = { readonly prefixes: readonly string[] } | 'notSystem';

/** A batch append in one message. */
export function batchAppendRequest(
  correlationId: string,
  stream: string,
  events: readonly EncodedEvent[],
  expected: ExpectedRevision,
): Streams.BatchAppendReq {
  const options = new streamsPb.BatchAppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  // The protocol has one empty message; the generated types declare it twice.
  const nothing = empty() as unknown as Parameters<typeof options.setAny>[0];
  if (expected === 'none') options.setNoStream(nothing);
  else if (expected === 'any') options.setAny(nothing);
  else options.setStreamPosition(expected.toString());
  const request = new streamsPb.BatchAppendReq();
  request.setCorrelationId(uuid(correlationId));
  request.setOptions(options);
  for (const event of events) request.addProposedMessages(proposed(event));
  request.setIsFinal(true);
  return request;
}

function proposed({ id, type, data, metadata }: EncodedEvent) {
  const message = new streamsPb.BatchAppendReq.ProposedMessage();
  message.setId(uuid(id));
  const properties = message.getMetadataMap();
  properties.set('type', type);
  // Data marked as JSON is readable in the server's UI, connectors and projections; the bytes are stored unchanged.
  properties.set('content-type', isJson(data) ? 'application/json' : 'application/octet-stream');
  message.setData(Buffer.from(data, 'utf8'));
  message.setCustomMetadata(Buffer.from(metadata, 'utf8'));
  return message;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** One page of a stream, forwards from a revision, or backwards from the end or a revision. */
export function streamRequest(
  stream: string,
  from: bigint | 'end' | { readonly backwards: bigint },
  count: number,
): Streams.ReadReq {
  const options = readOptions();
  const streamOptions = new streamsPb.ReadReq.Options.StreamOptions();
  streamOptions.setStreamIdentifier(streamIdentifier(stream));
  const { FORWARDS, BACKWARDS } = streamsPb.ReadReq.Options.ReadDirection;
  if (from === 'end') streamOptions.setEnd(empty());
  else streamOptions.setRevision(String(typeof from === 'bigint' ? from : from.backwards));
  options.setReadDirection(typeof from === 'bigint' ? FORWARDS : BACKWARDS);
  options.setStream(streamOptions);
  options.setCount(String(count));
  options.setNoFilter(empty());
  return new streamsPb.ReadReq().setOptions(options);
}

/** Deletes a stream for good: its name is never appended to again. @param last revision of its last event */
export function tombstoneRequest(stream: string, last: bigint): Streams.TombstoneReq {
  const options = new streamsPb.TombstoneReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream)).setRevision(String(last));
  return new streamsPb.TombstoneReq().setOptions(options);
}

/** Reads the newest record of $all, in constant time. */
export function endRequest(): Streams.ReadReq {
  const options = readOptions();
  options.setAll(new streamsPb.ReadReq.Options.AllOptions().setEnd(empty()));
  options.setReadDirection(streamsPb.ReadReq.Options.ReadDirection.BACKWARDS);
  options.setCount('1');
  options.setNoFilter(empty());
  return new streamsPb.ReadReq().setOptions(options);
}

/**
 * A catch-up subscription to $all.
 *
 * @param filter `null`: everything, including the server's own events
 * @param window records the server scans between two checkpoints
 */
export function subscriptionRequest(
  after: bigint | null,
  filter: Filter | null,
  window = 0,
): Streams.ReadReq {
  const options = readOptions();
  options.setAll(allAfter(after));
  options.setSubscription(new streamsPb.ReadReq.Options.SubscriptionOptions());
  if (filter === null) options.setNoFilter(empty());
  else options.setFilter(filterOptions(filter, window));
  return new streamsPb.ReadReq().setOptions(options);
}

/** Reads the first record after a position that passes the filter, over records that the server looks through. */
export function nextRequest(after: bigint | null, filter: Filter, window: number): Streams.ReadReq {
  const options = readOptions();
  options.setAll(allAfter(after));
  options.setReadDirection(streamsPb.ReadReq.Options.ReadDirection.FORWARDS);
  // Reads begin at the position, subscriptions behind it.
  options.setCount('2');
  options.setFilter(filterOptions(filter, window));
  return new streamsPb.ReadReq().setOptions(options);
}

function allAfter(after: bigint | null) {
  const all = new streamsPb.ReadReq.Options.AllOptions();
  if (after === null) return all.setStart(empty());
  const position = new streamsPb.ReadReq.Options.Position();
  // Written over gRPC, the commit of an event is its prepare.
  position.setCommitPosition(after.toString());
  position.setPreparePosition(after.toString());
  return all.setPosition(position);
}

function filterOptions(filter: Filter, window: number) {
  const expression = new streamsPb.ReadReq.Options.FilterOptions.Expression();
  if (filter === 'notSystem') expression.setRegex('^[^$]');
  else expression.setPrefixList([...filter.prefixes]);
  const options = new streamsPb.ReadReq.Options.FilterOptions();
  options.setStreamIdentifier(expression);
  options.setMax(window);
  options.setCheckpointintervalmultiplier(1);
  return options;
}

function readOptions() {
  const options = new streamsPb.ReadReq.Options();
  options.setUuidOption(new streamsPb.ReadReq.Options.UUIDOption().setString(empty()));
  return options;
}

function streamIdentifier(stream: string) {
  return new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));
}

function uuid(text: string) {
  return new sharedPb.UUID().setString(text);
}

/** Position of a record in $all. */
export function positionOf(event: RecordedEvent): bigint {
  return BigInt(event.getCommitPosition());
}

/** Positions are signed in the server: "nothing passed yet" arrives as a number beyond them. */
const LAST_POSITION = 2n ** 63n - 1n;

/** Position up to which a filtered subscription has looked; null: the message tells none. */
export function checkpointOf(response: Streams.ReadResp): bigint | null {
  const checkpoint = response.getCheckpoint();
  if (checkpoint === undefined) return null;
  const position = BigInt(checkpoint.getCommitPosition());
  return position > LAST_POSITION ? null : position;
}

/** Stream of a record. */
export function streamOf(event: RecordedEvent): string {
  return text(event.getStreamIdentifier()?.getStreamName_asU8());
}

/** True for the record that ends a deleted stream: it has the stream's name and says nothing. */
export function isTombstone(event: RecordedEvent): boolean {
  return typeOf(event) === '$streamDeleted';
}

function typeOf(event: RecordedEvent): string {
  return event.getMetadataMap().get('type') ?? '';
}

/** Id of a record: lower-case UUID. */
export function idOf(event: RecordedEvent): string {
  return event.getId()?.getString() ?? '';
}

/** Time the server stored a record, ms since 1970; the server reports ticks of 100 ns. */
export function createdAt(event: RecordedEvent): number {
  return Number(BigInt(event.getMetadataMap().get('created') ?? '0') / 10_000n);
}

/**
 * Converts a record.
 *
 * @param content the appended content, when known: it is then not decoded
 */
export function toLoggedEvent(
  event: RecordedEvent,
  content: Omit<EncodedEvent, 'id'> = contentOf(event),
): LoggedEvent {
  const { type, data, metadata, note } = content;
  const logged = {
    id: idOf(event),
    type,
    data,
    metadata,
    stream: streamOf(event),
    revision: BigInt(event.getStreamRevision()),
    position: positionOf(event),
  };
  return note === undefined ? logged : Object.assign(logged, { note });
}

function contentOf(event: RecordedEvent): Omit<EncodedEvent, 'id'> {
  return {
    type: typeOf(event),
    data: text(event.getData_asU8()),
    metadata: text(event.getCustomMetadata_asU8()),
  };
}

function text(bytes: Uint8Array | undefined): string {
  return bytes === undefined
    ? ''
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
