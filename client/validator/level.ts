import { type CertificateLevel, certificateLevels } from '../types.ts';
import type { CertificateDetails } from '../../infrastructure/pki/kernel/certificate.ts';

/** ETSI EN 319 412-5 §4.2.1 and §4.2.2. */
const QC_COMPLIANCE = '0.4.0.1862.1.1';
const QC_SSCD = '0.4.0.1862.1.4';

/** Certificate policies of ETSI EN 319 411-1 §5.3 and EN 319 411-2 §5.3, for natural and legal persons. */
const levelOfPolicy: Readonly<Record<string, CertificateLevel>> = {
  '0.4.0.2042.1.1': 'ADVANCED', // NCP
  '0.4.0.2042.1.2': 'ADVANCED', // NCP+
  '0.4.0.194112.1.0': 'QUALIFIED', // QCP-n
  '0.4.0.194112.1.1': 'QUALIFIED', // QCP-l
  '0.4.0.194112.1.2': 'QSCD', // QCP-n-qscd
  '0.4.0.194112.1.3': 'QSCD', // QCP-l-qscd
};

/**
 * Arc of the service's own policies: below its arc 1 (citizens), 1 to 3 (ADVANCED to QSCD), 1 or 2
 * (authentication, signing). Authentication certificates can name their level in no other way: only
 * signature certificates can be qualified.
 */
export const DEFAULT_POLICY_ARC = '1.3.6.1.4.1.32473.1';

/** Level proven by the certificate itself; null when it names none. */
export function provenLevel(
  { policies, qcStatements }: CertificateDetails,
  policyArc: string,
): CertificateLevel | null {
  const proofs = policies.flatMap(
    (policy) => levelOfPolicy[policy] ?? levelOfOwnPolicy(policy, policyArc) ?? [],
  );
  if (qcStatements.includes(QC_COMPLIANCE)) {
    proofs.push(qcStatements.includes(QC_SSCD) ? 'QSCD' : 'QUALIFIED');
  }
  return proofs.reduce<CertificateLevel | null>(
    (highest, level) => (highest === null || rank(level) > rank(highest) ? level : highest),
    null,
  );
}

function levelOfOwnPolicy(policy: string, policyArc: string): CertificateLevel | undefined {
  if (!policy.startsWith(`${policyArc}.1.`)) return undefined;
  const [level = '', type = '', ...rest] = policy.slice(policyArc.length + 3).split('.');
  if (rest.length > 0 || !/^[12]$/.test(type)) return undefined;
  return certificateLevels[Number(level) - 1];
}

/** Compares levels: `actual` is `required` or higher. */
export function meetsLevel(actual: CertificateLevel, required: CertificateLevel): boolean {
  return rank(actual) >= rank(required);
}

function rank(level: CertificateLevel): number {
  return certificateLevels.indexOf(level);
}
