import type { NoticeEvent } from '../../domain/notice/events.ts';
import { type Notice, type NoticeCommand, noticeDecider } from '../../domain/notice/notice.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The notice aggregate bound to its store. */
export type Notices = Aggregate<Notice, NoticeCommand, NoticeEvent>;

export function createNotices(dependencies: AggregateDependencies<Notice>): Notices {
  return createAggregate('notice', noticeDecider, dependencies);
}
