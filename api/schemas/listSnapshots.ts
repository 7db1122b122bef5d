import { z } from 'zod';
import {
  type ListSnapshot,
  type ListSort,
  type RowPlace,
  type ShownRow,
  snapshotBehind,
} from '../../application/ports/listSnapshot.ts';
import { isStorable } from '../http/body.ts';

/** Reads a snapshot of {@link snapshotText}. */
export const rowSnapshot = z
  .string()
  // The value of a sorted column is in it, such as a name.
  .max(2000)
  .transform((text, context): ListSnapshot => {
    const lines = Buffer.from(text, 'base64url').toString('utf8').split('\n');
    const [time, key, rows = '0', value, lastKey, order] = lines;
    const newest = placeOf(time, key);
    const sort = order === undefined ? undefined : sortOf(order);
    const last = sort === undefined ? placeOf(value, lastKey) : sortedPlaceOf(value, lastKey);
    const isWhole = lines.length === 2 || ([5, 6].includes(lines.length) && last !== undefined);
    const snapshot = newest && snapshotBehind(newest, Number(rows), last, sort);
    if (!snapshot || !isWhole || !/^\d{1,10}$/.test(rows)) {
      context.addIssue({
        code: 'custom',
        message: 'Send the snapshot exactly as the previous page returned it.',
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

/** Place in a list that is sorted: the value as JSON, in which a line does not end. */
function sortedPlaceOf(value = '', key = ''): RowPlace | undefined {
  const text = jsonText.safeParse(value).data;
  if (text === undefined || key === '') return undefined;
  return isStorable(text) && isStorable(key) ? { time: text, key } : undefined;
}

const jsonText = z.string().transform((text, context): string => {
  try {
    return z.string().parse(JSON.parse(text));
  } catch {
    context.addIssue('Not JSON');
    return z.NEVER;
  }
});

/** Reads an order: a name, behind a minus the other way around. */
export function sortOf(text: string): ListSort {
  return { by: text.replace(/^-/, ''), isDescending: text.startsWith('-') };
}

function sortText({ by, isDescending }: ListSort): string {
  return isDescending ? `-${by}` : by;
}

/** Writes the snapshot of a list for its further pages. */
export function snapshotText(snapshot: ListSnapshot | null): string | null {
  if (snapshot === null) return null;
  const { time, key, shown } = snapshot;
  const lines = shown === undefined ? [] : linesOf(shown);
  return Buffer.from([time, key, ...lines].join('\n')).toString('base64url');
}

function linesOf({ rows, time, key, sort }: ShownRow): readonly (string | number)[] {
  return sort === undefined ? [rows, time, key] : [rows, JSON.stringify(time), key, sortText(sort)];
}

/** Schema of a snapshot in responses. */
export const listSnapshot = z.string().nullable().meta({
  description:
    'Send it with the request for the next page, so that entries added or removed meanwhile do not shift the pages',
});
