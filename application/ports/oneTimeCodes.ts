/** Codes of an authenticator: RFC 6238, HMAC-SHA-1, 30-second steps, 6 digits. */
export interface OneTimeCodes {
  /** Random, 160 bits, base32. */
  newSecret(): string;
  /** The `otpauth://` address an authenticator reads from a QR code. */
  enrolmentUri(secret: string, account: string): string;
  /** The counter `code` is of, at most one step from `now`; null when it is of none. */
  counterOf(secret: string, code: string, now: Date): number | null;
}
