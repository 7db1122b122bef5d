/** A key of the OpenID Connect provider. The keys follow each other; one signs at a time. */
export interface OidcSigningKey {
  /** From 1, without gaps. */
  readonly number: number;
  /** Its name in the key vault. */
  readonly label: string;
  /** It signs from then on, until the next one does; published when it is introduced. */
  readonly activeFrom: Date;
}

/** Which keys there are, for all processes. @throws Unavailable(database) */
export interface OidcSigningKeys {
  /** In order of their numbers. */
  all(): Promise<readonly OidcSigningKey[]>;
  /** Adds the next key; another process may have been faster, which changes nothing. */
  introduce(key: OidcSigningKey): Promise<void>;
  /** From `now` on the key signs, if it did not yet. */
  activate(number: number, now: Date): Promise<void>;
}
