import type { NoticeGiven } from '../../../domain/notice/events.ts';

/** Query of the notices a phone shows. */
export interface NoticeViews {
  /** Those for one phone that were given after `since`, the newest first. */
  noticesFor(documentNumber: string, since: Date): Promise<readonly NoticeGiven['data'][]>;
}
