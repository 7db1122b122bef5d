import { type RawBuilder, sql } from 'kysely';
import type { SortColumn } from './snapshots.ts';

/** The Mongolian alphabet (MNS 5217); the locale of the database may know no Cyrillic. */
const CYRILLIC = 'абвгдеёжзийклмноөпрстуүфхцчшщъыьэюя';
const LATIN = 'abcdefghijklmnopqrstuvwxyz';
/** First code point for private use: letters take those from it on, in the order of the alphabet. */
const FIRST = 0xe000;

const ordered = Array.from(CYRILLIC, (_, place) => String.fromCodePoint(FIRST + place)).join('');
const letters = CYRILLIC + LATIN;
const from = letters + letters.toUpperCase();
const to = (ordered + LATIN).repeat(2);

/** Names in the order of the Mongolian alphabet in any case, Latin before Cyrillic; the same text as that of its index. */
export function nameOrder(column: string): SortColumn {
  const value: RawBuilder<unknown> = sql.raw(
    `translate(${column}, '${from}', '${to}') collate "C"`,
  );
  return { value, type: 'text' };
}
