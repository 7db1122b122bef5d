import { readExtensions } from './certificateFields.ts';
import { type CertificateSignature, certificateSignature } from './certificateSignature.ts';
import { derReader, type DerReader, derTag, MalformedDer, readDer, readTime } from './derReader.ts';
import { oid } from './oids.ts';

/** An external revocation list (RFC 5280 §5); its signature is not verified. */
export interface ReadRevocationList {
  /** Time of the next list at the latest; null: not stated. */
  readonly nextUpdate: Date | null;
  /** Serial numbers, hexadecimal, lower case, as `serialText` writes them. */
  readonly serials: ReadonlySet<string>;
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
  readTime(list.element().bytes);
  const next = list.optional(derTag.utcTime) ?? list.optional(derTag.generalizedTime);
  const revoked = list.optional(derTag.sequence);
  requireUnderstood(list.optional(derTag.constructed(0)));
  list.end();
  return {
    nextUpdate: next === null ? null : readTime(next.bytes),
    serials: new Set(revoked === null ? [] : serialsIn(derReader(revoked.content))),
    signature,
  };
}

function serialsIn(list: DerReader): readonly string[] {
  const serials: string[] = [];
  while (!list.atEnd) {
    const entry = list.enter(derTag.sequence);
    serials.push(serialText(entry.element(derTag.integer).content));
    readTime(entry.element().bytes);
    const extensions = entry.optional(derTag.sequence);
    requireUnderstood(extensions && { content: extensions.bytes });
    entry.end();
  }
  return serials;
}

function requireUnderstood(tagged: { readonly content: Buffer } | null): void {
  for (const [id, { critical }] of readExtensions(tagged)) {
    if (critical && !understood.has(id)) {
      throw new MalformedDer('The revocation list is partial or indirect.');
    }
  }
}
