/** What ties a person to the platform, beyond being enrolled. */
export interface PersonTies {
  /** When they last completed a session, ISO 8601; null: never, or longer ago than sessions are kept. */
  readonly lastSeenAt: string | null;
  /** Whom they may represent now. */
  readonly organizations: readonly {
    readonly register: string;
    readonly name: string | null;
    readonly role: string | null;
  }[];
}

export interface PersonTiesQuery {
  /**
   * By civil id, for every one asked for.
   *
   * @param now decides which rights are in force
   * @throws Unavailable(database)
   */
  tiesOf(civilIds: readonly string[], now: Date): Promise<ReadonlyMap<string, PersonTies>>;
}
