/** Codes of an authenticator: RFC 6238, HMAC-SHA-1, 30-second steps, 6 digits. */
export interface OneTimeCodes {
  /** Random, 160 bits, base32. */
  newSecret(): string;
  /** The `otpauth://` address for an authenticator's QR code. */
  enrolmentUri(secret: string, account: string): string;
  /** Counter of a `code` at most one step from `now`; null when it does not match. */
  counterOf(secret: string, code: string, now: Date): number | null;
}
