/** Capital letters of other scripts that look like a Latin one. */
const lookalikes: Readonly<Record<string, string>> = {
  ...{ А: 'A', В: 'B', Е: 'E', Ё: 'E', К: 'K', М: 'M', Н: 'H', О: 'O', Р: 'P', С: 'C', Т: 'T' },
  ...{ У: 'Y', Ү: 'Y', Х: 'X', І: 'I', Ј: 'J', Ѕ: 'S' },
  ...{ Α: 'A', Β: 'B', Ε: 'E', Ζ: 'Z', Η: 'H', Ι: 'I', Κ: 'K', Μ: 'M', Ν: 'N', Ο: 'O', Ρ: 'P' },
  ...{ Τ: 'T', Υ: 'Y', Χ: 'X' },
};

/**
 * Form of a name that is equal for names which look the same: compatible letters (NFKC), without case, lookalikes of
 * other scripts as Latin, single spaces, no dots or spaces at the ends.
 */
export function foldedName(name: string): string {
  const capitals = name.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC');
  return Array.from(capitals, (letter) => lookalikes[letter] ?? letter)
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
    ? 'Words are separated by one space (U+0020) each, and none is at the ends.'
    : null;
}
