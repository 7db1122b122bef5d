import { expand } from './statements.ts';

/** Warnings of prepared documents apart from their content, which is as long as the PDF. */
export const preparedWarnings = expand([
  // Encrypted. Null: written by a release of before.
  `alter table prepared_document add column sealed_warnings text`,
]);
