import type { StoredEvent } from '../../domain/merkle/hashTree.ts';
import type { SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import type { AuditTreeStore } from './ports/auditTree.ts';
import { eventBatches } from '../ports/eventBatches.ts';
import type { EventLog } from '../ports/eventLog.ts';
import { type ProofBlock, proofBlocks } from './exportProofs.ts';
import type { TreeService } from './treeService.ts';
import type { TreeProofs } from './treeProofs.ts';

/** The log at the time a tree head was signed over all of it, with everything needed to verify it externally. */
export interface SignedExport {
  readonly head: SignedTreeHead;
  /** The events of the head, in order. */
  events(): AsyncIterable<readonly StoredEvent[]>;
  /** Smallest first; the last is `head`. */
  readonly heads: readonly SignedTreeHead[];
  /** The proofs of all events in the tree of `head`. */
  blocks(): AsyncIterable<ProofBlock>;
}

export interface SignedExportOptions {
  readonly eventLog: Pick<EventLog, 'subscribe' | 'head'>;
  readonly store: Pick<AuditTreeStore, 'heads' | 'tiles'>;
  readonly proofs: TreeProofs;
  readonly trees: Pick<TreeService, 'signNow'>;
}

/** Signs a tree head over the current log. @throws Unavailable(database, keyVault, eventStore) */
export async function signedExport(options: SignedExportOptions): Promise<SignedExport> {
  const { eventLog, store, proofs, trees } = options;
  const head = await trees.signNow();
  const heads = (await store.heads()).filter(({ size }) => size < head.size);
  return {
    head,
    heads: [...heads, head],
    async *events() {
      let index = 0;
      for await (const batch of eventBatches(eventLog)) {
        const events = batch.slice(0, head.size - index);
        yield events;
        index += events.length;
        if (index >= head.size) return;
      }
    },
    blocks: () => proofBlocks({ store, proofs }, head.size),
  };
}
