import { derOid, derSequence, derSet } from './kernel/der.ts';
import { derTag } from './kernel/derReader.ts';

// Building blocks of every CMS SignedData (RFC 5652) here.

/** An Attribute of one value, DER. */
export function cmsAttribute(type: string, value: Uint8Array): Buffer {
  return derSequence(derOid(type), derSet(value));
}

/** `[number] IMPLICIT SET OF`. */
export function implicitSet(number: number, ...items: readonly Uint8Array[]): Buffer {
  const set = derSet(...items);
  set[0] = derTag.constructed(number);
  return set;
}

/** Converts signed attributes from the signed SET OF to the transmitted tag `[0]` (RFC 5652 §5.4). */
export function asSent(attributes: Uint8Array): Buffer {
  const sent = Buffer.from(attributes);
  sent[0] = derTag.constructed(0);
  return sent;
}
