import { ValidationError } from '../errors.ts';
import type { RiskSignals } from '../riskSignals.ts';
import type { Addressee, OnBehalfOf, Person } from '../types.ts';
import type { CertificateSubject } from '../../infrastructure/pki/kernel/certificate.ts';

/** Natural person named by a validated certificate. */
export interface VerifiedPerson {
  /** Semantics identifier, `PNOMN-<civil id>`. */
  readonly etsi: string;
  /** Twelve digits: the identifier without its prefix. */
  readonly civilId: string;
  /** Given name; null when the certificate has none. */
  readonly firstName: string | null;
  /** Father's name; null when the certificate has none. */
  readonly lastName: string | null;
}

/**
 * Statements of the service that no signature covers: as trustworthy as your connection to it and
 * the service itself.
 */
export interface ServiceStatement {
  /** The device that answered. */
  readonly documentNumber: string;
  /** Person of an authentication; fields that the certificate has too agree with it. */
  readonly person: Person | null;
  /** Organization represented; null when the citizen acts alone. */
  readonly onBehalfOf: OnBehalfOf | null;
  /** Signals of the phone, as it reports them of itself; null: none were asked for, or the citizen told none. */
  readonly riskSignals: Partial<RiskSignals> | null;
}

/** Identifiers of natural persons (ETSI EN 319 412-1 §5.1.3): type, country, number. */
const NATURAL_PERSON = /^(?:PNO|PAS|IDC|TAX|TIN)[A-Z]{2}-(.+)$/u;

/** Reads the natural person. @throws ValidationError PERSON_MISMATCH when it names none */
export function naturalPersonOf(subject: CertificateSubject): VerifiedPerson {
  const etsi = subject.serialNumber ?? '';
  const civilId = NATURAL_PERSON.exec(etsi)?.[1];
  if (civilId === undefined || subject.organizationIdentifier !== null) {
    throw new ValidationError('PERSON_MISMATCH', 'The certificate does not name a natural person.');
  }
  return { etsi, civilId, firstName: subject.givenName, lastName: subject.surname };
}

/**
 * Requires the certificate of one legal person.
 *
 * @throws ValidationError ORGANIZATION_MISMATCH for another organization's or a natural person's
 */
export function expectOrganization(subject: CertificateSubject, orgEtsi: string): void {
  const wanted = folded(orgEtsi);
  const isPerson =
    NATURAL_PERSON.test(subject.serialNumber ?? '') ||
    subject.givenName !== null ||
    subject.surname !== null;
  if (isPerson || subject.organizationIdentifier !== wanted) {
    throw new ValidationError('ORGANIZATION_MISMATCH', 'Another organization or a person sealed.');
  }
}

/** A civil id; another identifier of a request is a registration number, which no certificate has. */
const CIVIL_ID = /^\d{12}$/;

/**
 * Requires the answer of the person, phone and organization that were asked. A registration number can be compared only
 * with the service's word of an authentication.
 *
 * @throws ValidationError PERSON_MISMATCH, or ORGANIZATION_MISMATCH, also for an organization that was not asked
 */
export function expectAddressee(
  { civilId }: VerifiedPerson,
  { documentNumber, person, onBehalfOf }: ServiceStatement,
  asked: Addressee,
): void {
  const id = folded(asked.id ?? civilId).replace(/^PNOMN-/, '');
  const verified = CIVIL_ID.test(id) ? civilId : folded(person?.regNo ?? id);
  if (
    id !== verified ||
    folded(asked.documentNumber ?? documentNumber) !== folded(documentNumber)
  ) {
    throw new ValidationError('PERSON_MISMATCH', 'Another person or device has answered.');
  }
  if (registerOf(asked.onBehalfOf) !== registerOf(onBehalfOf?.orgEtsi)) {
    throw new ValidationError('ORGANIZATION_MISMATCH', 'Answered for another organization.');
  }
}

/** Compares what the service says of the person. @throws ValidationError PERSON_MISMATCH */
export function expectStatedPerson(verified: VerifiedPerson, stated: Person | null): void {
  if (stated === null) return;
  const fields = ['civilId', 'firstName', 'lastName'] as const;
  const differing = fields.find((field) => !agrees(stated[field], verified[field]));
  if (differing === undefined) return;
  throw new ValidationError(
    'PERSON_MISMATCH',
    `The response's person.${differing} is not that of the certificate.`,
  );
}

/** An absent statement contradicts nothing; encodings of one text are equal. */
function agrees(stated: string | null, verified: string | null): boolean {
  return stated === null || stated.normalize('NFC') === verified?.normalize('NFC');
}

/** Register of an organization, with its prefix or without; null: none. */
function registerOf(orgEtsi: string | undefined): string | null {
  return folded(orgEtsi ?? '').replace(/^NTRMN-/, '') || null;
}

/** Normal form of identifiers, as the service compares them. */
function folded(text: string): string {
  return text.normalize('NFC').trim().toUpperCase();
}
