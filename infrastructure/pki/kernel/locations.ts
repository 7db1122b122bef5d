import type { CertificateDetails } from './certificate.ts';
import { childrenOf, type DerElement, derTag, readDer, readOid } from './derReader.ts';
import { oid } from './oids.ts';

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
  const found = extensions.get(oid.authorityInformationAccess);
  if (found === undefined) return [];
  return childrenOf(readDer(found.value)).flatMap((description) => {
    const [method, location] = childrenOf(description);
    const isOcsp = readOid(method) === oid.ocsp;
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
  const found = extensions.get(oid.crlDistributionPoints);
  if (found === undefined) return [];
  return childrenOf(readDer(found.value)).flatMap((point) => {
    const [name, ...restrictions] = childrenOf(point);
    return name?.tag === derTag.constructed(0) && restrictions.length === 0 ? fullName(name) : [];
  });
}

/** Addresses of a `distributionPoint [0]`; none when it is a name relative to the issuer. */
export function fullName(distributionPoint: DerElement): readonly string[] {
  const name = readDer(distributionPoint.content);
  return name.tag === derTag.constructed(0)
    ? addressesAmong(childrenOf(name, derTag.constructed(0)))
    : [];
}
