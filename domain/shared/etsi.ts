import { Refusal } from './refusal.ts';

/** Identifier of a natural person (specification, Identifiers): civil id or registration number (РД). */
export type PersonIdentifier =
  | { readonly type: 'civilId'; readonly civilId: string }
  | { readonly type: 'registrationNumber'; readonly registrationNumber: string };

const PERSON_PREFIX = /^PNOMN-/i;
const CIVIL_ID = /^\d{12}$/;
const REGISTRATION_NUMBER = /^[а-яёөү]{2}\d{8}$/;

/**
 * Parses `PNOMN-<civil id>`, `PNOMN-<registration number>` or either without the prefix (contract §2). A registration
 * number is returned in lower case, the form of look-ups.
 *
 * @param pointer of the field, for the refusal
 * @throws Refusal INVALID_REQUEST when it is neither.
 */
export function parsePersonIdentifier(text: string, pointer = '#/path/id'): PersonIdentifier {
  const identifier = readPersonIdentifier(text);
  if (identifier !== null) return identifier;
  throw new Refusal('INVALID_REQUEST', {
    detail:
      'The person identifier is neither PNOMN-<12-digit civil id> nor PNOMN-<registration number>.',
    errors: [
      {
        pointer,
        detail: 'Use PNOMN-<12-digit civil id> or PNOMN-<registration number>.',
      },
    ],
  });
}

/** Parses like {@link parsePersonIdentifier}, but returns null when it is neither. */
export function readPersonIdentifier(text: string): PersonIdentifier | null {
  const folded = text.normalize('NFC').trim().replace(PERSON_PREFIX, '').toLowerCase();
  if (CIVIL_ID.test(folded)) return { type: 'civilId', civilId: folded };
  return REGISTRATION_NUMBER.test(folded)
    ? { type: 'registrationNumber', registrationNumber: folded }
    : null;
}

/** The ETSI EN 319 412-1 semantics identifier of a natural person: `PNOMN-<civil id>`. */
export function personEtsi(civilId: string): string {
  return `PNOMN-${civilId}`;
}

/** The ETSI EN 319 412-1 semantics identifier of an organization: `NTRMN-<national registration number>`. */
export function organizationEtsi(register: string): string {
  return `NTRMN-${register}`;
}

const ORGANIZATION_PREFIX = /^NTRMN-/;
const REGISTER = /^[\p{Lu}\p{Nd}]{3,20}$/u;

/**
 * Parses a national registration number, alone or in `NTRMN-<register>`, to its normal form: upper case. Null when
 * malformed.
 */
export function readRegister(text: string): string | null {
  const register = folded(text).replace(ORGANIZATION_PREFIX, '');
  return REGISTER.test(register) ? register : null;
}

/** Normalizes a name or number for comparison. */
export function folded(text: string): string {
  return text.normalize('NFC').trim().toUpperCase();
}

/** The citizen an event names; null: nobody. */
export const civilIdOf = (data: { readonly civilId: string | null }) => data.civilId;

/** ETSI identifier of the citizen an event names. */
export const personOf = (data: { readonly civilId: string }) => personEtsi(data.civilId);

/** ETSI identifier of the organization an event names. */
export const organizationOf = (data: { readonly register: string }) =>
  organizationEtsi(data.register);
