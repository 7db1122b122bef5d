import type { SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import type { AuditTreeStore } from '../ports/auditTree.ts';
import { eventBatches } from '../ports/eventBatches.ts';
import type { EventLog, LoggedEvent } from '../ports/eventLog.ts';
import { type ProofBlock, proofBlocks } from './exportProofs.ts';
import type { TreeDesk } from './treeDesk.ts';
import type { TreeProofs } from './treeProofs.ts';

/** The log as it was when a head was signed over all of it, and everything an outsider verifies it with. */
export interface SignedExport {
  readonly head: SignedTreeHead;
  /** The events of the head, in order. */
  events(): AsyncIterable<readonly LoggedEvent[]>;
  /** The smallest first; the last is `head`. */
  readonly heads: readonly SignedTreeHead[];
  /** The proofs of all events in the tree of `head`. */
  blocks(): AsyncIterable<ProofBlock>;
}

export interface SignedExportOptions {
  readonly eventLog: Pick<EventLog, 'subscribe' | 'head'>;
  readonly store: Pick<AuditTreeStore, 'heads' | 'tiles'>;
  readonly proofs: TreeProofs;
  readonly desk: Pick<TreeDesk, 'signNow'>;
}

/** Signs a head over the log as it is now. @throws Unavailable(database, keyVault, eventStore) */
export async function signedExport(options: SignedExportOptions): Promise<SignedExport> {
  const { eventLog, store, proofs, desk } = options;
  const head = await desk.signNow();
  const heads = (await store.heads()).filter(({ size }) => size < head.size);
  return {
    head,
    heads: [...heads, head],
    async *events() {
      let left = head.size;
      for await (const batch of eventBatches(eventLog)) {
        yield batch.slice(0, left);
        left -= batch.length;
        if (left <= 0) return;
      }
    },
    blocks: () => proofBlocks({ store, proofs }, head.size),
  };
}
