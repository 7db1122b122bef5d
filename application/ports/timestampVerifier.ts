import type { HashType } from '../../domain/shared/digest.ts';

/** What a timestamp states. */
export interface TimestampFact {
  readonly time: Date;
  /** Common name of the authority. */
  readonly authority: string;
  /** Dotted OID. */
  readonly policy: string;
  /** Lower-case hexadecimal. */
  readonly serial: string;
}

/** Verifies timestamps of the authorities the platform trusts. */
export interface TimestampVerifier {
  /**
   * @param token TimeStampToken, DER
   * @returns null when it does not verify over this digest, or its authority is not trusted
   */
  verify(token: Buffer, digest: Uint8Array, hash: HashType): TimestampFact | null;
}
