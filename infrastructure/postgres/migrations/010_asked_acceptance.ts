import { expand } from './statements.ts';

/** The operator who asked another one to accept what was restored, and when; null: nobody did (ADR 57). */
export const askedAcceptance = expand([
  `alter table restored_backup add column asked_by text, add column asked_at timestamptz`,
]);
