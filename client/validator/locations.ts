import type { CertificateDetails } from './certificate.ts';
import {
  childrenOf,
  contentOf,
  contextTag,
  type DerElement,
  derTag,
  oidText,
  readElement,
} from './der.ts';
import { extension } from './extensions.ts';

const ID_AD_OCSP = '1.3.6.1.5.5.7.48.1';
/** GeneralName [6] IMPLICIT IA5String. */
const URI = 0x86;

/** http and https addresses among GeneralNames. */
function addressesAmong(names: readonly DerElement[]): readonly string[] {
  return names
    .filter(({ tag }) => tag === URI)
    .map(({ content }) => content.toString('latin1'))
    .filter((address) => /^https?:\/\//i.test(address) && URL.canParse(address));
}

/** OCSP addresses of a certificate (RFC 5280 §4.2.2.1). @throws RangeError */
export function ocspAddresses({ extensions }: CertificateDetails): readonly string[] {
  const found = extensions.get(extension.authorityInfoAccess);
  if (found === undefined) return [];
  return childrenOf(readElement(found.value)).flatMap((description) => {
    const [method, location] = childrenOf(description);
    const isOcsp = oidText(contentOf(method, derTag.oid)) === ID_AD_OCSP;
    return isOcsp && location !== undefined ? addressesAmong([location]) : [];
  });
}

/**
 * CRL addresses of a certificate (RFC 5280 §4.2.1.13), without points that cover only some reasons
 * or have another issuer.
 *
 * @throws RangeError
 */
export function crlAddresses({ extensions }: CertificateDetails): readonly string[] {
  const found = extensions.get(extension.crlDistributionPoints);
  if (found === undefined) return [];
  return childrenOf(readElement(found.value)).flatMap((point) => {
    const [name, ...restrictions] = childrenOf(point);
    return name?.tag === contextTag(0) && restrictions.length === 0 ? fullName(name) : [];
  });
}

/** Addresses of a `distributionPoint [0]`; none when it is a name relative to the issuer. */
export function fullName(distributionPoint: DerElement): readonly string[] {
  const name = readElement(distributionPoint.content);
  return name.tag === contextTag(0) ? addressesAmong(childrenOf(name, contextTag(0))) : [];
}
