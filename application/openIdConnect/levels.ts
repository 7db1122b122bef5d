import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';

const HIGH = 'http://eidas.europa.eu/LoA/high';
const SUBSTANTIAL = 'http://eidas.europa.eu/LoA/substantial';

/** Authentication context classes, the highest first: levels of assurance of Regulation (EU) No 910/2014, Article 8. */
export const contextClasses = [HIGH, SUBSTANTIAL] as const;

export type ContextClass = (typeof contextClasses)[number];

/** Class reached by a login with a certificate of this level. */
export function contextClassOf(level: CertificateLevel): ContextClass {
  return level === 'ADVANCED' ? SUBSTANTIAL : HIGH;
}

/**
 * Minimum certificate level for `acr_values`, any of whose classes suffices. Default without a known class: qualified.
 */
export function levelFor(acrValues: readonly string[]): CertificateLevel {
  return acrValues.includes(SUBSTANTIAL) ? 'ADVANCED' : 'QUALIFIED';
}

/** True when a login of class `actual` has one of the requested classes or a higher one. */
export function satisfies(actual: string | undefined, acrValues: readonly string[]): boolean {
  const asked = contextClasses.filter((known) => acrValues.includes(known));
  if (asked.length === 0) return true;
  const rank = contextClasses.findIndex((known) => known === actual);
  const lowest = contextClasses.findLastIndex((known) => asked.includes(known));
  return rank >= 0 && rank <= lowest;
}

/** RFC 8176: proof of possession of a key on the phone, unlocked with a PIN. */
export const authenticationMethods = ['pop', 'pin', 'mfa'] as const;
