/** Certificate levels from lowest to highest. A requested level is a minimum (contract §2). */
export const certificateLevels = ['ADVANCED', 'QUALIFIED', 'QSCD'] as const;

export type CertificateLevel = (typeof certificateLevels)[number];

/** Levels of a seal certificate; QSCD: its key is in a qualified device. */
export const sealLevels = ['QUALIFIED', 'QSCD'] as const satisfies readonly CertificateLevel[];

export type SealLevel = (typeof sealLevels)[number];

/** True when a certificate of level `actual` satisfies a request for at least `minimum`. */
export function meetsLevel(actual: CertificateLevel, minimum: CertificateLevel): boolean {
  return certificateLevels.indexOf(actual) >= certificateLevels.indexOf(minimum);
}

/** The lower of two levels. */
export function lowerLevel(one: CertificateLevel, other: CertificateLevel): CertificateLevel {
  return meetsLevel(one, other) ? other : one;
}
