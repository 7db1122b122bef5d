/** Rate limit per client of the OpenID Connect provider; a key is a client's, or that of one of its endpoints. */
export interface ClientLimit {
  /** @throws Refusal RATE_LIMITED when the minute is used up */
  expectLeft(key: string): void;
  /** Counts a request of a client that proved who it is, instead of one of its address. */
  count(key: string): Promise<void>;
}
