/** Why a travel document proves nothing. A closed list: each code is one fault, whatever bytes were sent. */
export type PassportFault =
  // The machine-readable zone, Doc 9303-3 to -6.
  | 'MRZ_FORMAT'
  | 'MRZ_ALPHABET'
  | 'MRZ_FIELD'
  | 'MRZ_CHECK_DIGIT'
  // The files of the chip, Doc 9303-10.
  | 'FILE_TOO_LARGE'
  | 'DATA_GROUP_MALFORMED'
  | 'DATA_GROUP_NOT_SIGNED'
  | 'DATA_GROUP_ALTERED'
  | 'MRZ_MISMATCH'
  | 'SECURITY_OBJECT_MALFORMED'
  | 'SECURITY_OBJECT_TYPE'
  | 'SECURITY_OBJECT_VERSION'
  | 'HASH_ALGORITHM'
  // The signature, RFC 5652 §5.4, and its certificates, Doc 9303-12.
  | 'SIGNED_ATTRIBUTES'
  | 'SIGNED_CONTENT_ALTERED'
  | 'SIGNATURE_ALGORITHM'
  | 'SIGNATURE_INVALID'
  | 'SIGNER_CERTIFICATE_MISSING'
  | 'SIGNER_CERTIFICATE_MALFORMED'
  | 'SIGNER_CERTIFICATE_ALGORITHM'
  | 'SIGNER_CERTIFICATE_FORGED'
  | 'SIGNER_CERTIFICATE_USAGE'
  | 'SIGNER_CERTIFICATE_NOT_IN_FORCE'
  | 'SIGNING_TIME'
  | 'COUNTRY_AUTHORITY_UNKNOWN'
  | 'COUNTRY_AUTHORITY_NOT_IN_FORCE'
  | 'COUNTRY_MISMATCH'
  // The document.
  | 'DOCUMENT_EXPIRED';

/** A travel document that proves nothing. Neither code nor subject says what stood in it: that is personal data. */
export class PassportRejected extends Error {
  override readonly name = 'PassportRejected';
  readonly fault: PassportFault;
  /** The field of the zone or the file of the chip (`DG1`) at fault; null when the code says it all. */
  readonly subject: string | null;

  constructor(fault: PassportFault, subject: string | null = null) {
    super(subject === null ? fault : `${fault}: ${subject}`);
    this.fault = fault;
    this.subject = subject;
  }
}

/** What `read` returns; whatever else it throws is that fault: readers of hostile bytes have many ways to fail. */
export function orRejected<Result>(
  fault: PassportFault,
  subject: string | null,
  read: () => Result,
): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof PassportRejected ? error : new PassportRejected(fault, subject);
  }
}
