import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { decrypted, encrypted, NotOpened } from './age.ts';
import { rawPublicKey } from './ageKeys.ts';
import { type BackupPiece, NotABackup } from './manifest.ts';
import type { BackupPlace } from './place.ts';

/**
 * Contents are cut where they say so themselves, so that what was inserted or removed changes the pieces around it alone,
 * and each piece is an object that later backups consist of, too: they write only pieces that are not there.
 */
export interface PieceSizes {
  /** bytes */
  readonly least: number;
  readonly most: number;
  /** Bits that have to be zero at a cut; a piece has 2^bits bytes beyond the least on average. */
  readonly bits: number;
}

const MIB = 2 ** 20;
const usual: PieceSizes = { least: MIB / 2, most: 8 * MIB, bits: 20 };

/** Bytes that a cut depends on. */
const WINDOW = 32;

/** Folder of the pieces in a place. */
export const PIECES = 'pieces/';

/** Name after what is stored: nothing is ever written over what a backup consists of. */
export const pieceName = ({ sha256 }: Pick<BackupPiece, 'sha256'>) =>
  `${PIECES}${sha256.slice(0, 2)}/${sha256}.age`;

/** Cuts a content; nothing for an empty one. @param key nobody else cuts as it does, so that lengths tell nothing */
export async function* cut(
  content: AsyncIterable<Uint8Array>,
  key: KeyObject,
  { least, most, bits }: PieceSizes = usual,
): AsyncGenerator<Buffer> {
  const gear = gearOf(key);
  let held: Uint8Array[] = [];
  let length = 0;
  let hash = 0;
  for await (const chunk of content) {
    let begin = 0;
    // Bytes before the window of the earliest cut decide nothing.
    let at = Math.min(chunk.length, Math.max(0, least - WINDOW - length));
    length += at;
    for (; at < chunk.length; at += 1) {
      hash = ((hash << 1) + (gear[chunk[at] ?? 0] ?? 0)) | 0;
      length += 1;
      if (length < least || (hash >>> (32 - bits) !== 0 && length < most)) continue;
      yield Buffer.concat([...held, chunk.subarray(begin, at + 1)]);
      begin = at + 1;
      held = [];
      hash = 0;
      const skipped = Math.min(chunk.length - begin, Math.max(0, least - WINDOW));
      at += skipped;
      length = skipped;
    }
    held.push(chunk.subarray(begin));
  }
  if (length > 0) yield Buffer.concat(held);
}

/** A number for each byte. */
function gearOf(key: KeyObject): Int32Array {
  const numbers = new Int32Array(256);
  for (let block = 0; block < 16; block += 1) {
    const bytes = createHmac('sha512', key).update(`cut ${block}`).digest();
    for (let at = 0; at < 16; at += 1) numbers[16 * block + at] = bytes.readInt32BE(4 * at);
  }
  return numbers;
}

export interface PieceWriterOptions {
  readonly place: BackupPlace;
  /** Derived from the master key. */
  readonly key: KeyObject;
  readonly recipients: readonly KeyObject[];
  /** Pieces that are there, by id. */
  readonly known: ReadonlyMap<string, BackupPiece>;
  readonly sizes?: PieceSizes;
}

/** Writes contents in pieces, and remembers all that they consist of. */
export function createPieceWriter({ place, key, recipients, known, sizes }: PieceWriterOptions) {
  // A piece for other recipients is another piece: they could not open the one that is there.
  const names = recipients.map((recipient) => rawPublicKey(recipient).toString('hex')).sort();
  const used = new Map<string, BackupPiece>();
  let writtenBytes = 0;

  async function write(plain: Buffer): Promise<string> {
    const id = createHmac('sha256', key).update(`${names.join()}\n`).update(plain).digest('hex');
    if (used.has(id)) return id;
    const there = known.get(id);
    if (there !== undefined) {
      used.set(id, there);
      return id;
    }
    const parts: Buffer[] = [];
    for await (const part of encrypted(one(plain), recipients)) parts.push(part);
    const sealed = Buffer.concat(parts);
    const piece = { id, bytes: sealed.length, sha256: sha256(sealed) };
    await place.put(pieceName(piece), sealed);
    used.set(id, piece);
    writtenBytes += sealed.length;
    return id;
  }

  return {
    /** @returns ids of the pieces of a content */
    async write(content: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
      const ids: string[] = [];
      for await (const piece of cut(content, key, sizes)) ids.push(await write(piece));
      return ids;
    },
    pieces: (): readonly BackupPiece[] => [...used.values()],
    writtenBytes: () => writtenBytes,
  };
}

/** Reads a piece as it was written. @throws NotABackup when it is missing, or is not the one that was written */
async function sealedPiece(place: BackupPlace, piece: BackupPiece): Promise<Buffer> {
  const path = `${place.address}/${pieceName(piece)}`;
  const sealed = await place.get(pieceName(piece));
  if (sealed === null) throw new NotABackup(`${path} is missing.`);
  if (sealed.length < piece.bytes) {
    throw new NotABackup(`${path} is truncated: it has ${sealed.length} of ${piece.bytes} bytes.`);
  }
  if (sha256(sealed) === piece.sha256) return sealed;
  throw new NotABackup(`${path} was changed after it was written: its SHA-256 differs.`);
}

/** @throws NotABackup when a piece is missing, or is not the one that was written */
export async function verifyPieces(
  place: BackupPlace,
  pieces: readonly BackupPiece[],
  onBytes: (count: number) => void,
): Promise<void> {
  for (const piece of pieces) onBytes((await sealedPiece(place, piece)).length);
}

/** The content of these pieces. @throws NotABackup when no identity opens one, or it was changed */
export async function* readPieces(
  place: BackupPlace,
  pieces: readonly BackupPiece[],
  identities: readonly KeyObject[],
): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    const sealed = await sealedPiece(place, piece);
    try {
      yield* decrypted(one(sealed), identities);
    } catch (error) {
      if (!(error instanceof NotOpened)) throw error;
      throw new NotABackup(`${place.address}/${pieceName(piece)} ${error.message}.`);
    }
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
