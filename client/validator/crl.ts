import type { CertificateDetails, Moment } from '../../infrastructure/pki/kernel/certificate.ts';
import {
  forEachRevocation,
  issuerMismatch,
  readRevocationList,
  SHORTEST_ENTRY,
} from '../../infrastructure/pki/kernel/revocationList.ts';

/** A certificate revocation list, verified and indexed. */
export interface IndexedList {
  /** Looks up a serial number. @param serial content of the INTEGER */
  has(serial: Buffer): boolean;
  /** nextUpdate, ms since 1970. */
  readonly validUntil: number;
  /** Number of entries. */
  readonly size: number;
}

/**
 * Reads a complete CRL of `issuer` and validates it (RFC 5280 §6.3.3).
 *
 * @param source the CA; the address of the list: a partitioned CRL must be for this address; null
 * for a configured list, whose scope is the configuration's responsibility
 * @throws Error with the failed check
 */
export function indexedList(
  der: Buffer,
  { issuer, address }: { readonly issuer: CertificateDetails; readonly address: string | null },
  { now, clockSkewMs }: Moment,
): IndexedList {
  const list = readRevocationList(der, { address });
  const time = now.getTime();
  const validUntil = list.nextUpdate.getTime();
  if (time < list.thisUpdate.getTime() - clockSkewMs || time > validUntil + clockSkewMs) {
    throw new Error('The CRL is not of this time.');
  }
  const mismatch = issuerMismatch(list, issuer);
  if (mismatch !== null) throw new Error(mismatch);
  return { ...indexSerials(list.entries), validUntil };
}

/**
 * Indexes the serial numbers: their offsets in an open hash table of integers, so that a list of a
 * million entries costs two numbers each and no object.
 */
function indexSerials(entries: Buffer): Pick<IndexedList, 'has' | 'size'> {
  const found = new Uint32Array(Math.ceil(entries.length / SHORTEST_ENTRY));
  let size = 0;
  forEachRevocation(entries, (serial) => {
    found[size] = serial.byteOffset - entries.byteOffset;
    size += 1;
  });
  const capacity = 2 ** Math.ceil(Math.log2(2 * size + 2));
  // 0 means empty: no serial number has offset 0.
  const offsets = new Uint32Array(capacity);
  for (const at of found.subarray(0, size)) {
    let slot = hashOf(entries, at, entries[at - 1] ?? 0) & (capacity - 1);
    while (offsets[slot] !== 0) slot = (slot + 1) & (capacity - 1);
    offsets[slot] = at;
  }

  // A length is one byte: longer serial numbers are not read.
  function isAt(offset: number, serial: Buffer): boolean {
    return (
      entries[offset - 1] === serial.length &&
      entries.compare(serial, 0, serial.length, offset, offset + serial.length) === 0
    );
  }

  return {
    size,
    has(serial) {
      let slot = hashOf(serial, 0, serial.length) & (capacity - 1);
      for (let offset = offsets[slot] ?? 0; offset !== 0; offset = offsets[slot] ?? 0) {
        if (isAt(offset, serial)) return true;
        slot = (slot + 1) & (capacity - 1);
      }
      return false;
    },
  };
}

/** FNV-1a with a final mix: some CAs assign ascending serial numbers. */
function hashOf(bytes: Buffer, from: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < from + length; at += 1)
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
