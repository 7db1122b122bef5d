import type { Kysely } from 'kysely';
import { Unavailable } from '../../application/ports/faults.ts';
import type { ProjectionProgress } from '../../application/ports/projectionProgress.ts';
import type { Database } from '../database.ts';
import type { AnyReadModel } from './readModel.ts';
import { readModels } from '../readModels.ts';

/** Progress of a projector in the same process. */
export interface LocalProgress {
  /** Lowest position of all read models; null when another process projects, or nothing is projected yet. */
  position(): bigint | null;
  /** Resolves when `position()` may have grown, or after `milliseconds`. */
  moved(milliseconds: number): Promise<void>;
}

export interface ProgressOptions {
  readonly database: Kysely<Database>;
  /** The projector of this process; omitted: none. */
  readonly local?: LocalProgress;
  /** Polling interval of checkpoints while another process projects, milliseconds; default 25. */
  readonly pollMs?: number;
  /** Names of the awaited read models; default: all except background ones. */
  readonly names?: readonly string[];
}

const defaultTimeoutMs = 5000;

/** Waits for read models, projected by any process. */
export function createProjectionProgress({
  database,
  local,
  pollMs = 25,
  names = foreground(readModels),
}: ProgressOptions): ProjectionProgress {
  async function storedPosition(): Promise<bigint | null> {
    const rows = await database
      .selectFrom('checkpoint')
      .select('position')
      .where('name', 'in', names)
      .where('position', 'is not', null)
      .execute();
    const positions = rows.map((row) => row.position ?? 0n);
    return positions.length < names.length ? null : least(positions);
  }

  async function isProjected(position: bigint): Promise<boolean> {
    const reached = local?.position() ?? (await storedPosition());
    return reached !== null && reached >= position;
  }

  return {
    async untilProjected(position, timeoutMs = defaultTimeoutMs) {
      const deadline = performance.now() + timeoutMs;
      while (!(await isProjected(position))) {
        const left = deadline - performance.now();
        if (left <= 0) throw new Unavailable('database', new Error('The read models lag behind.'));
        const wait = Math.min(left, pollMs);
        await (local === undefined
          ? new Promise((resolve) => setTimeout(resolve, wait))
          : local.moved(wait));
      }
    },
  };
}

/** Names of the read models that callers wait for. */
function foreground(models: readonly AnyReadModel[]): readonly string[] {
  return models.filter((model) => model.inBackground !== true).map(({ name }) => name);
}

/** The minimum; null for none. */
export function least(positions: readonly bigint[]): bigint | null {
  return positions.reduce<bigint | null>(
    (smallest, each) => (smallest === null || each < smallest ? each : smallest),
    null,
  );
}
