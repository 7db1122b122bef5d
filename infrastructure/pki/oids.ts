/** Object identifiers the certificates use. */
export const oid = {
  // X.520 attribute types
  commonName: '2.5.4.3',
  surname: '2.5.4.4',
  serialNumber: '2.5.4.5',
  countryName: '2.5.4.6',
  organizationName: '2.5.4.10',
  givenName: '2.5.4.42',
  organizationIdentifier: '2.5.4.97',
  // RFC 5280 §4.2 extensions
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  authorityInformationAccess: '1.3.6.1.5.5.7.1.1',
  qcStatements: '1.3.6.1.5.5.7.1.3',
  anyPolicy: '2.5.29.32.0',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  ocsp: '1.3.6.1.5.5.7.48.1',
  caIssuers: '1.3.6.1.5.5.7.48.2',
  // ETSI EN 319 412-1 §5.1.2, EN 319 412-5 §4
  pkixQcSyntaxV2: '1.3.6.1.5.5.7.11.2',
  semanticsNatural: '0.4.0.194121.1.1',
  qcCompliance: '0.4.0.1862.1.1',
  qcSscd: '0.4.0.1862.1.4',
  qcPds: '0.4.0.1862.1.5',
  qcType: '0.4.0.1862.1.6',
  qcTypeEsign: '0.4.0.1862.1.6.1',
  qcCcLegislation: '0.4.0.1862.1.7',
  // ETSI EN 319 411-1 §5.3, EN 319 411-2 §5.3
  ncp: '0.4.0.2042.1.1',
  qcpNatural: '0.4.0.194112.1.0',
  qcpNaturalQscd: '0.4.0.194112.1.2',
  // Keys and signatures
  ecPublicKey: '1.2.840.10045.2.1',
  rsaEncryption: '1.2.840.113549.1.1.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  ecdsaWithSha384: '1.2.840.10045.4.3.3',
} as const;
