import { Unavailable } from './ports/faults.ts';
import type { ProjectionProgress } from './ports/projectionProgress.ts';

/** Waits until read models show a command's effect. @throws Unavailable(database) on timeout */
export async function awaitProjection<Handled extends { readonly position: bigint | null }>(
  progress: ProjectionProgress,
  handling: Promise<Handled>,
): Promise<Handled> {
  const handled = await handling;
  if (handled.position !== null) await progress.untilProjected(handled.position);
  return handled;
}

/** Waits like {@link awaitProjection}, but returns the result on timeout too: for results that can be returned only once. */
export async function awaitProjectionBestEffort<
  Handled extends { readonly position: bigint | null },
>(progress: ProjectionProgress, handling: Promise<Handled>): Promise<Handled> {
  const handled = await handling;
  try {
    return await awaitProjection(progress, Promise.resolve(handled));
  } catch (error) {
    if (error instanceof Unavailable) return handled;
    throw error;
  }
}
