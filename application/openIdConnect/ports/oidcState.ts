/** A record of the OpenID Connect provider: a session, a code, a token, a login in progress. */
export interface OidcRecord {
  /** Model name of the library, for example `RefreshToken`. */
  readonly kind: string;
  /** Identifier; for a token the token itself. Stored as a hash. */
  readonly id: string;
  /** Stored encrypted under the key of `civilId`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Owner; null: none yet. */
  readonly civilId: string | null;
  readonly clientId: string | null;
  /** The grant it belongs to, and ends with. Stored as a hash. */
  readonly grantId: string | null;
  /** A second identifier; of what ends with a browser session, that session's. Stored as a hash. */
  readonly uid: string | null;
  readonly expiresAt: Date;
}

export interface FoundRecord {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Time of use; null: unused. */
  readonly consumedAt: Date | null;
  /** Content of the grant it belongs to, read at the same time; null: it belongs to none, or to one that is over. */
  readonly grant: FoundRecord['payload'] | null;
  /** Content of the browser session it ends with, likewise. */
  readonly session: FoundRecord['payload'] | null;
}

/**
 * The provider's state, shared by all processes. A leak of the table is harmless: identifiers are hashed, contents
 * sealed, and those of a forgotten person unreadable.
 *
 * @throws Unavailable(database)
 */
export interface OidcState {
  /** Inserts or updates records, each another one; all or none. @throws SubjectForgotten */
  put(...records: readonly OidcRecord[]): Promise<void>;
  /**
   * Inserts or updates a record that others may be changing at the same time, one after another, and others with it.
   *
   * @param payloadWith payload beside those that are kept with the same `uid`, whatever their identifier; null: it is not
   * written, the others are
   * @throws SubjectForgotten
   */
  putShared(
    record: OidcRecord & { readonly uid: string },
    payloadWith: (kept: readonly FoundRecord['payload'][]) => OidcRecord['payload'] | null,
    ...others: readonly OidcRecord[]
  ): Promise<void>;
  /** Null when unknown, expired, or of a forgotten person. */
  find(kind: string, id: string, now: Date): Promise<FoundRecord | null>;
  /** The last to expire of that `uid`. */
  findByUid(kind: string, uid: string, now: Date): Promise<FoundRecord | null>;
  /**
   * Marks a record as used and puts those made of it, all or none.
   *
   * @returns false when already used or gone: of concurrent calls one succeeds
   * @throws SubjectForgotten
   */
  consume(kind: string, id: string, now: Date, ...made: readonly OidcRecord[]): Promise<boolean>;
  /**
   * Claims an identifier until a time. @returns false while an earlier claim holds: of concurrent calls one succeeds
   */
  claim(kind: string, id: string, until: Date, now: Date): Promise<boolean>;
  remove(kind: string, id: string): Promise<void>;
  /** Removes a record that others may be changing at the same time, under every identifier. */
  removeShared(kind: string, uid: string): Promise<void>;
  /** Removes the records of a grant, of all kinds or of one. */
  removeOfGrant(grantId: string, kind?: string): Promise<void>;
  /** Removes a client's codes, tokens and grants, of one citizen or of all, of all kinds or of one. */
  removeOfClient(clientId: string, civilId: string | null, kind?: string): Promise<void>;
  /** Removes a citizen's records, sessions included. @returns false when there were none */
  removeOfCitizen(civilId: string): Promise<boolean>;
  /** The citizen's browser sessions. */
  sessionsOf(civilId: string, now: Date): Promise<readonly FoundRecord['payload'][]>;
  removeExpired(now: Date): Promise<void>;
}

/** Kind of a browser session, shared by all clients. */
export const sessionKind = 'Session';
