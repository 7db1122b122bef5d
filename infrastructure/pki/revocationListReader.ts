import { derTag, MalformedDer } from './kernel/derReader.ts';
import { pemBlocks } from './kernel/pem.ts';
import {
  forEachRevocation,
  type Leniency,
  type ListedRevocation,
  readRevocationList,
  type RevocationListContent,
} from './kernel/revocationList.ts';

/** A whole revocation list from a file (RFC 5280 §5); its signature is not verified. */
export interface ReadRevocationList<
  Next extends Date | null = Date,
> extends RevocationListContent<Next> {
  /** By serial number, hexadecimal, lower case, as `serialText` writes it. */
  readonly revoked: ReadonlyMap<string, ListedRevocation>;
}

/** A list of a country's authority, which may not state when the next one comes. */
export type CountryRevocationList = ReadRevocationList<Date | null>;

/** Reads the lists of a file: one as DER, or any number as PEM. @throws MalformedDer, also for a list of a part */
export function revocationListsIn(file: Buffer): readonly ReadRevocationList[] {
  return listsIn(file).map((der) => {
    const list = readRevocationList(der, 'complete');
    return { ...list, revoked: revokedIn(list.entries, null) };
  });
}

/** Lists of countries' authorities in a file, and why others in it cannot be read. */
export interface CountryRevocationLists {
  readonly lists: readonly CountryRevocationList[];
  readonly faults: readonly MalformedDer[];
}

/** Reads the lists of a file, each by itself: one that is damaged does not hide the others. */
export function countryListsIn(file: Buffer): CountryRevocationLists {
  const lists: CountryRevocationList[] = [];
  const faults: MalformedDer[] = [];
  const orFault = (read: () => void) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof MalformedDer)) throw error;
      faults.push(error);
    }
  };
  orFault(() => {
    for (const der of listsIn(file)) orFault(() => lists.push(countryList(der)));
  });
  return { lists, faults };
}

function countryList(der: Buffer): CountryRevocationList {
  const list = readRevocationList(der, 'country');
  return { ...list, revoked: revokedIn(list.entries, 'country') };
}

/** @param content of the INTEGER */
export function serialText(content: Buffer): string {
  return content.toString('hex').replace(/^(00)+(?=..)/, '');
}

/** @returns DER @throws MalformedDer when there is none */
function listsIn(file: Buffer): readonly Buffer[] {
  if (file[0] === derTag.sequence) return [file];
  const lists = pemBlocks(file.toString('latin1'), 'X509 CRL');
  if (lists.length === 0) throw new MalformedDer('There is no revocation list.');
  return lists;
}

function revokedIn(entries: Buffer, leniency: Leniency | null): ReadRevocationList['revoked'] {
  const revoked = new Map<string, ListedRevocation>();
  forEachRevocation(
    entries,
    (serial, entry) => {
      revoked.set(serialText(serial), entry);
    },
    leniency,
  );
  return revoked;
}
