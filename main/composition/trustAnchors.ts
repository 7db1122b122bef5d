import type { Log } from '../../application/ports/log.ts';
import { Misconfigured } from '../../application/ports/faults.ts';
import { readTrustAnchors } from '../../infrastructure/pki/readCertificates.ts';

/** Settings whose files hold trust anchors; true: certificates of services themselves, too. */
export const anchorFiles = { SVC_TSA_CA: true, SVC_KYC_GSIGN_TRUST: false } as const;

/**
 * Reads the trust anchors of a setting, DER. Logs those that are left out.
 *
 * @throws Misconfigured naming the setting when none is usable
 */
export function trustAnchors(
  setting: keyof typeof anchorFiles,
  path: string,
  log: Log,
): readonly Buffer[] {
  try {
    const { anchors, faults } = readTrustAnchors(path, anchorFiles[setting]);
    if (faults.length > 0) log.warn({ setting, faults }, 'Some trust anchors were left out.');
    return anchors;
  } catch (error) {
    throw new Misconfigured(`${setting}: ${(error as Error).message}`);
  }
}
