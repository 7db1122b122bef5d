import { NotYetShown, Unavailable } from './ports/faults.ts';
import type { ProjectionProgress } from './ports/projectionProgress.ts';

type Handled = { readonly position: bigint | null };

/**
 * Waits for the read models to show a command's effect, for whoever reads them next; returns on timeout too, because the
 * answer is made from the aggregate itself.
 */
export async function awaitProjection<Of extends Handled>(
  progress: ProjectionProgress,
  handling: Promise<Of>,
): Promise<Of> {
  const handled = await handling;
  await expectShown(progress, Promise.resolve(handled)).catch((error: unknown) => {
    if (!(error instanceof NotYetShown)) throw error;
  });
  return handled;
}

/** Waits until the read models a command is answered from show its effect. @throws NotYetShown on timeout */
export async function expectShown<Of extends Handled>(
  progress: ProjectionProgress,
  handling: Promise<Of>,
): Promise<Of> {
  const handled = await handling;
  try {
    if (handled.position !== null) await progress.untilProjected(handled.position);
  } catch (error) {
    throw error instanceof Unavailable ? new NotYetShown(error) : error;
  }
  return handled;
}
