/**
 * Transliterations of each Cyrillic letter: ICAO Doc 9303-3 §6 table B, and the older ones of passports still in force.
 */
const latinForms: Readonly<Record<string, readonly string[]>> = {
  а: ['A'],
  б: ['B'],
  в: ['V', 'W'],
  г: ['G'],
  д: ['D'],
  е: ['E', 'YE', 'IE'],
  ё: ['E', 'YO', 'IO'],
  ж: ['J', 'ZH'],
  з: ['Z'],
  и: ['I'],
  й: ['I', 'Y'],
  к: ['K'],
  л: ['L'],
  м: ['M'],
  н: ['N'],
  о: ['O'],
  ө: ['O', 'U', 'OE'],
  п: ['P'],
  р: ['R'],
  с: ['S'],
  т: ['T'],
  у: ['U'],
  ү: ['U', 'UE'],
  ф: ['F'],
  х: ['H', 'KH'],
  ц: ['C', 'TS'],
  ч: ['CH'],
  ш: ['SH'],
  щ: ['SHCH'],
  ы: ['Y'],
  э: ['E'],
  ю: ['YU', 'IU'],
  я: ['YA', 'IA'],
};

const CYRILLIC_NUMBER = /^[а-яёөү]{2}\d{8}$/;
const LATIN_NUMBER = /^(?<letters>[A-Z]{2,8})(?<digits>\d{8})$/;

/**
 * Candidate registration numbers for a travel document's personal number, in lower case: the number itself, or its
 * transliterations. Empty when malformed.
 */
export function registrationNumbers(personalNumber: string): readonly string[] {
  const text = personalNumber.normalize('NFC').trim();
  if (CYRILLIC_NUMBER.test(text.toLowerCase())) return [text.toLowerCase()];
  const { letters, digits } = LATIN_NUMBER.exec(text.toUpperCase())?.groups ?? {};
  if (letters === undefined || digits === undefined) return [];
  return Array.from({ length: letters.length - 1 }, (_, index) => index + 1).flatMap((split) =>
    lettersFor(letters.slice(0, split)).flatMap((first) =>
      lettersFor(letters.slice(split)).map((second) => `${first}${second}${digits}`),
    ),
  );
}

function lettersFor(latin: string): readonly string[] {
  return Object.keys(latinForms).filter((letter) => latinForms[letter]?.includes(latin));
}

/**
 * Compares a name in a machine-readable zone with the register's, in any transliteration. Coarse on purpose: birth date
 * and personal number are compared too, and the State signed all of it.
 *
 * @param isCut the zone may be truncated (Doc 9303-3 §4.6)
 */
export function isSameName(inZone: string, inRegister: string, isCut = false): boolean {
  const known = sound(inRegister);
  if (!isCut) return sound(inZone) === known;
  // The last letter may be half of a digraph.
  return inZone.length > 1 && known.startsWith(sound(inZone.slice(0, -1)));
}

/** Spelling variants with their canonical form; applied in this order. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/SHCH/g, 'SH'],
  [/KH/g, 'H'],
  [/ZH/g, 'J'],
  [/TS|CH/g, 'C'],
  [/[YI](?=[AEOU])/g, ''],
  [/[OU]E|O/g, 'U'],
  [/Y/g, 'I'],
  [/W/g, 'V'],
  [/(.)\1+/g, '$1'],
];

function sound(name: string): string {
  const letters = name
    .normalize('NFD')
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '');
  return spellings.reduce((text, [from, to]) => text.replaceAll(from, to), letters);
}
