/** Lets a rare command answer only once the read models it is answered from show its effect. */
export interface ProjectionProgress {
  /**
   * Resolves when every read model it was made for has reached `position`.
   * @throws Unavailable(database) after `timeoutMs`
   */
  untilProjected(position: bigint, timeoutMs?: number): Promise<void>;
}
