import { derTag, MalformedDer } from './kernel/derReader.ts';
import { pemBlocks } from './kernel/pem.ts';
import {
  forEachRevocation,
  type ListedRevocation,
  readRevocationList,
  type RevocationListContent,
} from './kernel/revocationList.ts';

/** A whole revocation list from a file (RFC 5280 §5); its signature is not verified. */
export interface ReadRevocationList extends RevocationListContent {
  /** By serial number, hexadecimal, lower case, as `serialText` writes it. */
  readonly revoked: ReadonlyMap<string, ListedRevocation>;
}

/** Reads the lists of a file: one as DER, or any number as PEM. @throws MalformedDer, also for a list of a part */
export function revocationListsIn(file: Buffer): readonly ReadRevocationList[] {
  if (file[0] === derTag.sequence) return [wholeList(file)];
  const lists = pemBlocks(file.toString('latin1'), 'X509 CRL').map(wholeList);
  if (lists.length === 0) throw new MalformedDer('There is no revocation list.');
  return lists;
}

/** @param content of the INTEGER */
export function serialText(content: Buffer): string {
  return content.toString('hex').replace(/^(00)+(?=..)/, '');
}

function wholeList(der: Buffer): ReadRevocationList {
  const list = readRevocationList(der, 'complete');
  const revoked = new Map<string, ListedRevocation>();
  forEachRevocation(list.entries, (serial, entry) => {
    revoked.set(serialText(serial), entry);
  });
  return { ...list, revoked };
}
