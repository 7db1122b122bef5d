import type { Clock } from '../ports/clock.ts';
import { NotReady, Unavailable } from '../ports/faults.ts';
import type { KeyVault } from '../ports/keyVault.ts';
import { settledAt } from './acceptRestored.ts';
import type { RestoredBackup, RestoredBackups } from './ports/restoredBackups.ts';

/** Keeps an installation that was restored from a backup from serving and signing until that is accepted (ADR 57). */
export interface RestoreGate {
  /**
   * Looks, and goes on looking: while something is not accepted, whether it is; then, whether a standby took over, which
   * lost nothing as far as this process knows. @throws Unavailable(database)
   */
  start(): Promise<void>;
  stop(): void;
  isOpen(): boolean;
  /** True: it is not open, and nothing of before the loss is under way any more, so that operators may accept it. */
  isSettled(): boolean;
  /** The restored backup that is not accepted, as of the last look, and when operators may; null: none. */
  waiting(): { readonly madeAt: Date; readonly settledAt: Date } | null;
  /**
   * Time since which what is handed out counts, such as tokens and codes: what was handed out before may have been used or
   * withdrawn between the backup and the restore. Until it is accepted: since nothing of before is under way, so that
   * operators sign in anew. Whole seconds, as tokens are dated; null: nothing was restored.
   */
  countsSince(): Date | null;
  /** Calls this at once, or when it opens. */
  whenOpen(work: () => void): void;
  /** For `/readyz`. @throws NotReady with the reason */
  check(): Promise<void>;
  /** @throws Unavailable(keyVault) */
  assertMaySign(): void;
}

/** Interval between two looks, ms. */
const EVERY_MS = 1000;

export interface RestoreGateOptions {
  readonly backups: Pick<
    RestoredBackups,
    'pending' | 'note' | 'acceptedAt' | 'isElsewhere' | 'follow'
  >;
  readonly clock: Clock;
  /** Time after the restore, as {@link settledAt} takes it, ms. */
  readonly settleMs: number;
  /**
   * Names the server of the database that holds everything that this process ever saw of the log; null: none does, or the
   * log is elsewhere and tells nothing of the database.
   */
  readonly holdsSeen: () => Promise<string | null>;
  /** Interval between two looks, ms. */
  readonly everyMs?: number;
}

export function createRestoreGate({
  backups,
  clock,
  settleMs,
  holdsSeen,
  everyMs = EVERY_MS,
}: RestoreGateOptions): RestoreGate {
  /** Undefined before the first look. */
  let pending: RestoredBackup | null | undefined;
  let acceptedAt: Date | null = null;
  let hasSettled = false;
  let timer: NodeJS.Timeout | undefined;
  const waitingWork: (() => void)[] = [];
  const isOpen = () => pending === null;

  /** A process that ran on says for those to come that a standby which took over has what the primary had. */
  async function witness(): Promise<void> {
    if (!(await backups.isElsewhere())) return;
    // A former primary may still answer one connection while another leads to the standby that took over.
    const server = await holdsSeen();
    if (server !== null) await backups.follow(server);
  }

  /** Notes what operators will accept before their signing in is appended, and after a witness would have spoken. */
  async function settle(found: RestoredBackup): Promise<void> {
    const isOver = clock.now() >= settledAt(found, settleMs);
    if (isOver && !hasSettled) await backups.note();
    hasSettled = isOver;
  }

  async function look(): Promise<void> {
    if (isOpen()) return witness();
    const found = await backups.pending();
    const accepted = found === null ? await backups.acceptedAt() : null;
    // Opened by a look that began later and ended earlier: what this one saw is over.
    if (isOpen()) return;
    pending = found;
    acceptedAt = accepted;
    if (found !== null) return settle(found);
    for (const work of waitingWork.splice(0)) work();
  }

  const reason = () =>
    `Restored from the backup of ${pending?.madeAt.toISOString() ?? 'before'}, but not accepted yet. Nothing is signed or ` +
    'answered until two operators accept it in the console or with `./tamga restore accept` (docs/operations.md, Backup).';

  return {
    async start() {
      await look();
      // While the database is unavailable its own check says so.
      timer = setInterval(() => void look().catch(() => undefined), everyMs).unref();
    },
    stop: () => clearInterval(timer),
    isOpen,
    isSettled: () => !isOpen() && hasSettled,
    waiting: () =>
      pending ? { madeAt: pending.madeAt, settledAt: settledAt(pending, settleMs) } : null,
    countsSince: () => inSeconds(pending ? settledAt(pending, settleMs) : acceptedAt),
    whenOpen(work) {
      if (isOpen()) work();
      else waitingWork.push(work);
    },
    check: () => (isOpen() ? Promise.resolve() : Promise.reject(new NotReady(reason()))),
    assertMaySign() {
      if (!isOpen()) throw new Unavailable('keyVault', new NotReady(reason()));
    },
  };
}

function inSeconds(time: Date | null): Date | null {
  return time && new Date(Math.floor(time.getTime() / 1000) * 1000);
}

/** A vault that signs only while the gate lets it. */
export function createGuardedKeyVault(
  vault: KeyVault,
  { assertMaySign }: Pick<RestoreGate, 'assertMaySign'>,
): KeyVault {
  return {
    ensureKey: (...parameters) => vault.ensureKey(...parameters),
    findKey: (label) => vault.findKey(label),
    sign: async (...parameters) => {
      assertMaySign();
      return vault.sign(...parameters);
    },
    signDigest: async (...parameters) => {
      assertMaySign();
      return vault.signDigest(...parameters);
    },
    check: () => vault.check(),
  };
}
