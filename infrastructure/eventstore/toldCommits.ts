import type { EncodedEvent } from '../../application/ports/eventLog.ts';

/** Channel on which a writer tells what its commit is about, in its transaction and before its position. */
export const toldChannel = 'tamga_event_streams';

/** PostgreSQL's limit for a payload is below 8000 bytes. */
const PAYLOAD_BYTES = 7900;

/** Told instead of more streams than a payload holds. */
const TOO_MANY = '*';

/** A commit of another process: events after `previous`, up to `last`, all of these streams. */
export interface ToldCommit {
  readonly previous: bigint;
  readonly last: bigint;
  readonly streams: readonly string[];
  /** Id of the event at `last`. */
  readonly id: string;
}

/** Text for {@link toldChannel}: the number of events, the id of the last one, their streams. */
export function tell(
  appends: readonly { readonly stream: string; readonly events: readonly EncodedEvent[] }[],
): string {
  let count = 0;
  let id = '';
  for (const { events } of appends) {
    count += events.length;
    id = events.at(-1)?.id ?? id;
  }
  const streams = new Set(appends.map(({ stream }) => stream));
  const text = [String(count), id, ...streams].join('\n');
  // A name with a line break would be read as two.
  const isFaithful = text.split('\n').length === streams.size + 2;
  return isFaithful && Buffer.byteLength(text) <= PAYLOAD_BYTES ? text : TOO_MANY;
}

/** Puts notifications of positions, and what was told before each, together to commits. */
export interface ToldCommits {
  told(processId: number, text: string): void;
  /** @returns null when the commit is known by its position alone */
  reached(processId: number, position: bigint): ToldCommit | null;
}

/**
 * Reads what one connection is notified of. A commit counts as told only when it joins the one before without a gap and
 * stored every event that was told: one of a former release, or with an append refused by its revision, does not.
 */
export function createToldCommits(): ToldCommits {
  let newest: bigint | null = null;
  let pending: { readonly processId: number; readonly text: string } | null = null;

  return {
    told(processId, text) {
      pending = { processId, text };
    },
    reached(processId, position) {
      const previous = newest;
      const text = pending?.processId === processId ? pending.text : TOO_MANY;
      newest = position;
      pending = null;
      if (previous === null || text === TOO_MANY) return null;
      const [count = '', id = '', ...streams] = text.split('\n');
      if (position - previous !== BigInt(count)) return null;
      return { previous, last: position, streams, id };
    },
  };
}
