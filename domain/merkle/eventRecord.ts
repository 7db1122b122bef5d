import { hashTaggedLeaf } from './hashTree.ts';

/** An event as stored in the log: personal data is encrypted, and stays so when its key is destroyed. */
export interface StoredEvent {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  /** UUID. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
  /** Includes the schema version. */
  readonly metadata: string;
}

/** First byte of the record, so that another form of it is another leaf. */
const VERSION = 2;

/** Tag, version, revision, UUID and four lengths. */
const FIXED_BYTES = 1 + 1 + 8 + 16 + 4 * 4;

/** Longest UTF-8 encoding of a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

let scratch = Buffer.alloc(16 * 1024);

/**
 * The leaf of an event in the tree over the log: the hash of this record, numbers big-endian, texts in UTF-8 after their
 * length in bytes as 4 bytes: `2 (1 byte) ‖ revision (8) ‖ id (16) ‖ stream ‖ type ‖ data ‖ metadata`. Every part has a
 * length of its own, so no two events have the same record. It is the same in every log that holds the event.
 *
 * @throws RangeError when a number has more than 64 bits; Error when the id is no UUID
 */
export function eventLeafHash(event: StoredEvent): Buffer {
  const { stream, type, data, metadata } = event;
  const units = stream.length + type.length + data.length + metadata.length;
  const most = FIXED_BYTES + BYTES_PER_UNIT * units;
  if (scratch.length < most) scratch = Buffer.alloc(most);
  let end = scratch.writeUInt8(VERSION, 1);
  end = scratch.writeBigUInt64BE(event.revision, end);
  end = writeUuid(event.id, end);
  for (const text of [stream, type, data, metadata]) end = writeText(text, end);
  return hashTaggedLeaf(scratch.subarray(0, end));
}

function writeText(text: string, at: number): number {
  const length = scratch.write(text, at + 4, 'utf8');
  scratch.writeUInt32BE(length, at);
  return at + 4 + length;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function writeUuid(id: string, at: number): number {
  if (!UUID.test(id)) throw new Error('The id of an event is no lower-case UUID.');
  return at + scratch.write(id.replaceAll('-', ''), at, 'hex');
}
