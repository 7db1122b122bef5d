/** What the OpenID Connect provider remembers of one thing: a session, a code, a token, a login under way. */
export interface OidcRecord {
  /** The library's name of what it is, for example `RefreshToken`. */
  readonly kind: string;
  /** The thing's identifier; of a token the token itself. Kept as a hash. */
  readonly id: string;
  /** Kept sealed under the key of `civilId`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Whose it is; null: nobody's yet. */
  readonly civilId: string | null;
  readonly clientId: string | null;
  /** The grant it came from: it ends with it. Kept as a hash. */
  readonly grantId: string | null;
  /** A second identifier. Kept as a hash. */
  readonly uid: string | null;
  readonly expiresAt: Date;
}

export interface FoundRecord {
  readonly payload: Readonly<Record<string, unknown>>;
  /** When it was used up; null: it was not. */
  readonly consumedAt: Date | null;
}

/**
 * The provider's state, shared by all processes. Nothing in it can be used by who reads it: identifiers are hashed,
 * contents sealed, and what was a forgotten person's cannot be opened.
 *
 * @throws Unavailable(database)
 */
export interface OidcState {
  /** Keeps a record, or what it became. @throws SubjectForgotten */
  put(record: OidcRecord): Promise<void>;
  /** Null when there is none, its time is over, or whose it was is forgotten. */
  find(kind: string, id: string, now: Date): Promise<FoundRecord | null>;
  findByUid(kind: string, uid: string, now: Date): Promise<FoundRecord | null>;
  /** Uses a record up. @returns false when it was used up, or is gone, already: of several at once one succeeds */
  consume(kind: string, id: string, now: Date): Promise<boolean>;
  remove(kind: string, id: string): Promise<void>;
  /** Removes what came from a grant: all of it, or of one kind. */
  removeOfGrant(grantId: string, kind?: string): Promise<void>;
  /** Removes the codes, tokens and grants a client has, of one citizen or of all. */
  removeOfClient(clientId: string, civilId: string | null): Promise<void>;
  /** Removes all that is a citizen's, sessions too. @returns whether there was anything */
  removeOfCitizen(civilId: string): Promise<boolean>;
  /** The citizen's sessions in browsers. */
  sessionsOf(civilId: string, now: Date): Promise<readonly FoundRecord['payload'][]>;
  removeExpired(now: Date): Promise<void>;
}

/** The kind of a session in a browser: all clients share it. */
export const sessionKind = 'Session';
