import type { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../application/ports/clock.ts';
import type { Log } from '../../application/ports/log.ts';
import type { OutsideAccess } from '../outside/access.ts';
import { certificateFields } from '../pki/kernel/certificate.ts';
import { MalformedDer } from '../pki/kernel/derReader.ts';
import {
  countryListsIn,
  type CountryRevocationList,
  serialText,
} from '../pki/revocationListReader.ts';
import { isSignedBy, signatureScheme } from '../pki/kernel/statedSignature.ts';
import { keyOf } from './documentSigner.ts';

/**
 * Revocation state of a certificate: `NO_LIST` its issuer has none; `LIST_OVERDUE` the newest is past its next update
 * and proves revocations, not their absence.
 */
export type RevocationState = 'REVOKED' | 'NOT_REVOKED' | 'LIST_OVERDUE' | 'NO_LIST';

/** Certificates revoked by country authorities (Doc 9303-12 §7.1.4). */
export interface CountryRevocations {
  stateOf(certificate: X509Certificate, issuer: X509Certificate, now: Date): RevocationState;
}

/** Used when no lists are configured. */
export const noRevocations: CountryRevocations = { stateOf: () => 'NO_LIST' };

interface SignedList {
  readonly list: CountryRevocationList;
  /** Names of the authorities whose key signed it: one name, unless two share a key. */
  readonly issuers: ReadonlySet<string>;
}

/** Combines lists; those that no authority signed are left out, and counted. */
export function countryRevocations(
  lists: readonly CountryRevocationList[],
  authorities: readonly X509Certificate[],
): CountryRevocations & { readonly known: number; readonly foreign: number } {
  const signed = lists
    .map((list) => ({ list, issuers: issuersOf(list, authorities) }))
    .filter(({ issuers }) => issuers.size > 0);
  return {
    known: signed.length,
    foreign: lists.length - signed.length,
    stateOf(certificate, issuer, now) {
      // An authority's new key signs the revocations of the old one too, so lists are matched by name (Doc 9303-12
      // §7.1.4).
      const own = signed.filter(({ issuers }) => issuers.has(issuer.subject));
      const serial = serialText(certificateFields(certificate.raw).serial);
      if (own.some(({ list }) => list.revoked.has(serial))) return 'REVOKED';
      if (own.length === 0) return 'NO_LIST';
      return own.some(({ list }) => isCurrent(list, now)) ? 'NOT_REVOKED' : 'LIST_OVERDUE';
    },
  };
}

function isCurrent({ nextUpdate }: CountryRevocationList, now: Date): boolean {
  return nextUpdate !== null && now <= nextUpdate;
}

/** Compares keys, not names: States encode them differently, and a list left out would make what it revokes good. */
function issuersOf(
  { signature: { algorithm, signed, signature } }: CountryRevocationList,
  authorities: readonly X509Certificate[],
): SignedList['issuers'] {
  const scheme = schemeOf(algorithm);
  const signers = authorities.filter((authority) => {
    const key = keyOf(authority);
    return scheme !== null && key !== null && isSignedBy(key, scheme, signed, signature);
  });
  return new Set(signers.map(({ subject }) => subject));
}

/** Null also for malformed parameters: one odd list hides no other. */
function schemeOf(algorithm: Buffer) {
  try {
    return signatureScheme(algorithm, null);
  } catch {
    return null;
  }
}

export interface RevocationFiles {
  /** Revocations of the current files. @throws Error at the first call when they cannot be read */
  current(): Promise<CountryRevocations>;
}

/** Lists of files as they were when they were read. */
interface ReadLists {
  readonly fingerprint: string;
  readonly revocations: CountryRevocations;
  /** Time to read them again as they are, ms since 1970. */
  readonly againAt: number;
}

/** Time after which a file that could not be opened is tried again, ms; at each use it would have all lists read. */
const AGAIN_MS = 60_000;

/**
 * Lists in a file, or in the files of a directory: checked at each use and read again when one changed, so that a newer
 * list needs no restart. While reading fails, the last lists read stay in force; a file that is damaged or cannot be
 * opened adds what can be read to those it had; the latter is tried again each minute.
 */
export function createRevocationFiles({
  path,
  authorities,
  log,
  clock,
  access,
}: {
  readonly path: string;
  readonly authorities: readonly X509Certificate[];
  readonly log: Log;
  readonly clock: Clock;
  /** Bounds the reading of the files. */
  readonly access: OutsideAccess;
}): RevocationFiles {
  let read: ReadLists | null = null;
  let told = '';

  /** Lists of each file when it was last whole. */
  const whole = new Map<string, readonly CountryRevocationList[]>();

  const isCurrentRead = (known: ReadLists, fingerprint: string) =>
    known.fingerprint === fingerprint && clock.now().getTime() < known.againAt;

  async function load(): Promise<CountryRevocations> {
    const { files, fingerprint } = await filesAt(path);
    if (read !== null && isCurrentRead(read, fingerprint)) return read.revocations;
    const found = await readLists(files, whole);
    const { lists, faults } = found;
    const revocations = countryRevocations(lists, authorities);
    const overdue = lists.filter((list) => !isCurrent(list, clock.now())).length;
    const { known, foreign } = revocations;
    const unreadable = faults.length;
    const state = [fingerprint, ...faults].join('\n');
    if (state !== told) {
      log[unreadable > 0 ? 'error' : foreign + overdue > 0 ? 'warn' : 'info'](
        { lists: known, foreign, overdue, unreadable, ...(unreadable > 0 && { faults }) },
        'Revocation lists of country authorities.',
      );
    }
    told = state;
    const againAt = found.areOpened ? Infinity : clock.now().getTime() + AGAIN_MS;
    read = { fingerprint, revocations, againAt };
    return revocations;
  }

  return {
    async current() {
      try {
        return await access.run(load);
      } catch (error) {
        if (read === null) throw error;
        log.error({ err: error }, 'Some revocation lists of country authorities cannot be read.');
        return read.revocations;
      }
    },
  };
}

/**
 * Tries the files as {@link createRevocationFiles} reads them.
 *
 * @param authorities null: not known
 * @returns what is left out, or late
 * @throws Error when none can be read
 */
export async function revocationFileFaults(
  path: string,
  authorities: readonly X509Certificate[] | null,
  now: Date,
): Promise<readonly string[]> {
  const { files } = await filesAt(path);
  const { lists, faults } = await readLists(files);
  const foreign = authorities === null ? 0 : countryRevocations(lists, authorities).foreign;
  const overdue = lists.filter((list) => !isCurrent(list, now)).length;
  return [
    ...faults,
    ...(foreign > 0
      ? [`${foreign} of ${lists.length} lists were not issued by a trusted authority`]
      : []),
    ...(overdue > 0 ? [`${overdue} of ${lists.length} lists are past their next update`] : []),
    ...(lists.length === 0 ? [`${path} contains no list`] : []),
  ];
}

/**
 * Reads each file by itself: one that is damaged or cannot be opened hides no other.
 *
 * @param whole lists of each file when it was last whole, which are added to a damaged one's, and kept up
 * @throws MalformedDer when nothing can be read
 */
async function readLists(
  files: readonly string[],
  whole = new Map<string, readonly CountryRevocationList[]>(),
) {
  const found = await Promise.all(files.map(readListFile));
  const lists = found.flatMap(({ file, lists: inFile, faults }) => {
    if (faults.length > 0) return [...(whole.get(file) ?? []), ...inFile];
    whole.set(file, inFile);
    return inFile;
  });
  const faults = found.flatMap((each) => each.faults);
  if (lists.length === 0 && faults.length > 0) throw new MalformedDer(faults.join(' '));
  return { lists, faults, areOpened: found.every(({ isOpened }) => isOpened) };
}

async function readListFile(file: string) {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const fault = `${file}: cannot be opened (${codeOf(error)})`;
    return { file, isOpened: false, lists: [], faults: [fault] };
  }
  const { lists, faults } = countryListsIn(bytes);
  const named = faults.map(({ message }) => `${file}: ${message}`);
  return { file, isOpened: true, lists, faults: named };
}

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code);

async function filesAt(path: string) {
  const isDirectory = (await stat(path)).isDirectory();
  const names = isDirectory ? (await readdir(path)).sort() : [''];
  const files = await Promise.all(
    names.map(async (name) => {
      const file = name === '' ? path : join(path, name);
      const { mark, isFile } = await describe(file);
      return { file, isFile, mark: `${file} ${mark}` };
    }),
  );
  const there = files.filter(({ isFile }) => isFile);
  return {
    files: there.map(({ file }) => file),
    fingerprint: there.map(({ mark }) => mark).join('\n'),
  };
}

/** One that cannot be examined counts as a file: reading it tells why. */
async function describe(file: string) {
  try {
    const found = await stat(file);
    return { mark: `${found.mtimeMs} ${found.size}`, isFile: found.isFile() };
  } catch (error) {
    return { mark: codeOf(error), isFile: true };
  }
}
