import type { HashType } from '../../../domain/shared/digest.ts';

/** Verified content of a timestamp. */
export interface TimestampInfo {
  readonly time: Date;
  /** Common name of the authority. */
  readonly authority: string;
  /** Dotted OID. */
  readonly policy: string;
  /** Lower-case hexadecimal. */
  readonly serial: string;
}

/** Verifies timestamps of trusted authorities. */
export interface TimestampVerifier {
  /**
   * @param token TimeStampToken, DER
   * @returns null when it is invalid for this digest, or its authority is not trusted
   */
  verify(token: Buffer, digest: Uint8Array, hash: HashType): TimestampInfo | null;
}
