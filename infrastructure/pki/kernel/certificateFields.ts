import {
  derReader,
  derTag,
  MalformedDer,
  readBoolean,
  readDer,
  readInteger,
  readOid,
} from './derReader.ts';

/** Fields of a certificate, byte for byte. */
export interface CertificateFields {
  /** Content of the INTEGER. */
  readonly serial: Buffer;
  /** Name, DER. */
  readonly issuer: Buffer;
  /** Validity, DER. */
  readonly validity: Buffer;
  /** Name, DER. */
  readonly subject: Buffer;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
  /** By OID. */
  readonly extensions: ReadonlyMap<string, { readonly critical: boolean; readonly value: Buffer }>;
}

/** Reads the fields that a signature or a revocation list must repeat exactly (RFC 5280 §4.1). @throws MalformedDer */
export function certificateFields(certificate: Uint8Array): CertificateFields {
  const whole = derReader(readDer(certificate, derTag.sequence).content);
  const tbs = whole.enter(derTag.sequence);
  const version = tbs.optional(derTag.constructed(0));
  const serial = readInteger(tbs.element(derTag.integer));
  tbs.element(derTag.sequence);
  const issuer = tbs.element(derTag.sequence).bytes;
  const validity = tbs.element(derTag.sequence).bytes;
  const subject = tbs.element(derTag.sequence).bytes;
  const spki = tbs.element(derTag.sequence).bytes;
  tbs.optional(derTag.primitive(1));
  tbs.optional(derTag.primitive(2));
  const extensions = tbs.optional(derTag.constructed(3));
  tbs.end();
  if (version === null && extensions !== null) {
    throw new MalformedDer('Only version 3 has extensions.');
  }
  return { serial, issuer, validity, subject, spki, extensions: readExtensions(extensions) };
}

/** Reads extensions by OID, each once, from under their tag; absent: none. @throws MalformedDer */
export function readExtensions(
  tagged: { readonly content: Buffer } | null = null,
): CertificateFields['extensions'] {
  const extensions = new Map<string, { critical: boolean; value: Buffer }>();
  if (tagged === null) return extensions;
  const list = derReader(readDer(tagged.content, derTag.sequence).content);
  while (!list.atEnd) {
    const extension = list.enter(derTag.sequence);
    const id = readOid(extension.element(derTag.oid));
    const flag = extension.optional(derTag.boolean);
    const value = extension.element(derTag.octetString).content;
    extension.end();
    if (extensions.has(id)) throw new MalformedDer('An extension appears twice.');
    extensions.set(id, { critical: flag !== null && readBoolean(flag), value });
  }
  return extensions;
}
