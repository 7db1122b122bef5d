import { z } from '../../shared/zod.ts';
import { listSearch, textSearch } from '../../shared/useListSearch.ts';

/** Audit types of session events; the list shows one of them. */
export const sessionEvents = [
  'SESSION_START',
  'SESSION_CLAIM',
  'SESSION_CONFIRM',
  'SESSION_CERT_CHOICE',
  'SESSION_REFUSE',
  'SESSION_NOT_ME',
  'SESSION_FAIL',
  'SESSION_EXPIRE',
] as const;

export const search = listSearch({
  subject: textSearch,
  event: z.enum(sessionEvents).optional().catch(undefined),
});
