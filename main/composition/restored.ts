import { restoredRoutes } from '../../api/admin/restoredRoutes.ts';
import type { OperatorGuards } from '../../api/admin/guard.ts';
import {
  acceptAsked,
  type AcceptRestoredDependencies,
  acceptRestored,
  askToAccept,
} from '../../application/log/acceptRestored.ts';
import type { RestoredBackup } from '../../application/log/ports/restoredBackups.ts';
import { type CommandContext, createAggregate } from '../../application/handleCommand.ts';
import { logIdentityDecider } from '../../domain/logIdentity/logIdentity.ts';
import { settleMsOf } from '../../infrastructure/config/config.ts';
import type { Core } from './core.ts';
import type { ProveOperator } from './operators.ts';
import type { TakeEvidence } from './restoreEvidence.ts';
import type { ServiceModule } from './serviceModule.ts';

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
   * @throws Refusal CONFLICT while it is being accepted, or other evidence taken
   */
  takeEvidence(path: string): Promise<void>;
  /**
   * Puts the installation in use again. @param proofs of the operator and the approver; null: whoever has the machine
   *
   * @throws Error, Refusal SIGN_IN_FAILED, SECOND_FACTOR_WRONG, PERMISSION_DENIED
   */
  accept(proofs: readonly [operator: OperatorProof, approver: OperatorProof] | null): Promise<void>;
}

function acceptingWith({ config, foundation, aggregates }: Core): AcceptRestoredDependencies {
  return {
    identities: createAggregate('log', logIdentityDecider, foundation),
    backups: foundation.restoredBackups,
    directory: aggregates.operators,
    clock: foundation.clock,
    settleMs: settleMsOf(config),
  };
}

/** Acceptance in the console. */
export function composeAcceptance(core: Core, guards: OperatorGuards): ServiceModule {
  const { restoreGate: gate, restoredBackups: backups } = core.foundation;
  const accepting = acceptingWith(core);
  return {
    routes: restoredRoutes({
      guards,
      gate,
      backups,
      operators: core.aggregates.operators,
      ask: (reader) => askToAccept(accepting, reader),
      accept: (reader, context) => acceptAsked(accepting, reader, context),
    }),
  };
}

export function composeRestored(
  core: Core,
  prove: ProveOperator,
  takeEvidence: TakeEvidence,
  context: () => CommandContext,
): RestoredAdministration {
  const dependencies = acceptingWith(core);
  const { backups } = dependencies;
  return {
    pending: () => backups.pending(),
    takeEvidence: (path) =>
      backups.exclusively(async () => {
        // First: what is done again is appended behind what was restored.
        await backups.note();
        const restored = await backups.pending();
        if (restored === null) throw new Error('No restored backup is waiting for evidence.');
        const known = new Set(restored.findings.map(({ what }) => what));
        const found = await takeEvidence(path, restored, context());
        await backups.found(found.filter(({ what }) => !known.has(what)));
      }),
    async accept(proofs) {
      if (proofs !== null) await backups.note();
      // One after another: a code of one must not be tried while the other's is refused.
      const by = proofs && {
        operator: await prove(proofs[0]),
        approver: await prove(proofs[1]),
      };
      await acceptRestored(dependencies, by, context());
    },
  };
}
