import type { PassportFault } from '../../domain/identityVerification/passportFaults.ts';

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
