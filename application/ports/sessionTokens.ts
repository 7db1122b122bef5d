/**
 * The tokens device links name their session by. A token leads back to its session, and tells nobody else which one that
 * is: who sees a link must not be able to turn it into one that needs no authCode.
 */
export interface SessionTokens {
  /** A new token, 24 characters `[A-Za-z0-9]`; another one each time. */
  tokenFor(sessionId: string): string;
  /** The session's id, or null when this is no token. A wrong token may lead to a session there never was. */
  sessionIdOf(token: string): string | null;
}
