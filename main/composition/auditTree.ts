import { auditTreeRoutes } from '../../api/admin/auditTreeRoutes.ts';
import type { OperatorGuards } from '../../api/admin/guard.ts';
import { auditKeysRoute } from '../../api/platform/auditKeys.ts';
import { type SignedExport, signedExport } from '../../application/audit/signedExport.ts';
import { createTreeKeys, type TreeKeys } from '../../application/audit/treeKeys.ts';
import { createTreeService } from '../../application/audit/treeService.ts';
import { createTreeHeads } from '../../application/audit/treeHeads.ts';
import { createTreeProofs } from '../../application/audit/treeProofs.ts';
import { createAuditTreeGrower } from '../../application/reactors/growAuditTree.ts';
import { treeKeyIn } from '../../infrastructure/pki/treeKeyCertificate.ts';
import { createPostgresAuditTree } from '../../infrastructure/postgres/auditTree.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

const MINUTE_MS = 60_000;

/** Hashing a long log for the first time may take as long. */
const EXPORT_TIMEOUT_MS = 60 * MINUTE_MS;

/** The Merkle tree over the event log, and exports verifiable with it. */
export interface AuditTree {
  readonly module: ServiceModule;
  /** Signs a tree head over the whole log; grows the tree itself if no worker of this process does. */
  withSignedExport<Result>(use: (signed: SignedExport) => Promise<Result>): Promise<Result>;
  readonly keys: TreeKeys;
  /** Keys that heads were signed with, SubjectPublicKeyInfo (DER); unlike {@link TreeKeys} it makes none. */
  knownKeys(): Promise<readonly Buffer[]>;
}

/** The Merkle tree over the event log: one process grows and signs it, every process serves proofs. */
export function composeAuditTree(
  { config, foundation, keys, effects }: Core,
  guards: OperatorGuards,
): AuditTree {
  const { pool, randomness, eventLog, leaderLock, log, archive } = foundation;
  // A head dated ahead would date all later ones.
  const clock = foundation.datingClock;
  const isLogHere = config.SVC_EVENTSTORE_URL === undefined;
  const store = createPostgresAuditTree(pool, isLogHere, archive.events.withId);
  const proofs = createTreeProofs(store);
  const { authority, keyVault } = keys;
  const { root } = authority.certificates;
  const treeKeys = createTreeKeys({
    store,
    keyVault,
    authority,
    keyIn: (certificate) => treeKeyIn(certificate, root),
    randomness,
    clock,
  });
  const heads = createTreeHeads({
    store,
    proofs,
    clock,
    keys: treeKeys,
    onSigned: ({ size, root }) =>
      log.info({ size, root: root.toString('base64') }, 'A head of the audit tree was signed.'),
  });
  const grower = createAuditTreeGrower({
    eventLog,
    store,
    heads,
    leaderLock,
    onFailure: effects.onFailure,
    signEveryMs: config.SVC_AUDIT_TREE_HEAD_MINUTES * MINUTE_MS,
  });
  const trees = { eventLog, store, proofs, heads };
  const isWorker = config.SVC_ROLES.includes('worker');
  return {
    module: {
      start: async () => {
        await treeKeys.current();
      },
      routes: [
        ...auditTreeRoutes(createTreeService(trees), guards, { keys: treeKeys, root }),
        auditKeysRoute(treeKeys),
      ],
      reactors: [grower],
    },
    keys: treeKeys,
    knownKeys: store.publicKeys,
    async withSignedExport(use) {
      if (!isWorker) grower.start();
      try {
        const patient = createTreeService({ ...trees, timeoutMs: EXPORT_TIMEOUT_MS });
        return await use(await signedExport({ eventLog, store, proofs, trees: patient }));
      } finally {
        if (!isWorker) await grower.stop();
      }
    },
  };
}
