import type { EncodedEvent } from '../../application/ports/eventLog.ts';

/** Channel on which a writer announces the streams of its commit, in its transaction and before its position. */
export const announcementChannel = 'tamga_event_streams';

/** PostgreSQL's limit for a payload is below 8000 bytes. */
const PAYLOAD_BYTES = 7900;

/** Announced instead of more streams than a payload holds. */
const TOO_MANY = '*';

/** A commit of another process: events after `previous`, up to `last`, all of these streams. */
export interface AnnouncedCommit {
  readonly previous: bigint;
  readonly last: bigint;
  readonly streams: readonly string[];
  /** Id of the event at `last`. */
  readonly id: string;
}

/** Text for {@link announcementChannel}: the number of events, the id of the last one, their streams. */
export function announce(
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

/** Joins each notification of a position with the announcement before it. */
export interface CommitAnnouncements {
  announced(processId: number, text: string): void;
  /** @returns null when the commit is known by its position alone */
  reached(processId: number, position: bigint): AnnouncedCommit | null;
}

/**
 * Joins the notifications of one connection. An announcement is used only when its commit follows the previous one
 * without a gap and stored every announced event: one of an earlier release, or with an append refused by its revision,
 * does not.
 */
export function createCommitAnnouncements(): CommitAnnouncements {
  let newest: bigint | null = null;
  let pending: { readonly processId: number; readonly text: string } | null = null;

  return {
    announced(processId, text) {
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
