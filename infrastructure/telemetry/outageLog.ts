import { type Dependency, Unavailable } from '../../application/ports/faults.ts';
import type { Log, LogFields } from '../../application/ports/log.ts';
import { isOutage } from '../postgres/pool.ts';

/** Time between two lines about an outage that lasts, ms. */
const LINE_EVERY_MS = 60_000;
/** Time between two checks whether it has ended, ms; no failure may come meanwhile. */
const CHECK_EVERY_MS = 1000;

/** Outage under way. */
interface Outage {
  /** ms, of the monotonic clock, as the others. */
  readonly since: number;
  /** Failures so far. */
  failures: number;
  failedAt: number;
  lineAt: number;
}

/** A log for failures that their callers hear of, or that are tried again: an outage makes thousands of them. */
export interface OutageLog extends Log {
  /** Names the checks that tell when an outage has ended; without one, a minute without failures does. */
  watch(checks: Readonly<Partial<Record<Dependency, () => Promise<unknown>>>>): void;
  /** Stops checking. */
  stop(): void;
}

/**
 * Wraps a log. Warnings and errors with an outage as their `err` are counted: one line says that it began, with the
 * first failure; one a minute that it lasts; one that it ended. All else is written as it comes.
 */
export function createOutageLog(
  log: Log,
  { lineEveryMs = LINE_EVERY_MS, checkEveryMs = CHECK_EVERY_MS } = {},
): OutageLog {
  let checks: Parameters<OutageLog['watch']>[0] = {};
  const outages = new Map<Dependency, Outage>();
  let timer: NodeJS.Timeout | undefined;

  function counting(write: Log['error']): Log['error'] {
    return (fields, message) => {
      const dependency = outageIn(fields['err']);
      if (dependency === null) write(fields, message);
      else count(dependency, fields, message);
    };
  }

  function count(dependency: Dependency, fields: LogFields, message: string): void {
    const now = performance.now();
    const known = outages.get(dependency);
    if (known !== undefined) {
      known.failures += 1;
      known.failedAt = now;
      return;
    }
    outages.set(dependency, { since: now, failures: 1, failedAt: now, lineAt: now + lineEveryMs });
    log.error({ ...fields, dependency, failed: message }, 'An outage began.');
    timer ??= setInterval(look, checkEveryMs).unref();
  }

  function look(): void {
    for (const [dependency, outage] of outages) {
      const now = performance.now();
      if (now >= outage.lineAt) {
        outage.lineAt = now + lineEveryMs;
        log.error(described(dependency, outage), 'An outage lasts.');
      }
      endIfOver(dependency, outage).catch(() => undefined);
    }
  }

  /** @throws whatever the check throws while the outage lasts */
  async function endIfOver(dependency: Dependency, outage: Outage): Promise<void> {
    const check = checks[dependency];
    const isQuiet = () =>
      performance.now() - outage.failedAt >= (check === undefined ? lineEveryMs : checkEveryMs);
    if (!isQuiet()) return;
    await check?.();
    if (!isQuiet() || outages.get(dependency) !== outage) return;
    outages.delete(dependency);
    log.warn(described(dependency, outage), 'An outage ended.');
    if (outages.size === 0) stop();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    debug: log.debug,
    info: log.info,
    warn: counting(log.warn),
    error: counting(log.error),
    watch: (all) => (checks = all),
    stop,
  };
}

function described(dependency: Dependency, { since, failures }: Outage): LogFields {
  return { dependency, failures, seconds: Math.round((performance.now() - since) / 1000) };
}

/** The dependency whose outage an error comes from; null: from none. */
function outageIn(error: unknown): Dependency | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof Unavailable) return error.dependency;
  if (isOutage(error)) return 'database';
  return outageIn(error.cause);
}
