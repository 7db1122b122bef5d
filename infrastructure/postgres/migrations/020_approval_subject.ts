import { expand } from './statements.ts';

/** Requests for approval by what they are about: the list of those about one thing, and names to be registered. */
export const approvalSubject = expand([
  `create index approval_view_subject on approval_view (subject)`,
]);
