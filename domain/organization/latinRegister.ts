/** Longest serialNumber in a certificate (X.520, ub-serial-number). */
const MAX_LENGTH = 64;

/** ICAO Doc 9303-3 §6 B, Mongolian letters among them; the soft sign has no letter there. */
const latin: Readonly<Record<string, string>> = {
  ...{ А: 'A', Б: 'B', В: 'V', Г: 'G', Д: 'D', Е: 'E', Ё: 'E', Ж: 'ZH', З: 'Z', И: 'I', Й: 'I' },
  ...{ К: 'K', Л: 'L', М: 'M', Н: 'N', О: 'O', Ө: 'O', П: 'P', Р: 'R', С: 'S', Т: 'T', У: 'U' },
  ...{ Ү: 'U', Ф: 'F', Х: 'KH', Ц: 'TS', Ч: 'CH', Ш: 'SH', Щ: 'SHCH', Ъ: 'IE', Ы: 'Y', Ь: '' },
  ...{ Э: 'E', Ю: 'IU', Я: 'IA' },
};

const KEPT = /^[A-Z0-9]$/;

/**
 * A registration number in the letters a certificate's serialNumber may have (PrintableString): Cyrillic as passports
 * transliterate it. Several numbers may come out alike; the organizationIdentifier beside it keeps the number as it is.
 *
 * @param register as kept, upper case
 * @returns null for letters no table tells, and when it gets too long
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
