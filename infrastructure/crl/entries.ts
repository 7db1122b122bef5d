import type {
  RevocationState,
  RevokedCertificate,
} from '../../application/certificate/ports/revocationLists.ts';
import { MAX_ENTRY_BYTES, writeEntry } from './encodeEntry.ts';

/** Concatenated entries, encoded as in the list. */
interface Run {
  bytes: Buffer;
  length: number;
  count: number;
}

/** The entries of one issuer's list. */
export interface Entries {
  load(state: RevocationState): void;
  apply(state: RevocationState): void;
  dropEndedBefore(time: Date): void;
  readonly size: number;
  /** All entries; later changes do not affect the result. */
  runs(): readonly Buffer[];
}

const FIRST_RUN_BYTES = 4 * 1024;

/**
 * Stores entries encoded: final ones in one run per day on which their certificates expire, so that expired ones are
 * dropped by run; certificates on hold one by one, because the hold may be released.
 */
export function createEntries(): Entries {
  const final = new Map<string, Run>();
  const held = new Map<string, RevokedCertificate>();
  /** Serials that became final since loading; those final at loading are not announced again. */
  const known = new Set<string>();

  function append(entry: RevokedCertificate): void {
    const day = dayOf(entry.notAfter);
    let run = final.get(day);
    if (run === undefined) {
      run = { bytes: Buffer.allocUnsafeSlow(FIRST_RUN_BYTES), length: 0, count: 0 };
      final.set(day, run);
    }
    if (run.bytes.length - run.length < MAX_ENTRY_BYTES) {
      const larger = Buffer.allocUnsafeSlow(run.bytes.length * 2);
      run.bytes.copy(larger, 0, 0, run.length);
      run.bytes = larger;
    }
    run.length = writeEntry(run.bytes, run.length, entry);
    run.count += 1;
  }

  function load(state: RevocationState): void {
    if (state.state === 'held') held.set(state.serial, state);
    if (state.state === 'revoked') append(state);
  }

  return {
    load,
    apply(state) {
      const { serial } = state;
      if (known.has(serial)) return;
      held.delete(serial);
      load(state);
      if (state.state === 'revoked') known.add(serial);
    },
    dropEndedBefore(time) {
      const day = dayOf(time.toISOString());
      for (const ended of final.keys()) if (ended < day) final.delete(ended);
      for (const [serial, { notAfter }] of held) if (dayOf(notAfter) < day) held.delete(serial);
    },
    get size() {
      let size = held.size;
      for (const { count } of final.values()) size += count;
      return size;
    },
    runs() {
      const heldBytes = Buffer.allocUnsafe(held.size * MAX_ENTRY_BYTES);
      let length = 0;
      for (const entry of held.values()) length = writeEntry(heldBytes, length, entry);
      const finished = [...final.values()].map((run) => run.bytes.subarray(0, run.length));
      return [...finished, heldBytes.subarray(0, length)];
    },
  };
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
