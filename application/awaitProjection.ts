import { NotYetShown, Unavailable } from './ports/faults.ts';
import type { ProjectionProgress } from './ports/projectionProgress.ts';

type Handled = { readonly position: bigint | null };

/**
 * Waits until the read models show a command's effect, so that the next reader sees it. Returns on timeout too, because
 * the response is made from the aggregate.
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

/**
 * Waits until the read models from which a command's response is made show its effect. @throws NotYetShown on timeout
 */
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
