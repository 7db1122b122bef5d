/** Capital letters of other scripts, and at the same place below, the Latin ones they look like. */
const others = 'АВЕЁКМНОРСТУҮХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ';
const latin = 'ABEEKMHOPCTYYXIJSABEZHIKMNOPTYX';

/**
 * Form of a name that is equal for names which look the same: compatible letters (NFKC), without case, lookalikes of
 * other scripts as Latin, single spaces, no dots or spaces at the ends.
 */
export function foldedName(name: string): string {
  const capitals = name.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC');
  return Array.from(capitals, (letter) => latin[others.indexOf(letter)] ?? letter)
    .join('')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^ | ?[.\s]*$/gu, '');
}

/**
 * Checks the white space of a name.
 *
 * @returns the fault, for the sender of the name; null: none
 */
export function faultOfSpaces(name: string): string | null {
  return /[^\S ]| {2}|^ | $/u.test(name)
    ? 'Must have one space (U+0020) between words and none at the ends.'
    : null;
}
