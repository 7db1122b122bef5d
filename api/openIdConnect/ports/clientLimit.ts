/** Rate limit per client of the OpenID Connect provider. */
export interface ClientLimit {
  /** @throws Refusal RATE_LIMITED when the client has used up its minute; the request does not count for its address either */
  expectLeft(clientId: string): void;
  /** Counts a request of a client that proved who it is, instead of one of its address. */
  count(clientId: string): Promise<void>;
}
