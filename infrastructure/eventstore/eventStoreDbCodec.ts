import {
  ErrorType,
  ANY,
  NO_STREAM,
  type AllStreamResolvedEvent,
  type BinaryEventType,
  type EventData,
  type ResolvedEvent,
  binaryEvent,
} from '@eventstore/db-client';
import type {
  EncodedEvent,
  ExpectedRevision,
  LoggedEvent,
} from '../../application/ports/eventLog.ts';
import { RevisionConflict, Unavailable } from '../../application/ports/faults.ts';

/** Makes metadata unreadable as JSON for the client; RFC 7464's record separator cannot occur in JSON text. */
const RECORD_SEPARATOR = '\x1e';

/**
 * Our text in the client's terms. Data travels as bytes. Metadata does too, but the client parses on reading what
 * looks like JSON: text that would not come back the same is marked, so that it stays bytes.
 */
export function toEventData({
  id,
  type,
  data,
  metadata,
}: EncodedEvent): EventData<BinaryEventType> {
  const marked = survivesParsing(metadata) ? metadata : RECORD_SEPARATOR + metadata;
  return binaryEvent({
    id,
    type,
    data: Buffer.from(data, 'utf8'),
    metadata: Buffer.from(marked, 'utf8'),
  });
}

/** @returns `null` for what is not an event of ours (a link whose event is gone, a JSON event of somebody else) */
export function toLoggedEvent(
  resolved: ResolvedEvent | AllStreamResolvedEvent,
): LoggedEvent | null {
  const { event } = resolved;
  const position = event?.position?.commit ?? resolved.commitPosition;
  if (event === undefined || position === undefined || event.isJson) return null;
  return {
    id: event.id,
    type: event.type,
    data: textOf(event.data),
    metadata: metadataOf(event.metadata),
    stream: event.streamId,
    revision: event.revision,
    position,
  };
}

/** The client's word for an expectation. */
export function toExpectedRevision(expected: ExpectedRevision) {
  if (expected === 'none') return NO_STREAM;
  if (expected === 'any') return ANY;
  return expected;
}

/** The append's failure in our terms; what cannot be told from an outage counts as one. */
export function appendFailure(stream: string, error: unknown): Error {
  switch (errorType(error)) {
    case ErrorType.WRONG_EXPECTED_VERSION:
      return new RevisionConflict(stream);
    case ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED:
    case ErrorType.STREAM_DELETED:
    case ErrorType.INVALID_ARGUMENT:
      return new Error('The event log refused the events.', { cause: error });
    default:
      return new Unavailable('eventStore', error);
  }
}

export function isStreamNotFound(error: unknown): boolean {
  return errorType(error) === ErrorType.STREAM_NOT_FOUND;
}

function errorType(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
}

function survivesParsing(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

function metadataOf(metadata: unknown): string {
  if (metadata === undefined) return '';
  if (!(metadata instanceof Uint8Array)) return JSON.stringify(metadata);
  const text = textOf(metadata);
  return text.startsWith(RECORD_SEPARATOR) ? text.slice(RECORD_SEPARATOR.length) : text;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
