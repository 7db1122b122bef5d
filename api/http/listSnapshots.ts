import { z } from 'zod';
import type { ListSnapshot } from '../../application/ports/listSnapshot.ts';
import { isStorable } from './body.ts';

/** Reads a snapshot of {@link snapshotText}. */
export const rowSnapshot = z
  .string()
  .max(400)
  .transform((text, context): ListSnapshot => {
    const [time = '', key = ''] = Buffer.from(text, 'base64url').toString('utf8').split('\n');
    if (!/^[0-9-]+ [0-9:.]+\+\d{2}$/.test(time) || key === '' || !isStorable(key)) {
      context.addIssue({
        code: 'custom',
        message: 'Send the snapshot of the first page as it came.',
      });
      return z.NEVER;
    }
    return { time, key };
  })
  .optional();

/** Writes the snapshot of a list for its further pages. */
export function snapshotText(snapshot: ListSnapshot | null): string | null {
  return snapshot === null
    ? null
    : Buffer.from(`${snapshot.time}\n${snapshot.key}`).toString('base64url');
}

/** Schema of a snapshot in responses. */
export const listSnapshot = z
  .string()
  .nullable()
  .meta({ description: 'To send with further pages: rows added since are not on them' });
