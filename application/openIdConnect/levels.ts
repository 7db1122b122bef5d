import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';

const HIGH = 'http://eidas.europa.eu/LoA/high';
const SUBSTANTIAL = 'http://eidas.europa.eu/LoA/substantial';

/** Authentication context classes, the highest first: levels of assurance of Regulation (EU) No 910/2014, Article 8. */
export const contextClasses = [HIGH, SUBSTANTIAL] as const;

export type ContextClass = (typeof contextClasses)[number];

/** The class a login with a certificate of this level reaches. */
export function contextClassOf(level: CertificateLevel): ContextClass {
  return level === 'ADVANCED' ? SUBSTANTIAL : HIGH;
}

/**
 * The least certificate level that satisfies `acr_values`: of the classes asked for any is welcome. Nothing known asked
 * for: a qualified one.
 */
export function levelFor(acrValues: readonly string[]): CertificateLevel {
  return acrValues.includes(SUBSTANTIAL) ? 'ADVANCED' : 'QUALIFIED';
}

/** Whether a login of class `actual` is one of those asked for, or higher than one. */
export function satisfies(actual: string | undefined, acrValues: readonly string[]): boolean {
  const asked = contextClasses.filter((known) => acrValues.includes(known));
  if (asked.length === 0) return true;
  const rank = contextClasses.findIndex((known) => known === actual);
  const lowest = contextClasses.findLastIndex((known) => asked.includes(known));
  return rank >= 0 && rank <= lowest;
}

/** RFC 8176: possession of a key on the phone, proved by a signature, unlocked with a PIN. */
export const authenticationMethods = ['pop', 'pin', 'mfa'] as const;
