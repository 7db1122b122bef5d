import { z } from 'zod';
import type { HasSnapshot } from '../../application/ports/listSnapshot.ts';
import { listSnapshot, snapshotText, rowSnapshot, sortOf } from '../schemas/listSnapshots.ts';

/** Largest page. */
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** Requested page of a list. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Paging parameters of lists that are whole in memory, the oldest first: they grow at their end. */
export const wholePageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  offset: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
};

/**
 * Paging parameters of lists, the newest first. With `snapshot`, of the page before, a page goes on behind that one, and
 * rows added since the first are not on it.
 */
export const pageQuery = { ...wholePageQuery, snapshot: rowSnapshot };

/** Sort parameter of a list. @param sorts allow list of its columns, by their names in the API */
export function sortQuery(sorts: Readonly<Record<string, unknown>>) {
  const orders = Object.keys(sorts).flatMap((name) => [name, `-${name}`]);
  return {
    sort: z
      .enum(orders)
      .transform(sortOf)
      .optional()
      .meta({ description: 'Column to sort by; with a leading minus, in descending order' }),
  };
}

/** Query of lists with text search and an activity filter. */
export const activeListQuery = z.object({
  ...pageQuery,
  q: z.string().max(200).default(''),
  active: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
});

/** A page of a list and the length of the list. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** Set for lists too long to be counted on every request. */
  readonly isTotalExact?: boolean;
}

/** A page of a list that grows at its beginning. */
export type ListingWithSnapshot<Item> = Listing<Item> & HasSnapshot;

/** Response of a list with a snapshot: that of {@link listAnswer}, and `snapshot`. */
export function snapshotAnswer<Item>(listing: ListingWithSnapshot<Item>, page: Page) {
  return { body: { ...listAnswer(listing, page).body, snapshot: snapshotText(listing.snapshot) } };
}

/** Response of every list: `{items, total, limit, offset}`; of long ones also `isTotalExact`. */
export function listAnswer<Item>(
  { items, total, isTotalExact }: Listing<Item>,
  { limit, offset }: Page,
): { readonly body: object } {
  const exact = isTotalExact === undefined ? {} : { totalIsExact: isTotalExact };
  return { body: { items, total, ...exact, limit, offset } };
}

/** Schema of {@link listAnswer}. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
  });
}

/** Schema of {@link snapshotAnswer}. */
export function snapshotListOf<Item extends z.ZodType>(item: Item) {
  return listOf(item).extend({ snapshot: listSnapshot });
}

/** Schema of {@link snapshotAnswer} for lists too long to be counted on every request. */
export function longListOf<Item extends z.ZodType>(item: Item) {
  return snapshotListOf(item).extend({ totalIsExact: z.boolean() });
}
