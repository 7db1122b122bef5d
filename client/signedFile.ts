import { createHash } from 'node:crypto';
import {
  type Argument,
  bytes,
  checkArguments,
  hashType,
  listOf,
  objectWith,
  optional,
  text,
} from './arguments.ts';
import { type AddedKind, describeAddition, endsOfRevisions } from './fileRevisions.ts';
import type { HashType } from './types.ts';

/** A whole file that is known: the signed one, or a stamped copy of it. */
export interface KnownFile {
  /** Digest of the file, base64. */
  readonly digestB64: string;
  /** Hash of the digest; default `SHA256`. */
  readonly hashType?: HashType;
}

/** Result of comparing a file with those that are known. Only `WHOLE` is a yes. */
export type FileComparison =
  | {
      /** The file is one of the known ones, byte for byte. */
      readonly result: 'WHOLE';
      readonly known: KnownFile;
    }
  | {
      /** The file begins with a known one and goes on: what a reader shows of it may not be what was signed. */
      readonly result: 'ALTERED';
      readonly known: KnownFile;
      /** The known part. */
      readonly signedPart: Uint8Array;
      /** Kinds of what was added. */
      readonly added: readonly AddedKind[];
      /** Bytes added. */
      readonly addedBytes: number;
      /** Objects of the known part that a PDF reader takes from what was added. */
      readonly replacedObjects: number;
    }
  | {
      /** None of the known files, nor one with something added. */
      readonly result: 'OTHER';
    };

const comparedArguments: readonly Argument[] = [
  ['file', bytes],
  ['known', listOf(objectWith({ digestB64: text, hashType: optional(hashType) }))],
];

/** Revisions of one file that are looked at. */
const MOST_REVISIONS = 1000;

/**
 * Compares a file with the signed one and its stamped copies. Nothing but a whole file is recognised: a PDF that begins
 * with the signed bytes shows its last revision, whatever was signed.
 *
 * @param file the file as it is
 * @param known digests of the signed file, as given to `sign`, and of the stamped copies that were kept
 */
export function compareFile(file: Uint8Array, known: readonly KnownFile[]): FileComparison {
  checkArguments('compareFile', comparedArguments, [file, known]);
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const text = bytes.toString('latin1');
  const ends = [bytes.length, ...endsOfRevisions(text, MOST_REVISIONS)];
  const digests = new Map(
    [...new Set(known.map(hashOf))].map((hash) => [hash, digestsAt(bytes, ends, hash)]),
  );
  for (const end of ends) {
    const found = known.find(
      (each) => digests.get(hashOf(each))?.get(end) === normalized(each.digestB64),
    );
    if (found === undefined) continue;
    if (end === bytes.length) return { result: 'WHOLE', known: found };
    const { kinds, replaced } = describeAddition(text.slice(0, end), text.slice(end));
    return {
      result: 'ALTERED',
      known: found,
      signedPart: bytes.subarray(0, end),
      added: kinds,
      addedBytes: bytes.length - end,
      replacedObjects: replaced,
    };
  }
  return { result: 'OTHER' };
}

function hashOf({ hashType = 'SHA256' }: KnownFile): HashType {
  return hashType;
}

function normalized(base64: string): string {
  return Buffer.from(base64, 'base64').toString('base64');
}

/** Digests of the parts of a file that end there, base64, in one pass. */
function digestsAt(
  bytes: Buffer,
  ends: readonly number[],
  hash: HashType,
): ReadonlyMap<number, string> {
  const running = createHash(hash.toLowerCase());
  const found = new Map<number, string>();
  let at = 0;
  for (const end of ends.toReversed()) {
    running.update(bytes.subarray(at, end));
    at = end;
    found.set(end, running.copy().digest('base64'));
  }
  return found;
}
