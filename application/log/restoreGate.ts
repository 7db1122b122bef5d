import { NotReady, Unavailable } from '../ports/faults.ts';
import type { KeyVault } from '../ports/keyVault.ts';
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
  /**
   * Time since which what is handed out counts, such as tokens and codes: what was handed out before may have been used or
   * withdrawn between the backup and the restore. Whole seconds, as tokens are dated; null: nothing was restored.
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
  readonly backups: Pick<RestoredBackups, 'pending' | 'acceptedAt' | 'isElsewhere' | 'follow'>;
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
  holdsSeen,
  everyMs = EVERY_MS,
}: RestoreGateOptions): RestoreGate {
  /** Undefined before the first look. */
  let pending: RestoredBackup | null | undefined;
  let acceptedAt: Date | null = null;
  let timer: NodeJS.Timeout | undefined;
  const waiting: (() => void)[] = [];
  const isOpen = () => pending === null;

  /** A process that ran on says for those to come that a standby which took over has what the primary had. */
  async function witness(): Promise<void> {
    if (!(await backups.isElsewhere())) return;
    // A former primary may still answer one connection while another leads to the standby that took over.
    const server = await holdsSeen();
    if (server !== null) await backups.follow(server);
  }

  async function look(): Promise<void> {
    if (isOpen()) return witness();
    const found = await backups.pending();
    const accepted = found === null ? await backups.acceptedAt() : null;
    // Opened by a look that began later and ended earlier: what this one saw is over.
    if (isOpen()) return;
    pending = found;
    acceptedAt = accepted && new Date(Math.floor(accepted.getTime() / 1000) * 1000);
    if (!isOpen()) return;
    for (const work of waiting.splice(0)) work();
  }

  const reason = () =>
    `Restored from the backup of ${pending?.madeAt.toISOString() ?? 'before'}, and not accepted: nothing is signed or ` +
    'answered until `./tamga restore accept` (docs/operations.md, Backup).';

  return {
    async start() {
      await look();
      // While the database is unavailable its own check says so.
      timer = setInterval(() => void look().catch(() => undefined), everyMs).unref();
    },
    stop: () => clearInterval(timer),
    isOpen,
    countsSince: () => acceptedAt,
    whenOpen(work) {
      if (isOpen()) work();
      else waiting.push(work);
    },
    check: () => (isOpen() ? Promise.resolve() : Promise.reject(new NotReady(reason()))),
    assertMaySign() {
      if (!isOpen()) throw new Unavailable('keyVault', new NotReady(reason()));
    },
  };
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
