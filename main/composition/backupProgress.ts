import type { BackupPiece } from '../../infrastructure/backup/manifest.ts';

/** Part of a backup that is being written, verified or read. */
export interface BackupProgress {
  readonly part: string;
  /** Rows or files of it so far. */
  readonly entries: number;
  /** Bytes of all parts so far, before they are encrypted; of a verification, as they are stored. */
  readonly bytes: number;
  /** Share of the whole, from 0 to 1; null: not known. */
  readonly share: number | null;
}

/** Counts over all parts. @param expected entries of the whole; 0: not known */
export function createProgress(expected: number, onProgress: (soFar: BackupProgress) => void) {
  const ofPart = new Map<string, number>();
  let all = 0;
  let bytes = 0;
  const tell = (part: string) => {
    const share = expected === 0 ? null : Math.min(1, all / expected);
    onProgress({ part, entries: ofPart.get(part) ?? 0, bytes, share });
  };
  return {
    entries(part: string, count: number): void {
      all += count;
      ofPart.set(part, (ofPart.get(part) ?? 0) + count);
    },
    bytes(part: string, count: number): void {
      bytes += count;
      tell(part);
    },
    /** @returns entries of the part */
    ended(part: string): number {
      tell(part);
      return ofPart.get(part) ?? 0;
    },
  };
}

/** Counts pieces that are verified, each by the call with its bytes as they are stored. */
export function verifying(
  pieces: readonly BackupPiece[],
  onProgress: (soFar: BackupProgress) => void,
): (count: number) => void {
  const whole = pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  let bytes = 0;
  let entries = 0;
  return (count) => {
    bytes += count;
    entries += 1;
    onProgress({ part: 'verifying', entries, bytes, share: bytes / whole });
  };
}

/** Passes a content on and counts its bytes. */
export async function* measured(
  content: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    onBytes(piece.length);
    yield piece;
  }
}

/** Passes rows of a table on and counts them by their ends. */
export async function* counting(
  rows: AsyncIterable<Uint8Array>,
  onRows: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of rows) {
    let count = 0;
    for (let at = piece.indexOf(0x0a); at !== -1; at = piece.indexOf(0x0a, at + 1)) count += 1;
    onRows(count);
    yield piece;
  }
}
