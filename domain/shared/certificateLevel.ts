/** Certificate levels from lowest to highest. A level asked for is a minimum (contract §2). */
export const certificateLevels = ['ADVANCED', 'QUALIFIED', 'QSCD'] as const;

export type CertificateLevel = (typeof certificateLevels)[number];

/** Whether a certificate of level `actual` satisfies a request for at least `minimum`. */
export function meetsLevel(actual: CertificateLevel, minimum: CertificateLevel): boolean {
  return certificateLevels.indexOf(actual) >= certificateLevels.indexOf(minimum);
}
