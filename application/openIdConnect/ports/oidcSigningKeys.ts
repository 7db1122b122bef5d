/** A signing key of the OpenID Connect provider. Keys follow each other; one signs at a time. */
export interface OidcSigningKey {
  /** From 1, without gaps. */
  readonly number: number;
  /** Label in the key vault. */
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
