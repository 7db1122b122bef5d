import { createHash, type Hash } from 'node:crypto';
import type { KeyVault, EcdsaKeyType } from '../../application/ports/keyVault.ts';
import type {
  RevocationListBuilder,
  RevocationState,
  RevokedCertificate,
} from '../../application/certificate/ports/revocationLists.ts';
import { certificateFields } from '../pki/kernel/certificate.ts';
import {
  derBitString,
  derExplicit,
  derExtension,
  derHeader,
  derOid,
  derPrimitive,
  derSequence,
  derTime,
  derUnsigned,
} from '../pki/kernel/der.ts';
import { derTag, readDer } from '../pki/kernel/derReader.ts';
import { oid } from '../pki/kernel/oids.ts';
import { signatureSuites } from '../pki/profiles.ts';

// Encodes without allocating a buffer per entry: a list may hold a million of them.

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

/** Extensions with the one extension reasonCode, up to the value of its ENUMERATED (RFC 5280 §5.3.1). */
const reasonPrefix = [...Buffer.from('300c300a0603551d1504030a01', 'hex')];

/** Longest entry, bytes: a serial number of 20 bytes, GeneralizedTime, a reason. */
const MAX_ENTRY_BYTES = 2 + 23 + 17 + 14;

/**
 * Writes one element of revokedCertificates (RFC 5280 §5.1): serial, date, reason unless unspecified.
 *
 * @returns the offset after it
 * @throws RangeError when the serial number is not hexadecimal text of at most 20 bytes
 */
function writeEntry(target: Buffer, offset: number, entry: RevokedCertificate): number {
  let end = writeSerial(target, offset + 2, entry.serial);
  end = writeTime(target, end, entry.revokedAt);
  if (entry.reason !== 0) {
    for (const byte of reasonPrefix) {
      target[end] = byte;
      end += 1;
    }
    target[end] = entry.reason;
    end += 1;
  }
  target[offset] = SEQUENCE;
  target[offset + 1] = end - offset - 2;
  return end;
}

function writeSerial(target: Buffer, offset: number, serial: string): number {
  let start = offset + 2;
  const first = Number.parseInt(serial.slice(0, 2), 16);
  // Keeps the INTEGER positive: a set first bit needs a leading zero byte.
  if (first >= 0x80) {
    target[start] = 0;
    start += 1;
  }
  const length = serial.length / 2;
  const isPlausible = first > 0 && length <= 20;
  if (!isPlausible || target.write(serial, start, 'hex') !== length) {
    throw new RangeError('The serial number is not hexadecimal text of at most 20 bytes.');
  }
  target[offset] = INTEGER;
  target[offset + 1] = start - offset - 2 + length;
  return start + length;
}

/** Offsets of the digits in YYYY-MM-DDTHH:MM:SS. */
const digitOffsets = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18] as const;

/** RFC 5280 §5.1.2.6: UTCTime through 2049, GeneralizedTime from 2050; `time` is an ISO string. */
function writeTime(target: Buffer, offset: number, time: string): number {
  const isUtcTime = time < '2050';
  target[offset] = isUtcTime ? UTC_TIME : GENERALIZED_TIME;
  let end = offset + 2;
  for (let place = isUtcTime ? 2 : 0; place < digitOffsets.length; place += 1) {
    target[end] = time.charCodeAt(digitOffsets[place] ?? 0);
    end += 1;
  }
  target[end] = 0x5a;
  end += 1;
  target[offset + 1] = end - offset - 2;
  return end;
}

/** Concatenated entries, encoded as in the list. */
interface Run {
  bytes: Buffer;
  length: number;
  count: number;
}

/** The entries of one issuer's list. */
interface Entries {
  load(state: RevocationState): void;
  apply(state: RevocationState): void;
  dropEndedBefore(time: Date): void;
  readonly size: number;
  /** All entries; later changes do not affect the result. */
  runs(): readonly Buffer[];
}

const FIRST_RUN_BYTES = 4 * 1024;

/**
 * Stores entries encoded: final ones in one run per day on which their certificates expire, so that expired ones are
 * dropped by run; certificates on hold one by one, because the hold may be released.
 */
function createEntries(): Entries {
  const final = new Map<string, Run>();
  const held = new Map<string, RevokedCertificate>();
  /** Serials that became final since loading; those final at loading are not announced again. */
  const known = new Set<string>();

  function append(entry: RevokedCertificate): void {
    const day = dayOf(entry.notAfter);
    let run = final.get(day);
    if (run === undefined) {
      run = { bytes: Buffer.allocUnsafeSlow(FIRST_RUN_BYTES), length: 0, count: 0 };
      final.set(day, run);
    }
    if (run.bytes.length - run.length < MAX_ENTRY_BYTES) {
      const larger = Buffer.allocUnsafeSlow(run.bytes.length * 2);
      run.bytes.copy(larger, 0, 0, run.length);
      run.bytes = larger;
    }
    run.length = writeEntry(run.bytes, run.length, entry);
    run.count += 1;
  }

  function load(state: RevocationState): void {
    if (state.state === 'held') held.set(state.serial, state);
    if (state.state === 'revoked') append(state);
  }

  return {
    load,
    apply(state) {
      const { serial } = state;
      if (known.has(serial)) return;
      held.delete(serial);
      load(state);
      if (state.state === 'revoked') known.add(serial);
    },
    dropEndedBefore(time) {
      const day = dayOf(time.toISOString());
      for (const ended of final.keys()) if (ended < day) final.delete(ended);
      for (const [serial, { notAfter }] of held) if (dayOf(notAfter) < day) held.delete(serial);
    },
    get size() {
      let size = held.size;
      for (const { count } of final.values()) size += count;
      return size;
    },
    runs() {
      const heldBytes = Buffer.allocUnsafe(held.size * MAX_ENTRY_BYTES);
      let length = 0;
      for (const entry of held.values()) length = writeEntry(heldBytes, length, entry);
      const finished = [...final.values()].map((run) => run.bytes.subarray(0, run.length));
      return [...finished, heldBytes.subarray(0, length)];
    },
  };
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}

