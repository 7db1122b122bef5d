/** Kinds of issuing CAs, by whom they issue to: natural persons, legal persons. */
export const caKinds = ['personal', 'organization'] as const;

export type CaKind = (typeof caKinds)[number];

/**
 * Generations of an issuing CA after its first. Each has a key, a name, a list and a responder of its own, and outlives
 * the next one (ADR 73); at one every five years these are more than the root has years.
 */
const laterGenerations = [2, 3, 4, 5, 6, 7, 8, 9] as const;

/** An issuing CA: the first generation has the name of its kind. */
export type IssuingCa = CaKind | `${CaKind}-${(typeof laterGenerations)[number]}`;

/** Issuing CAs there can be, the first generations first. */
export const issuingCas: readonly IssuingCa[] = [
  ...caKinds,
  ...laterGenerations.flatMap((generation) =>
    caKinds.map((kind) => `${kind}-${generation}` as const),
  ),
];

/** A CA of the platform. */
export type IssuingAuthority = 'root' | IssuingCa;

export const issuingAuthorities: readonly IssuingAuthority[] = ['root', ...issuingCas];

/** Kind of an issuing CA, whatever its generation. */
export function kindOf(ca: IssuingCa): CaKind {
  return ca.startsWith('personal') ? 'personal' : 'organization';
}

/** Generation of an issuing CA, from 1. */
export function generationOf(ca: IssuingCa): number {
  return Number(ca.slice(kindOf(ca).length + 1) || 1);
}

/** The OCSP responder of one issuing CA, as a service with a certificate of that CA (RFC 6960 §4.2.2.2). */
export type ResponderPurpose =
  `OCSP_${Uppercase<CaKind>}` | `OCSP_${Uppercase<CaKind>}_${(typeof laterGenerations)[number]}`;

export function responderOf(ca: IssuingCa): ResponderPurpose {
  const generation = generationOf(ca);
  const kind = kindOf(ca).toUpperCase() as Uppercase<CaKind>;
  return (generation === 1 ? `OCSP_${kind}` : `OCSP_${kind}_${generation}`) as ResponderPurpose;
}

/** Responders there can be, by the CA they answer for. */
export const responders: ReadonlyMap<ResponderPurpose, IssuingCa> = new Map(
  issuingCas.map((ca) => [responderOf(ca), ca]),
);
