import { beyondBound } from '../shared/bounds.ts';
import { Refusal } from '../shared/refusal.ts';

/** Longest organization name in a certificate (RFC 5280, ub-organization-name). */
const MAX_LENGTH = 64;

/**
 * Characters allowed by ICAO Doc 9303-3 §4: the 26 letters, digits, and few marks; here also `&` and `.` of company
 * names.
 */
const ICAO_NAME = /^[A-Z0-9](?:[A-Z0-9 '&.,-]*[A-Z0-9.])?$/;

/**
 * Normalizes a Latin name: upper case, single spaces.
 *
 * @param pointer of the field, for the refusal
 * @throws Refusal INVALID_REQUEST for letters outside ICAO's, or when it is too long
 */
export function canonicalLatinName(text: string, pointer = '/nameLatin'): string {
  const name = text.trim().replaceAll(/ +/g, ' ').toUpperCase();
  if (name.length <= MAX_LENGTH && ICAO_NAME.test(name)) return name;
  const detail =
    name.length > MAX_LENGTH
      ? beyondBound({ atMost: MAX_LENGTH }, name.length, 'characters')
      : "Latin letters A to Z, digits, spaces and ' & . , - only, beginning with a letter or digit (ICAO Doc 9303).";
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer, detail }] });
}
