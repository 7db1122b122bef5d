import type { PinName } from '../../session.ts';

/** Number of digits of each PIN. */
export const pinLength: Readonly<Record<PinName, number>> = { PIN1: 4, PIN2: 5 };

/** Reasons to refuse a weak PIN. */
export type WeakPin = 'repeated' | 'sequence' | 'birthDate' | 'alike';

/**
 * Weakness of a PIN that attackers try first; null: none. Weak are one digit (or two in turn)
 * repeated, ascending or descending digits, parts of the birth date, and PIN1 within PIN2.
 *
 * @param birthDate `YYYY-MM-DD`
 * @param other the other PIN, when it is chosen already
 */
export function weaknessOf(
  pin: string,
  { birthDate, other = '' }: { readonly birthDate: string; readonly other?: string },
): WeakPin | null {
  const digits = Array.from(pin, Number);
  const repeats = (period: number) =>
    digits.every((digit, index) => digit === digits[index % period]);
  if (repeats(1) || repeats(2)) return 'repeated';
  const runs = (step: number) =>
    digits.every(
      (digit, index) => index === 0 || digit === (Number(pin[index - 1]) + step + 10) % 10,
    );
  if (runs(1) || runs(-1)) return 'sequence';
  if (partsOf(birthDate).some((part) => pin.includes(part))) return 'birthDate';
  return other !== '' && pin.includes(other) ? 'alike' : null;
}

/** Four-digit parts of the birth date, as printed on the card. */
function partsOf(birthDate: string): readonly string[] {
  const [year = '', month = '', day = ''] = birthDate.split('-');
  if (year.length !== 4) return [];
  return [year, `${month}${day}`, `${day}${month}`, `${year.slice(2)}${month}`];
}
