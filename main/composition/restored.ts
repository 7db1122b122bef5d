import {
  type AcceptRestoredDependencies,
  acceptRestored,
} from '../../application/log/acceptRestored.ts';
import type { RestoredBackup } from '../../application/log/ports/restoredBackups.ts';
import { type CommandContext, createAggregate } from '../../application/handleCommand.ts';
import { logIdentityDecider } from '../../domain/logIdentity/logIdentity.ts';
import type { Core } from './core.ts';
import type { ProveOperator } from './operators.ts';
import type { TakeEvidence } from './restoreEvidence.ts';

/** Time for which codes of authenticators, and proofs of phones, count at most, and a clock that is fast, ms. */
const SETTLE_MS = 120_000;

/** Password and code of an operator. */
export type OperatorProof = Parameters<ProveOperator>[0];

/** Administration of what was restored from a backup, on the machine. */
export interface RestoredAdministration {
  /** Null: nothing waits to be accepted. */
  pending(): Promise<RestoredBackup | null>;
  /**
   * Takes in evidence of what happened after the backup.
   *
   * @param path revocation lists, or an exported log
   * @throws Error when it is neither, or of another installation
   */
  takeEvidence(path: string): Promise<void>;
  /**
   * Puts the installation in use again. @param proofs of the operator and the approver; null: whoever has the machine
   *
   * @throws Error, Refusal SIGN_IN_FAILED, SECOND_FACTOR_WRONG, PERMISSION_DENIED
   */
  accept(proofs: readonly [operator: OperatorProof, approver: OperatorProof] | null): Promise<void>;
}

export function composeRestored(
  { config, foundation, aggregates }: Core,
  prove: ProveOperator,
  takeEvidence: TakeEvidence,
  context: () => CommandContext,
): RestoredAdministration {
  const { restoredBackups: backups, clock } = foundation;
  const dependencies: AcceptRestoredDependencies = {
    identities: createAggregate('log', logIdentityDecider, foundation),
    backups,
    directory: aggregates.operators,
    clock,
    settleMs: Math.max(SETTLE_MS, config.SVC_SESSION_WINDOW * 1000),
  };
  return {
    pending: () => backups.pending(),
    async takeEvidence(path) {
      const restored = await backups.pending();
      if (restored === null) throw new Error('No restored backup waits for evidence.');
      const known = new Set(restored.findings.map(({ what }) => what));
      const found = await takeEvidence(path, restored, context());
      await backups.found(found.filter(({ what }) => !known.has(what)));
    },
    async accept(proofs) {
      // One after another: a code of one must not be tried while the other's is refused.
      const by = proofs && {
        operator: await prove(proofs[0]),
        approver: await prove(proofs[1]),
      };
      await acceptRestored(dependencies, by, context());
    },
  };
}
