/**
 * Tokens that identify a session in device links. A token leads to its session without revealing its id: a link cannot
 * be turned into one that needs no authCode.
 */
export interface SessionTokens {
  /** A new, unique token, 24 characters `[A-Za-z0-9]`. */
  tokenFor(sessionId: string): string;
  /** The session's id, or null for a malformed token. A forged token may lead to a session that never existed. */
  sessionIdOf(token: string): string | null;
}
