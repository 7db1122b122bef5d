import { readExtensions } from './kernel/certificateFields.ts';
import { type CertificateSignature, certificateSignature } from './kernel/certificateSignature.ts';
import {
  derReader,
  type DerReader,
  derTag,
  MalformedDer,
  readDer,
  readTime,
} from './kernel/derReader.ts';
import { oid } from './kernel/oids.ts';

/** An entry of a revocation list. */
export interface ListedRevocation {
  readonly revokedAt: Date;
  /** RFC 5280 CRLReason number; 0 when it states none. */
  readonly reason: number;
}

/** An external revocation list (RFC 5280 §5); its signature is not verified. */
export interface ReadRevocationList {
  /** Null: not stated. */
  readonly number: bigint | null;
  readonly thisUpdate: Date;
  /** Time of the next list at the latest; null: not stated. */
  readonly nextUpdate: Date | null;
  /** By serial number, hexadecimal, lower case, as `serialText` writes it. */
  readonly revoked: ReadonlyMap<string, ListedRevocation>;
  readonly der: Buffer;
  readonly signature: CertificateSignature;
}

const PEM = /-----BEGIN X509 CRL-----([^-]+)-----END X509 CRL-----/g;

/** Extensions without effect on a list's meaning; any other critical one would have (RFC 5280 §5.2). */
const understood: ReadonlySet<string> = new Set([oid.authorityKeyIdentifier, oid.crlNumber]);

/** Reads the lists of a file: one as DER, or any number as PEM. @throws MalformedDer */
export function revocationListsIn(file: Buffer): readonly ReadRevocationList[] {
  if (file[0] === derTag.sequence) return [readRevocationList(file)];
  const lists = Array.from(file.toString('latin1').matchAll(PEM), ([, base64 = '']) =>
    readRevocationList(Buffer.from(base64, 'base64')),
  );
  if (lists.length === 0) throw new MalformedDer('There is no revocation list.');
  return lists;
}

/** @param content of the INTEGER */
export function serialText(content: Buffer): string {
  return content.toString('hex').replace(/^(00)+(?=..)/, '');
}

/** @throws MalformedDer, also for a partial list (RFC 5280 §5.2.4 and §5.2.5) or an indirect one (§5.3.3) */
function readRevocationList(der: Buffer): ReadRevocationList {
  const signature = certificateSignature(der);
  const list = derReader(readDer(signature.signed, derTag.sequence).content);
  list.element(derTag.integer);
  list.element(derTag.sequence);
  list.element(derTag.sequence);
  const thisUpdate = readTime(list.element());
  const next = list.optional(derTag.utcTime) ?? list.optional(derTag.generalizedTime);
  const revoked = list.optional(derTag.sequence);
  const number = understoodExtensions(list.optional(derTag.constructed(0))).get(oid.crlNumber);
  list.end();
  return {
    number: number === undefined ? null : unsigned(readDer(number.value, derTag.integer).content),
    thisUpdate,
    nextUpdate: next === null ? null : readTime(next),
    revoked: revoked === null ? new Map() : entriesIn(derReader(revoked.content)),
    der,
    signature,
  };
}

function entriesIn(list: DerReader): ReadRevocationList['revoked'] {
  const revoked = new Map<string, ListedRevocation>();
  while (!list.atEnd) {
    const entry = list.enter(derTag.sequence);
    const serial = serialText(entry.element(derTag.integer).content);
    const revokedAt = readTime(entry.element());
    const tagged = entry.optional(derTag.sequence);
    const extensions = understoodExtensions(tagged && { content: tagged.bytes });
    // ENUMERATED, of one byte.
    const reason = extensions.get(oid.reasonCode)?.value.at(-1) ?? 0;
    revoked.set(serial, { revokedAt, reason });
    entry.end();
  }
  return revoked;
}

const unsigned = (content: Buffer) => BigInt(`0x${content.toString('hex')}`);

function understoodExtensions(tagged: { readonly content: Buffer } | null) {
  const extensions = readExtensions(tagged);
  for (const [id, { critical }] of extensions) {
    if (critical && !understood.has(id)) {
      throw new MalformedDer('The revocation list is partial or indirect.');
    }
  }
  return extensions;
}
