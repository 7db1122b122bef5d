import {
  booleanOf,
  childrenOf,
  contentOf,
  type DerElement,
  derTag,
  oidText,
  readElement,
} from './der.ts';

/** Extensions read in certificates, CRLs and OCSP responses. */
export const extension = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  deltaCrlIndicator: '2.5.29.27',
  issuingDistributionPoint: '2.5.29.28',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
  qcStatements: '1.3.6.1.5.5.7.1.3',
  ocspNonce: '1.3.6.1.5.5.7.48.1.2',
} as const;

export interface Extension {
  readonly critical: boolean;
  /** Content of the OCTET STRING. */
  readonly value: Buffer;
}

/**
 * Reads extensions out of the element that wraps them.
 *
 * @returns extensions by dotted identifier; empty when there is no wrapper
 * @throws RangeError when one appears twice or is malformed
 */
export function readExtensions(wrapper: DerElement | undefined): Map<string, Extension> {
  const extensions = new Map<string, Extension>();
  if (wrapper === undefined) return extensions;
  for (const element of childrenOf(readElement(wrapper.content))) {
    const [id, ...rest] = childrenOf(element);
    const oid = oidText(contentOf(id, derTag.oid));
    if (extensions.has(oid)) throw new RangeError('An extension appears twice.');
    if (rest.length > 2) throw new RangeError('An extension has too many parts.');
    const critical = rest.length === 2 && booleanOf(rest[0]);
    extensions.set(oid, { critical, value: contentOf(rest.at(-1), derTag.octetString) });
  }
  return extensions;
}
