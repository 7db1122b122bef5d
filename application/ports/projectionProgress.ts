/** Lets a rare command answer only when what it changed can be read. */
export interface ProjectionProgress {
  /** Resolves when every read model, but for those kept in the background, has taken in `position`. @throws Unavailable(database) after `timeoutMs` */
  untilProjected(position: bigint, timeoutMs?: number): Promise<void>;
}
