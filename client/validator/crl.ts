import type { CertificateDetails, Moment } from '../../infrastructure/pki/kernel/certificate.ts';
import {
  type CertificateFields,
  readExtensions,
} from '../../infrastructure/pki/kernel/certificateFields.ts';
import { certificateSignature } from '../../infrastructure/pki/kernel/certificateSignature.ts';
import {
  childrenOf,
  type DerElement,
  derTag,
  readDer,
  readTime,
} from '../../infrastructure/pki/kernel/derReader.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import { importKey } from './keys.ts';
import { fullName } from '../../infrastructure/pki/kernel/locations.ts';
import { isSignedBy } from './signed.ts';

/** A certificate revocation list, verified and indexed. */
export interface RevocationList {
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
export function readRevocationList(
  der: Buffer,
  { issuer, address }: { readonly issuer: CertificateDetails; readonly address: string | null },
  { now, clockSkewMs }: Moment,
): RevocationList {
  const signed = certificateSignature(der);
  const list = readContent(childrenOf(readDer(signed.signed)));
  if (!list.issuerName.equals(issuer.subjectName)) throw new Error('The CRL is of another CA.');
  if (issuer.keyUsage?.cRLSign === false) throw new Error('The CA may not sign CRLs.');
  expectUsable(list.extensions, address);
  const time = now.getTime();
  if (time < list.thisUpdate - clockSkewMs || time > list.nextUpdate + clockSkewMs) {
    throw new Error('The CRL is not of this time.');
  }
  const key = importKey(issuer.spki);
  if (key === null || !isSignedBy(signed, key)) throw new Error('The CRL is not signed by the CA.');
  return { ...indexSerials(list.entries), validUntil: list.nextUpdate };
}

/** TBSCertList: version, signature, issuer, thisUpdate, nextUpdate, revokedCertificates, crlExtensions [0]. */
function readContent(content: readonly DerElement[]) {
  const fields = content[0]?.tag === derTag.integer ? content.slice(1) : content;
  const [, issuerName, thisUpdate, nextUpdate, ...optional] = fields;
  if (issuerName === undefined) throw new RangeError('The CRL is cut off.');
  const entries = optional.find(({ tag }) => tag === derTag.sequence);
  return {
    issuerName: issuerName.bytes,
    thisUpdate: readTime(thisUpdate).getTime(),
    // Every conforming CA sets it (RFC 5280 §5.1.2.5); a list without it would never expire.
    nextUpdate: readTime(nextUpdate).getTime(),
    entries: entries?.content ?? Buffer.alloc(0),
    extensions: readExtensions(optional.find(({ tag }) => tag === derTag.constructed(0))),
  };
}

function expectUsable(extensions: CertificateFields['extensions'], address: string | null): void {
  for (const [id, { critical }] of extensions) {
    if (critical && id !== oid.issuingDistributionPoint) {
      throw new Error('The CRL is a delta, or has a critical extension that is not understood.');
    }
  }
  const point = extensions.get(oid.issuingDistributionPoint);
  if (point !== undefined) expectOurDistributionPoint(point.value, address);
}

/** IssuingDistributionPoint by tag (RFC 5280 §5.2.5). */
const idp = {
  name: derTag.constructed(0),
  caCertificates: 0x82,
  reasons: 0x83,
  indirect: 0x84,
  attributes: 0x85,
};

function expectOurDistributionPoint(value: Buffer, address: string | null): void {
  const parts = childrenOf(readDer(value));
  const part = (tag: number) => parts.find((candidate) => candidate.tag === tag);
  // IMPLICIT booleans default to false, and DER encodes no default: present means true.
  const isSet = (tag: number) => part(tag) !== undefined;
  const excluded =
    isSet(idp.caCertificates) ||
    isSet(idp.indirect) ||
    isSet(idp.attributes) ||
    part(idp.reasons) !== undefined;
  const name = part(idp.name);
  const isElsewhere = name !== undefined && address !== null && !fullName(name).includes(address);
  if (excluded || isElsewhere) {
    throw new Error('The CRL covers other certificates or some reasons only.');
  }
}

/**
 * Indexes the serial numbers: their offsets in an open hash table of integers, so that a list of a
 * million entries costs two numbers each and no object.
 */
function indexSerials(entries: Buffer): Pick<RevocationList, 'has' | 'size'> {
  let size = 0;
  forEachSerial(entries, () => (size += 1));
  const capacity = 2 ** Math.ceil(Math.log2(2 * size + 2));
  // 0 means empty: no serial number has offset 0.
  const offsets = new Uint32Array(capacity);
  forEachSerial(entries, (at, length) => {
    let slot = hashOf(entries, at, length) & (capacity - 1);
    while (offsets[slot] !== 0) slot = (slot + 1) & (capacity - 1);
    offsets[slot] = at;
  });

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

/** Walks `SEQUENCE { serial INTEGER, … }` after one another. @throws RangeError when one is malformed */
function forEachSerial(entries: Buffer, visit: (offset: number, length: number) => void): void {
  let offset = 0;
  while (offset < entries.length) {
    const { start, end } = entryAt(entries, offset);
    const length = entries[start + 1] ?? 0x80;
    // RFC 5280 §4.1.2.2: at most 20 bytes, so the length is one byte.
    if (entries[start] !== derTag.integer || length > 0x7f || start + 2 + length > end) {
      throw new RangeError('An entry of the CRL has no usable serial number.');
    }
    visit(start + 2, length);
    offset = end;
  }
}

function entryAt(entries: Buffer, offset: number): { start: number; end: number } {
  const first = entries[offset + 1] ?? 0xff;
  const count = first < 0x80 ? 0 : first & 0x7f;
  if (entries[offset] !== derTag.sequence || count > 2 || first === 0x80) {
    throw new RangeError('The entries of the CRL are malformed.');
  }
  const start = offset + 2 + count;
  const end = start + (count === 0 ? first : entries.readUIntBE(offset + 2, count));
  if (end > entries.length) throw new RangeError('The CRL is cut off.');
  return { start, end };
}
