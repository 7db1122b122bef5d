import { Unavailable } from './ports/faults.ts';
import type { ProjectionProgress } from './ports/projectionProgress.ts';

/** What a command did, once it can be read. @throws Unavailable(database) when that takes too long */
export async function readable<Handled extends { readonly position: bigint | null }>(
  progress: ProjectionProgress,
  handling: Promise<Handled>,
): Promise<Handled> {
  const handled = await handling;
  if (handled.position !== null) await progress.untilProjected(handled.position);
  return handled;
}

/** As {@link readable}, where what the command made is told now or never: also when it cannot be read yet. */
export async function readableSoon<Handled extends { readonly position: bigint | null }>(
  progress: ProjectionProgress,
  handling: Promise<Handled>,
): Promise<Handled> {
  const handled = await handling;
  try {
    return await readable(progress, Promise.resolve(handled));
  } catch (error) {
    if (error instanceof Unavailable) return handled;
    throw error;
  }
}
