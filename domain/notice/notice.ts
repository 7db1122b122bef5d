import type { Decider } from '../shared/decider.ts';
import type { NoticeEvent, NoticeGiven } from './events.ts';

// State

export type Notice =
  { readonly status: 'NONE' } | { readonly status: 'GIVEN'; readonly given: NoticeGiven['data'] };

// Commands

export interface NoticeCommand {
  readonly type: 'GiveNotice';
  readonly given: NoticeGiven['data'];
}

/** A notice to a citizen: given once, even if repeated. Stream `notice-<uuid>`. */
export const noticeDecider: Decider<Notice, NoticeCommand, NoticeEvent> = {
  initial: { status: 'NONE' },
  evolve: (_, event) => ({ status: 'GIVEN', given: event.data }),
  decide: ({ given }, notice) =>
    notice.status === 'NONE' ? [{ type: 'NoticeGiven', data: given }] : [],
};
