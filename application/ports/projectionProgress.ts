/** Lets a rare command answer only once the read models show its effect. */
export interface ProjectionProgress {
  /**
   * Resolves when every read model, except background ones, has reached `position`.
   * @throws Unavailable(database) after `timeoutMs`
   */
  untilProjected(position: bigint, timeoutMs?: number): Promise<void>;
}
