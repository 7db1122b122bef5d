import { z } from 'zod';
import type { Clock } from '../../application/ports/clock.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

/** What reads that can show the past take in their query: an RFC 3339 time. */
export const asOfQuery = { asOf: z.iso.datetime({ offset: true }).optional() };

/**
 * The moment a view is asked for; null: now.
 *
 * @throws Refusal INVALID_REQUEST for a moment that has not come yet
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
