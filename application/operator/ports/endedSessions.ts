/** Operators' sessions that were signed out while their tokens had not expired; shared by all processes. */
export interface EndedSessions {
  /**
   * Resolved means that no process admits the session any more.
   *
   * @param tokensExpireAt time at which the entry may be dropped
   * @throws Unavailable
   */
  end(sessionId: string, tokensExpireAt: Date): Promise<void>;
  /** @throws Unavailable */
  isEnded(sessionId: string): Promise<boolean>;
}
