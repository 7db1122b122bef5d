const ELLIPSIS = '…';

const graphemes = new Intl.Segmenter('mn', { granularity: 'grapheme' });

/**
 * Tag of a template whose names are shortened in the middle until the text fits; its words stay, and of each name the
 * beginning and the end. Long names lose first, so that the short ones beside them stay whole.
 *
 * @param limit Unicode code points
 */
export function shortenedTo(
  limit: number,
): (words: TemplateStringsArray, ...names: readonly string[]) => string {
  return (words, ...names) => {
    const room = limit - words.reduce((sum, each) => sum + lengthOf(each), 0);
    const share = shareOf(names.map(lengthOf), room);
    return words.reduce(
      (text, word, index) => text + shortened(names[index - 1] ?? '', share) + word,
    );
  };
}

/** Code points each name may have, so that all together have at most `room`. */
function shareOf(lengths: readonly number[], room: number): number {
  let left = room;
  const sorted = [...lengths].sort((one, other) => one - other);
  for (const [index, length] of sorted.entries()) {
    const share = Math.max(1, Math.floor(left / (sorted.length - index)));
    if (length > share) return share;
    left -= length;
  }
  return room;
}

/** Shortens in the middle, between graphemes. @param limit code points, the ellipsis included */
export function shortened(text: string, limit: number): string {
  if (lengthOf(text) <= limit) return text;
  const parts = Array.from(graphemes.segment(text), ({ segment }) => segment);
  const room = limit - 1;
  const head = taken(parts, Math.ceil(room / 2));
  const tail = taken(parts.reverse(), Math.floor(room / 2)).reverse();
  return [...head, ELLIPSIS, ...tail].join('');
}

function taken(parts: readonly string[], room: number): string[] {
  let left = room;
  const end = parts.findIndex((part) => (left -= lengthOf(part)) < 0);
  return parts.slice(0, end === -1 ? parts.length : end);
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
