/** A period in which the OpenID Connect provider's keys, one for each algorithm, sign. Periods follow each other. */
export interface OidcSigningKey {
  /** From 1, without gaps. */
  readonly number: number;
  /** Begins the labels of its keys in the key vault. */
  readonly label: string;
  /** Start of its signing period, which ends with the next key's; published from its introduction on. */
  readonly activeFrom: Date;
}

/** Signing keys, shared by all processes. @throws Unavailable(database) */
export interface OidcSigningKeys {
  /** In order of their numbers. */
  all(): Promise<readonly OidcSigningKey[]>;
  /** Adds the next key; without effect when another process did. */
  introduce(key: OidcSigningKey): Promise<void>;
  /** Starts the key's signing period at `now`, unless it has started. */
  activate(number: number, now: Date): Promise<void>;
}