/** The issuing CA of the list. */
export interface ListSigner {
  /** DER. */
  readonly certificate: Buffer;
  /** Label in the key vault. */
  readonly keyLabel: string;
  readonly keyType: EcdsaKeyType;
}

const version2 = derUnsigned(Buffer.from([1]));

/** Bytes copied and hashed between two checks of the clock. */
const SLICE_BYTES = 512 * 1024;

/** Longest uninterrupted work on the event loop, milliseconds. */
const TURN_MS = 5;

/**
 * Builds the list of one CA (RFC 5280 §5): concatenates the encoded entries, hashes while copying, signs the hash. The
 * generators of X.509 libraries take time quadratic in the number of entries.
 */
export function createRevocationListBuilder(
  signer: ListSigner,
  vault: Pick<KeyVault, 'signDigest'>,
): RevocationListBuilder {
  const { hash, algorithm } = signatureSuites[signer.keyType];
  const { subject, extensions } = certificateFields(signer.certificate);
  const algorithmIdentifier = derSequence(derOid(algorithm));
  const authorityKey = derExtension(
    oid.authorityKeyIdentifier,
    derSequence(derPrimitive(0, keyIdentifierIn(extensions))),
  );
  const entries = createEntries();

  return {
    load: (state) => entries.load(state),
    apply: (state) => entries.apply(state),
    dropEndedBefore: (time) => entries.dropEndedBefore(time),
    get size() {
      return entries.size;
    },
    async sign({ number, thisUpdate, nextUpdate }) {
      const runs = entries.runs();
      const before = Buffer.concat([
        version2,
        algorithmIdentifier,
        subject,
        derTime(thisUpdate),
        derTime(nextUpdate),
      ]);
      const listNumber = derExtension(oid.crlNumber, derUnsigned(bigEndian(number)));
      const after = derExplicit(0, derSequence(authorityKey, listNumber));
      const assembled = await assemble(before, runs, after, createHash(hash));
      const signature = await vault.signDigest(signer.keyLabel, assembled.digest);
      return assembled.finish(algorithmIdentifier, derBitString(signature));
    },
  };
}

/** Bytes reserved before the signed part for the outer header: a tag, a length of up to five bytes. */
const HEADER_ROOM = 6;

/** Copies the signed part into one buffer with capacity for the signature. */
async function assemble(before: Buffer, runs: readonly Buffer[], after: Buffer, hash: Hash) {
  const entryBytes = runs.reduce((sum, run) => sum + run.length, 0);
  // An empty list omits revokedCertificates (§5.1.2.6).
  const listHeader = entryBytes === 0 ? Buffer.alloc(0) : derHeader(derTag.sequence, entryBytes);
  const content = before.length + listHeader.length + entryBytes + after.length;
  const parts = [derHeader(derTag.sequence, content), before, listHeader, ...runs, after];
  const signedBytes = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = Buffer.allocUnsafeSlow(HEADER_ROOM + signedBytes + SIGNATURE_ROOM);
  let offset = HEADER_ROOM;
  let turnStarted = performance.now();
  for (const part of parts) {
    for (let start = 0; start < part.length; start += SLICE_BYTES) {
      const slice = part.subarray(start, start + SLICE_BYTES);
      whole.set(slice, offset);
      offset += slice.length;
      hash.update(slice);
      if (performance.now() - turnStarted > TURN_MS) {
        await new Promise(setImmediate);
        turnStarted = performance.now();
      }
    }
  }

  function finish(...trailer: readonly Buffer[]): Buffer {
    let end = offset;
    for (const part of trailer) end += part.copy(whole, end);
    const header = derHeader(derTag.sequence, end - HEADER_ROOM);
    const start = HEADER_ROOM - header.length;
    header.copy(whole, start);
    return whole.subarray(start, end);
  }
  return { digest: hash.digest(), finish };
}

/** Bytes reserved for algorithm and signature; the strongest CA key, P-384, needs some 125. */
const SIGNATURE_ROOM = 256;

/** The CA's subject key identifier, as in its certificate (RFC 5280 §5.2.1). */
function keyIdentifierIn(extensions: ReadonlyMap<string, { readonly value: Buffer }>): Buffer {
  const value = extensions.get(oid.subjectKeyIdentifier)?.value;
  if (value === undefined) throw new Error('The CA certificate has no key identifier.');
  return readDer(value, derTag.octetString).content;
}

function bigEndian(number: bigint): Buffer {
  const digits = number.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}
