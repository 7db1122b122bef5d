import { registrationNumbers } from '../../domain/identityVerification/travelDocument.ts';
import { type PersonIdentifier, readPersonIdentifier } from '../../domain/shared/etsi.ts';
import { oid } from './kernel/oids.ts';
import { parseSignedCertificate } from './parsedCertificate.ts';

/** Person named by a certificate. */
export interface PersonalSubject {
  /** Candidates; several when the transliteration from Cyrillic is ambiguous. */
  readonly identifiers: readonly PersonIdentifier[];
  /** Empty: absent. */
  readonly givenName: string;
  readonly surname: string;
}

const PREFIX = /^(?:PNO|IDC)MN-/i;

/**
 * Reads the person from the subject of a certificate: its serialNumber is a registration number or a civil id, alone or
 * after `PNOMN-` (ETSI EN 319 412-1 §5.1.3). PrintableString has no Cyrillic, so the two letters may be transliterated.
 *
 * @param der a signed certificate
 * @returns null when it names no person
 * @throws Error when malformed
 */
export function personalSubject(der: Buffer): PersonalSubject | null {
  const { subject } = parseSignedCertificate(der);
  const [number, another] = subject.get(oid.serialNumber) ?? [];
  if (number === undefined || another !== undefined) return null;
  const identifiers = identifiersIn(number.text);
  if (identifiers.length === 0) return null;
  const first = (type: string) => subject.get(type)?.[0]?.text ?? '';
  return { identifiers, givenName: first(oid.givenName), surname: first(oid.surname) };
}

function identifiersIn(serialNumber: string): readonly PersonIdentifier[] {
  const number = serialNumber.trim().replace(PREFIX, '');
  const exact = readPersonIdentifier(number);
  if (exact !== null) return [exact];
  return registrationNumbers(number).flatMap((each) => readPersonIdentifier(each) ?? []);
}
