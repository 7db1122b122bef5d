import { z } from 'zod';

/** Rows of one answer at most. */
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** Which part of a list is asked for. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** What lists of the operator API take in their query, beside their filters. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  offset: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
};

/** The query of lists that are searched by text and by whether their things are active. */
export const activeListQuery = z.object({
  ...pageQuery,
  q: z.string().max(200).default(''),
  active: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
});

/** A part of a list and how long the whole is. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** Only of lists that may be too long to be counted at once. */
  readonly isTotalExact?: boolean;
}

/** The answer of every list: `{items, total, limit, offset}`, of long ones also whether `total` is exact. */
export function listAnswer<Item>(
  { items, total, isTotalExact }: Listing<Item>,
  { limit, offset }: Page,
): { readonly body: object } {
  const exact = isTotalExact === undefined ? {} : { totalIsExact: isTotalExact };
  return { body: { items, total, ...exact, limit, offset } };
}

/** What {@link listAnswer} answers, as a schema. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
  });
}

/** As {@link listOf}, of lists that may be too long to be counted at once. */
export function longListOf<Item extends z.ZodType>(item: Item) {
  return listOf(item).extend({ totalIsExact: z.boolean() });
}
