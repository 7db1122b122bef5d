import { z } from 'zod';
import type { Clock } from '../../application/ports/clock.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

/** Query parameter of reads that support past states: an RFC 3339 time. */
export const asOfQuery = { asOf: z.iso.datetime({ offset: true }).optional() };

/**
 * Time a view is requested for; null: now.
 *
 * @throws Refusal INVALID_REQUEST for a time in the future
 */
export function momentOf({ asOf }: { readonly asOf?: string | undefined }, clock: Clock) {
  if (asOf === undefined) return null;
  const moment = new Date(asOf);
  if (moment > clock.now()) {
    const detail = 'This time has not come yet.';
    throw new Refusal('INVALID_REQUEST', {
      detail,
      errors: [{ pointer: '#/query/asOf', detail }],
    });
  }
  return moment;
}
