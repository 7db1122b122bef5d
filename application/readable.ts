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
