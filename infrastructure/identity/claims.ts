/** What is read from an authorization server's answer about a person. */
export const readClaims = [
  'registrationNumber',
  'civilId',
  'givenName',
  'surname',
  'familyName',
  'birthDate',
] as const;

export type ReadClaim = (typeof readClaims)[number];

/** Where each claim stands in the answer, a JSON pointer (RFC 6901). */
export type ClaimPointers = Readonly<Partial<Record<ReadClaim, string>>>;

/** The texts the pointers lead to; null when one leads to none. */
export function claimsAt(
  answer: unknown,
  pointers: ClaimPointers,
): Readonly<Partial<Record<ReadClaim, string>>> | null {
  const found: Partial<Record<ReadClaim, string>> = {};
  for (const claim of readClaims) {
    const pointer = pointers[claim];
    if (pointer === undefined) continue;
    const value = valueAt(answer, pointer);
    if (typeof value !== 'string' || value.trim() === '') return null;
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
