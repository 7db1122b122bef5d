import {
  type CertificateDetails,
  type CertificateFields,
  type CertificateSignature,
  certificateSignature,
  readExtensions,
} from './certificate.ts';
import { isSignedByAuthority } from './authoritySignature.ts';
import {
  childrenOf,
  type DerElement,
  type DerReader,
  derReader,
  derTag,
  MalformedDer,
  readDer,
  readInteger,
  readTime,
} from './derReader.ts';
import { fullName } from './locations.ts';
import { oid } from './oids.ts';

/**
 * Certificates a list must cover: `complete` all of its authority; an address those whose
 * distribution point it is; the address null: the part the configuration says.
 */
export type ListScope = 'complete' | { readonly address: string | null };

/**
 * Reads lists of countries' authorities (Doc 9303-12 §7.1.4), which nobody here can have corrected: what they revoke
 * counts although times, numbers or reasons are absent or encoded otherwise than RFC 5280 wants.
 */
export type Leniency = 'country';

/** A certificate revocation list (RFC 5280 §5.1); who signed it is for {@link issuerMismatch}. */
export interface RevocationListContent<Next extends Date | null = Date> {
  /** Encoded name of the issuer. */
  readonly issuerName: Buffer;
  /** CRL number (RFC 5280 §5.2.3); null: not stated. */
  readonly number: bigint | null;
  readonly thisUpdate: Date;
  /** Null: a country's list that does not state it. */
  readonly nextUpdate: Next;
  /** Content of revokedCertificates, for {@link forEachRevocation}. */
  readonly entries: Buffer;
  readonly der: Buffer;
  readonly signature: CertificateSignature;
}

/** An entry of a revocation list. */
export interface ListedRevocation {
  readonly revokedAt: Date;
  /** CRLReason number (RFC 5280 §5.3.1); 0 when it states none. */
  readonly reason: number;
}

/** Content of version's INTEGER: v2, which every list with extensions has (RFC 5280 §5.1.2.1). */
const VERSION_2 = Buffer.from([1]);

/**
 * Reads a revocation list (RFC 5280 §5.1); its entries are read by {@link forEachRevocation}.
 *
 * @throws MalformedDer, also for a list of another scope (§5.2.5), a delta (§5.2.4), or with another critical extension
 *   (§5.2); unless it is a country's, for one of version 1 or without nextUpdate (§5.1.2.5), too
 */
export function readRevocationList(der: Buffer, scope: ListScope): RevocationListContent;
export function readRevocationList(
  der: Buffer,
  scope: ListScope | Leniency,
): RevocationListContent<Date | null>;
export function readRevocationList(
  der: Buffer,
  scope: ListScope | Leniency,
): RevocationListContent<Date | null> {
  const isLenient = scope === 'country';
  const signature = certificateSignature(der);
  const list = derReader(readDer(signature.signed, derTag.sequence).content);
  if (!list.element(derTag.integer).content.equals(VERSION_2) && !isLenient) {
    throw new MalformedDer('The revocation list is not of version 2.');
  }
  list.element(derTag.sequence);
  const issuerName = list.element(derTag.sequence).bytes;
  const thisUpdate = readTime(list.element());
  const next = list.optional(derTag.utcTime) ?? list.optional(derTag.generalizedTime);
  if (next === null && !isLenient) {
    throw new MalformedDer('The time of the next list is missing or has an unusable form.');
  }
  const entries = list.optional(derTag.sequence)?.content ?? Buffer.alloc(0);
  const extensions = readExtensions(list.optional(derTag.constructed(0)));
  list.end();
  if (isLenient) expectUnderstood(extensions);
  else expectScope(extensions, scope);
  return {
    issuerName,
    number: isLenient ? null : numberIn(extensions),
    thisUpdate,
    nextUpdate: next && readTime(next),
    entries,
    der,
    signature,
  };
}

/**
 * Compares a list with the authority that should have issued it (RFC 5280 §6.3.3 (b), (f), (g)):
 * its name byte for byte, cRLSign where its key usage is restricted, the signature.
 *
 * @returns the difference, as a sentence; null: it is a list of this authority
 */
export function issuerMismatch(
  { issuerName, signature }: RevocationListContent,
  issuer: CertificateDetails,
): string | null {
  if (!issuerName.equals(issuer.subjectName)) return 'The CRL is of another CA.';
  if (issuer.keyUsage?.cRLSign === false) return 'The CA may not sign CRLs.';
  return isSignedByAuthority(signature, issuer) ? null : 'The CRL is not signed by the CA.';
}

/** Longest serial number read, bytes; a certificate has 20 at most (RFC 5280 §4.1.2.2). */
const LONGEST_SERIAL = 127;

/** Least bytes of an entry: its header, an INTEGER of one byte, UTCTime. */
export const SHORTEST_ENTRY = 2 + 3 + 15;

