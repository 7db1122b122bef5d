import { derValue } from '../../pki/kernel/der.ts';

/** Holder's data in a passport; dates are `YYMMDD`, names as in the zone. */
export interface PassportPage {
  readonly state?: string;
  readonly surname: string;
  readonly givenName: string;
  readonly documentNumber?: string;
  readonly birthDate: string;
  readonly sex: 'M' | 'F' | '<';
  readonly expiryDate?: string;
  readonly personalNumber?: string;
}

/** The machine-readable zone of a passport (Doc 9303-4 §4.2.2). */
export function passportZone(page: PassportPage): string {
  const { state = 'MNG', documentNumber = 'E1234567', expiryDate = '350101' } = page;
  const field = (text: string, length: number) => text.padEnd(length, '<');
  const withDigit = (text: string) => text + checkDigit(text);
  const name = `${page.surname}<<${page.givenName}`.replaceAll(/[ -]/g, '<');
  const number = withDigit(field(documentNumber, 9));
  const dates = [withDigit(page.birthDate), withDigit(expiryDate)] as const;
  const personal = withDigit(field(page.personalNumber ?? '', 14));
  const composite = checkDigit(number + dates.join('') + personal);
  const data = number + field(state, 3) + dates[0] + page.sex + dates[1] + personal + composite;
  return `P<${field(state, 3)}${field(name, 39)}\n${data}`;
}

/** Weights 7, 3, 1 (Doc 9303-3 §4.9). */
function checkDigit(text: string): string {
  const sum = Array.from(text).reduce(
    (total, character, index) =>
      total + (character === '<' ? 0 : parseInt(character, 36)) * ([7, 3, 1][index % 3] ?? 0),
    0,
  );
  return String(sum % 10);
}

/** EF.DG1 of that zone, with or without line breaks. */
export function dataGroup1(zone: string): Buffer {
  const text = Buffer.from(zone.replaceAll('\n', ''), 'latin1');
  return derValue(0x61, Buffer.from([0x5f]), derValue(0x1f, text));
}
