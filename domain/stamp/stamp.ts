import type { Decider } from '../shared/decider.ts';
import type { DocumentStamped, StampEvent } from './events.ts';

// State

export type Stamp =
  | { readonly status: 'NONE' }
  | { readonly status: 'STAMPED'; readonly stamped: DocumentStamped['data'] };

// Commands

export interface StampCommand {
  readonly type: 'RecordStamped';
  readonly stamped: DocumentStamped['data'];
}

/**
 * Stamp of one session's document: recorded once, even if repeated. Stream `stamp-<session uuid>`; for a prepared
 * document also `stamp-<its id>`, which its validation page names.
 */
export const stampDecider: Decider<Stamp, StampCommand, StampEvent> = {
  initial: { status: 'NONE' },
  evolve: (_, event) => ({ status: 'STAMPED', stamped: event.data }),
  decide: ({ stamped }, stamp) =>
    stamp.status === 'NONE' ? [{ type: 'DocumentStamped', data: stamped }] : [],
};
