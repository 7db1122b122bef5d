/** Certificate levels from lowest to highest. A level asked for is a minimum (contract §2). */
export const certificateLevels = ['ADVANCED', 'QUALIFIED', 'QSCD'] as const;

export type CertificateLevel = (typeof certificateLevels)[number];

/** Levels of a seal certificate; QSCD: its key is in a qualified device. */
export type SealLevel = Exclude<CertificateLevel, 'ADVANCED'>;

/** Whether a certificate of level `actual` satisfies a request for at least `minimum`. */
export function meetsLevel(actual: CertificateLevel, minimum: CertificateLevel): boolean {
  return certificateLevels.indexOf(actual) >= certificateLevels.indexOf(minimum);
}
