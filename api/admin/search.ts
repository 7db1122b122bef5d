import { z } from 'zod';

/** Characters of a search at most. */
const MAX_SEARCH = 200;

/** A filter of a list; null when it is missing or empty. */
export function emptyIsNull<Value extends z.ZodType>(value: Value) {
  return z
    .preprocess((given) => (given === '' ? undefined : given), value.optional())
    .optional()
    .transform((given) => given ?? null);
}

/** What a list is searched for; null: everything. */
export const searchText = z
  .string()
  .trim()
  .max(MAX_SEARCH)
  .optional()
  .transform((text) => (text === undefined || text === '' ? null : text));
