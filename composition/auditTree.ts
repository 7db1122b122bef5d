import { auditTreeRoutes } from '../api/admin/auditTreeRoutes.ts';
import type { OperatorGuards } from '../api/admin/guard.ts';
import { auditKeysRoute } from '../api/platform/auditKeys.ts';
import { createTreeDesk } from '../application/audit/treeDesk.ts';
import { createTreeHeads } from '../application/audit/treeHeads.ts';
import { createTreeProofs } from '../application/audit/treeProofs.ts';
import { createAuditTreeGrower } from '../application/reactors/growAuditTree.ts';
import { createPostgresAuditTree } from '../infrastructure/postgres/auditTree.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

const MINUTE_MS = 60_000;

/** The Merkle tree over the event log: one process grows and signs it, every process proves from it. */
export function composeAuditTree(
  { config, foundation, keys, effects }: Core,
  guards: OperatorGuards,
): ServicePart {
  const { pool, clock, eventLog, singleActive, log } = foundation;
  const store = createPostgresAuditTree(pool, config.SVC_EVENTSTORE_URL === undefined);
  const proofs = createTreeProofs(store);
  const heads = createTreeHeads({
    ...{ store, proofs, clock, keyVault: keys.keyVault },
    onSigned: ({ size, root }) =>
      log.info({ size, root: root.toString('base64') }, 'A head of the audit tree was signed.'),
  });
  const grower = createAuditTreeGrower({
    ...{ eventLog, store, heads, singleActive, onFailure: effects.onFailure },
    signEveryMs: config.SVC_AUDIT_TREE_HEAD_MINUTES * MINUTE_MS,
  });
  return {
    routes: [
      ...auditTreeRoutes(createTreeDesk({ eventLog, store, proofs, heads }), guards),
      auditKeysRoute(() => heads.publicKeys()),
    ],
    reactors: [grower],
  };
}
