import type { PassportFault } from '../../domain/identityVerification/passportFaults.ts';

/** A travel document failed verification. Neither code nor subject quotes it: that is personal data. */
export class PassportRejected extends Error {
  override readonly name = 'PassportRejected';
  readonly fault: PassportFault;
  /** The field of the zone or the file of the chip (`DG1`) at fault; null when the code suffices. */
  readonly subject: string | null;

  constructor(fault: PassportFault, subject: string | null = null) {
    super(subject === null ? fault : `${fault}: ${subject}`);
    this.fault = fault;
    this.subject = subject;
  }
}

/** Result of `read`; any other exception becomes that rejection: parsers of hostile bytes fail in many ways. */
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
