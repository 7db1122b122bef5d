/** Claims read from an authorization server's response. */
export const readClaims = [
  'registrationNumber',
  'civilId',
  'givenName',
  'surname',
  'familyName',
  'birthDate',
] as const;

/** Letters of a claim. */
const LONGEST_CLAIM = 500;

export type ReadClaim = (typeof readClaims)[number];

/** JSON pointers (RFC 6901) to each claim in the response. */
export type ClaimPointers = Readonly<Partial<Record<ReadClaim, string>>>;

/** Texts at the pointers; null when one is missing. */
export function claimsAt(
  answer: unknown,
  pointers: ClaimPointers,
): Readonly<Partial<Record<ReadClaim, string>>> | null {
  const found: Partial<Record<ReadClaim, string>> = {};
  for (const claim of readClaims) {
    const pointer = pointers[claim];
    if (pointer === undefined) continue;
    const value = valueAt(answer, pointer);
    if (typeof value !== 'string' || value.trim() === '' || value.length > LONGEST_CLAIM)
      return null;
    found[claim] = value.trim();
  }
  return found;
}

function valueAt(answer: unknown, pointer: string): unknown {
  let value = answer;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