/**
 * Visits the entries of a list in order.
 *
 * @param visit gets the content of each serial number's INTEGER, a view into `entries`
 * @throws MalformedDer, also for an entry with a critical extension: it is of an indirect list
 *   (RFC 5280 §5.3.3), or not understood (§5.3)
 */
export function forEachRevocation(
  entries: Buffer,
  visit: (serial: Buffer, entry: ListedRevocation) => void,
  leniency: Leniency | null = null,
): void {
  const list = derReader(entries);
  const reasonIn = createReasonReader(leniency === null ? readReason : readLenientReason);
  while (!list.atEnd) {
    const entry = list.enter(derTag.sequence);
    const number = entry.element(derTag.integer);
    const serial = leniency === null ? readSerial(number) : number.content;
    const revokedAt = readTime(entry.element());
    const reason = reasonIn(entry);
    entry.end();
    visit(serial, { revokedAt, reason });
  }
}

function readSerial(number: DerElement): Buffer {
  const serial = readInteger(number);
  if (serial.length > LONGEST_SERIAL) throw new MalformedDer('A serial number is too long.');
  return serial;
}

/** Encodings remembered at most; a list has a dozen, unless each entry states a date of its own. */
const MAX_KNOWN_REASONS = 64;

/** Reads reasons. Remembers extensions, that of the entry before first: a list repeats a few encodings. */
function createReasonReader(read: typeof readReason): (entry: DerReader) => number {
  const known = new Map<string, number>();
  let before: Buffer = Buffer.alloc(0);
  let reason = 0;
  return (entry) => {
    const extensions = entry.optional(derTag.sequence);
    if (extensions === null) return 0;
    const { bytes } = extensions;
    if (bytes.equals(before)) return reason;
    const encoding = bytes.toString('latin1');
    reason = known.get(encoding) ?? read(bytes);
    before = bytes;
    if (known.size < MAX_KNOWN_REASONS) known.set(encoding, reason);
    return reason;
  };
}

function readReason(sequence: Buffer): number {
  const extensions = readExtensions({ content: sequence });
  for (const { critical } of extensions.values()) {
    if (critical) throw new MalformedDer('An entry is of an indirect list, or not understood.');
  }
  const stated = extensions.get(oid.reasonCode);
  if (stated === undefined) return 0;
  const { content } = readDer(stated.value, derTag.enumerated);
  const [reason = 0] = content;
  if (content.length !== 1) throw new MalformedDer('The reason of a revocation is unknown.');
  return reason;
}

/** Takes the last byte of a reason, however it is encoded. */
function readLenientReason(sequence: Buffer): number {
  const extensions = readExtensions({ content: sequence });
  expectUnderstood(extensions);
  return extensions.get(oid.reasonCode)?.value.at(-1) ?? 0;
}

/** Extensions without effect on what a list revokes. */
const withoutEffect: ReadonlySet<string> = new Set([oid.authorityKeyIdentifier, oid.crlNumber]);

function expectUnderstood(extensions: CertificateFields['extensions']): void {
  for (const [id, { critical }] of extensions) {
    if (critical && !withoutEffect.has(id)) {
      throw new MalformedDer('The revocation list is partial or indirect, or not understood.');
    }
  }
}

function numberIn(extensions: CertificateFields['extensions']): bigint | null {
  const stated = extensions.get(oid.crlNumber);
  if (stated === undefined) return null;
  const digits = readInteger(readDer(stated.value, derTag.integer));
  if ((digits[0] ?? 0) >= 0x80) throw new MalformedDer('The number of a CRL is negative.');
  return BigInt(`0x${digits.toString('hex')}`);
}

function expectScope(extensions: CertificateFields['extensions'], scope: ListScope): void {
  for (const [id, { critical }] of extensions) {
    if (critical && id !== oid.issuingDistributionPoint) {
      throw new MalformedDer(
        'The CRL is a delta, or has a critical extension that is not understood.',
      );
    }
  }
  const point = extensions.get(oid.issuingDistributionPoint);
  if (point !== undefined && (scope === 'complete' || !covers(point.value, scope))) {
    throw new MalformedDer('The CRL covers other certificates or some reasons only.');
  }
}

/** Fields of IssuingDistributionPoint that leave no end entity and no reason out (RFC 5280 §5.2.5). */
const POINT_NAME = derTag.constructed(0);
const ONLY_USER_CERTIFICATES = derTag.primitive(1);

/** Booleans default to false, and DER encodes no default: one that is there says true. */
function covers(value: Buffer, { address }: Exclude<ListScope, 'complete'>): boolean {
  const parts = childrenOf(readDer(value));
  const name = parts.find(({ tag }) => tag === POINT_NAME);
  const isWhole = parts.every(({ tag }) => tag === POINT_NAME || tag === ONLY_USER_CERTIFICATES);
  return isWhole && (name === undefined || address === null || fullName(name).includes(address));
}
