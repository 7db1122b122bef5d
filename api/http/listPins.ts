import { z } from 'zod';
import type { ListPin } from '../../application/ports/listPin.ts';
import { isStorable } from './body.ts';

/** Reads a pin of {@link pinOf}. */
export const rowPin = z
  .string()
  .max(400)
  .transform((text, context): ListPin => {
    const [time = '', key = ''] = Buffer.from(text, 'base64url').toString('utf8').split('\n');
    if (!/^[0-9-]+ [0-9:.]+\+\d{2}$/.test(time) || key === '' || !isStorable(key)) {
      context.addIssue({ code: 'custom', message: 'Send the pin of the first page as it came.' });
      return z.NEVER;
    }
    return { time, key };
  })
  .optional();

/** Writes the pin of a list for its further pages. */
export function pinOf(pin: ListPin | null): string | null {
  return pin === null ? null : Buffer.from(`${pin.time}\n${pin.key}`).toString('base64url');
}

/** Schema of a pin in responses. */
export const listPin = z
  .string()
  .nullable()
  .meta({ description: 'To send with further pages: rows added since are not on them' });
