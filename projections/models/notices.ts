import { inboxTopic } from '../../domain/shared/streams.ts';
import { type NoticeGiven, noticeEvents } from '../../domain/notice/events.ts';
import { int8, jsonb, text, timestamptz } from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

const columns = {
  notice_id: text(),
  civil_id: text(),
  /** Document numbers of the phones told. */
  phones: jsonb<readonly string[]>(),
  given: jsonb<NoticeGiven['data']>(),
  given_at: timestamptz(),
  revision: int8(),
};

/** Notices to citizens, table `notice_view`. */
export const noticesReadModel = readModel({
  name: 'notices',
  table: 'notice_view',
  events: noticeEvents,
  key: 'notice_id',
  columns,
  shown: null,
  evolve: (_row, { data }, noticeId) => ({
    notice_id: noticeId,
    civil_id: data.civilId,
    phones: data.phones,
    given: data,
    given_at: data.givenAt,
    revision: 0n,
  }),
  topics: (row) => [inboxTopic(row.civil_id)],
});
