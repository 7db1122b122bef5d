/** Longest serialNumber in a certificate (X.520, ub-serial-number). */
const MAX_LENGTH = 64;

/** ICAO Doc 9303-3 §6 B with Mongolian letters; the soft sign has no transliteration. */
const latin: Readonly<Record<string, string>> = {
  А: 'A',
  Б: 'B',
  В: 'V',
  Г: 'G',
  Д: 'D',
  Е: 'E',
  Ё: 'E',
  Ж: 'ZH',
  З: 'Z',
  И: 'I',
  Й: 'I',
  К: 'K',
  Л: 'L',
  М: 'M',
  Н: 'N',
  О: 'O',
  Ө: 'O',
  П: 'P',
  Р: 'R',
  С: 'S',
  Т: 'T',
  У: 'U',
  Ү: 'U',
  Ф: 'F',
  Х: 'KH',
  Ц: 'TS',
  Ч: 'CH',
  Ш: 'SH',
  Щ: 'SHCH',
  Ъ: 'IE',
  Ы: 'Y',
  Ь: '',
  Э: 'E',
  Ю: 'IU',
  Я: 'IA',
};

const KEPT = /^[A-Z0-9]$/;

/**
 * Transliterates a registration number to the alphabet of a certificate's serialNumber (PrintableString), as passports
 * do. Several numbers may become equal; the organizationIdentifier keeps the original.
 *
 * @param register normalized, upper case
 * @returns null for letters without transliteration, and when it gets too long
 */
export function latinRegister(register: string): string | null {
  let written = '';
  for (const letter of register) {
    const replaced = KEPT.test(letter) ? letter : latin[letter];
    if (replaced === undefined) return null;
    written += replaced;
  }
  return written.length > 0 && written.length <= MAX_LENGTH ? written : null;
}
