import { derOid, derPrintable, derSequence, derSet, derUtf8 } from './der.ts';
import { oid } from './oids.ts';

/** One relative distinguished name of one attribute. */
export interface NameAttribute {
  readonly type: string;
  readonly value: string;
}

/** Country and the subject's serialNumber are PrintableString, all else UTF8String (RFC 5280 §4.1.2.4). */
const printable: ReadonlySet<string> = new Set([oid.countryName, oid.serialNumber]);

/** A Name, DER, in the order given. */
export function encodeName(attributes: readonly NameAttribute[]): Buffer {
  return derSequence(
    ...attributes.map(({ type, value }) =>
      derSet(derSequence(derOid(type), printable.has(type) ? derPrintable(value) : derUtf8(value))),
    ),
  );
}
