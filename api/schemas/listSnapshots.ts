import { z } from 'zod';
import {
  type ListSnapshot,
  type RowPlace,
  snapshotBehind,
} from '../../application/ports/listSnapshot.ts';
import { isStorable } from '../http/body.ts';

/** Reads a snapshot of {@link snapshotText}. */
export const rowSnapshot = z
  .string()
  .max(400)
  .transform((text, context): ListSnapshot => {
    const lines = Buffer.from(text, 'base64url').toString('utf8').split('\n');
    const [time, key, rows = '0', ...shown] = lines;
    const newest = placeOf(time, key);
    const last = placeOf(...shown);
    const isWhole = lines.length === 2 || (lines.length === 5 && last !== undefined);
    const snapshot = newest && snapshotBehind(newest, Number(rows), last);
    if (!snapshot || !isWhole || !/^\d{1,10}$/.test(rows)) {
      context.addIssue({
        code: 'custom',
        message: 'Send the snapshot of the page before as it came.',
      });
      return z.NEVER;
    }
    return snapshot;
  })
  .optional();

/** RFC 3339; the database writes a blank for the T, and no minutes of the offset. */
const dateTime = z.iso.datetime({ offset: true });

function placeOf(time = '', key = ''): RowPlace | undefined {
  const isTime = dateTime.safeParse(`${time.replace(' ', 'T')}:00`).success;
  return isTime && key !== '' && isStorable(key) ? { time, key } : undefined;
}

/** Writes the snapshot of a list for its further pages. */
export function snapshotText(snapshot: ListSnapshot | null): string | null {
  if (snapshot === null) return null;
  const { time, key, shown } = snapshot;
  const lines = shown === undefined ? [] : [shown.rows, shown.time, shown.key];
  return Buffer.from([time, key, ...lines].join('\n')).toString('base64url');
}

/** Schema of a snapshot in responses. */
export const listSnapshot = z.string().nullable().meta({
  description:
    'To send with the next page, which goes on behind this one whatever is added or leaves meanwhile',
});
