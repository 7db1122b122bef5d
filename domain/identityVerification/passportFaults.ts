/** Why a travel document proves nothing. A closed list: each code is one fault, whatever bytes were sent. */
export const passportFaults = [
  // The machine-readable zone, ICAO Doc 9303-3 to -6.
  'MRZ_FORMAT',
  'MRZ_ALPHABET',
  'MRZ_FIELD',
  'MRZ_CHECK_DIGIT',
  'MRZ_MISMATCH',
  // The files of the chip, Doc 9303-10.
  'FILE_TOO_LARGE',
  'DATA_GROUP_MISSING',
  'DATA_GROUP_MALFORMED',
  'DATA_GROUP_NOT_SIGNED',
  'DATA_GROUP_ALTERED',
  'SECURITY_OBJECT_MALFORMED',
  'SECURITY_OBJECT_TYPE',
  'SECURITY_OBJECT_VERSION',
  'HASH_ALGORITHM',
  // The signature, RFC 5652 §5.4, and its certificates, Doc 9303-12.
  'SIGNED_ATTRIBUTES',
  'SIGNED_CONTENT_ALTERED',
  'SIGNATURE_ALGORITHM',
  'DOCUMENT_SIGNATURE_INVALID',
  'SIGNING_TIME',
  'SIGNER_CERTIFICATE_MISSING',
  'SIGNER_CERTIFICATE_MALFORMED',
  'SIGNER_CERTIFICATE_ALGORITHM',
  'SIGNER_CERTIFICATE_FORGED',
  'SIGNER_CERTIFICATE_USAGE',
  'SIGNER_CERTIFICATE_NOT_IN_FORCE',
  'COUNTRY_AUTHORITY_UNKNOWN',
  'COUNTRY_AUTHORITY_NOT_IN_FORCE',
  'COUNTRY_MISMATCH',
  // The document.
  'DOCUMENT_EXPIRED',
] as const;

export type PassportFault = (typeof passportFaults)[number];
