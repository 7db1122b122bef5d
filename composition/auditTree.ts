import { auditTreeRoutes } from '../api/admin/auditTreeRoutes.ts';
import type { OperatorGuards } from '../api/admin/guard.ts';
import { auditKeysRoute } from '../api/platform/auditKeys.ts';
import { type SignedExport, signedExport } from '../application/audit/signedExport.ts';
import { createTreeDesk } from '../application/audit/treeDesk.ts';
import { createTreeHeads } from '../application/audit/treeHeads.ts';
import { createTreeProofs } from '../application/audit/treeProofs.ts';
import { createAuditTreeGrower } from '../application/reactors/growAuditTree.ts';
import { createPostgresAuditTree } from '../infrastructure/postgres/auditTree.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

const MINUTE_MS = 60_000;

/** A log that was never hashed before may be long. */
const EXPORT_PATIENCE_MS = 60 * MINUTE_MS;

/** The tree over the event log, and exports that can be verified with it. */
export interface AuditTree {
  readonly part: ServicePart;
  /** Has a head signed over the whole log; where no worker of this process grows the tree, it is grown meanwhile. */
  withSignedExport<Result>(use: (signed: SignedExport) => Promise<Result>): Promise<Result>;
  /** SubjectPublicKeyInfo, DER. */
  publicKeys(): Promise<readonly Buffer[]>;
}

/** The Merkle tree over the event log: one process grows and signs it, every process proves from it. */
export function composeAuditTree(
  { config, foundation, keys, effects }: Core,
  guards: OperatorGuards,
): AuditTree {
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
  const desk = { eventLog, store, proofs, heads };
  const isWorker = config.SVC_ROLES.includes('worker');
  return {
    part: {
      routes: [
        ...auditTreeRoutes(createTreeDesk(desk), guards, () => heads.publicKeys()),
        auditKeysRoute(() => heads.publicKeys()),
      ],
      reactors: [grower],
    },
    publicKeys: () => heads.publicKeys(),
    async withSignedExport(use) {
      if (!isWorker) grower.start();
      try {
        const patient = createTreeDesk({ ...desk, patienceMs: EXPORT_PATIENCE_MS });
        return await use(await signedExport({ eventLog, store, proofs, desk: patient }));
      } finally {
        if (!isWorker) await grower.stop();
      }
    },
  };
}
