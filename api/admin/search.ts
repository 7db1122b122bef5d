import { z } from 'zod';

/** Longest search text, characters. */
const MAX_SEARCH = 200;

/** Filter of a list; null when absent or empty. */
export function emptyIsNull<Value extends z.ZodType>(value: Value) {
  return z
    .preprocess((given) => (given === '' ? undefined : given), value.optional())
    .optional()
    .transform((given) => given ?? null);
}

/** Search text of a list; null: no filter. */
export const searchText = z
  .string()
  .trim()
  .max(MAX_SEARCH)
  .optional()
  .transform((text) => (text === undefined || text === '' ? null : text));
