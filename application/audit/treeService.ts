import type { SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { AuditTreeStore } from './ports/auditTree.ts';
import type { EventLog } from '../ports/eventLog.ts';
import { pause } from '../ports/follow.ts';
import type { TreeHeads } from './treeHeads.ts';
import type { TreeProofs } from './treeProofs.ts';

/** Reference to a leaf. */
export type LeafOf = { readonly eventId: string } | { readonly index: number };

export interface InclusionProof {
  readonly index: number;
  readonly treeSize: number;
  readonly leaf: Buffer;
  readonly root: Buffer;
  readonly path: readonly Buffer[];
}

export interface ConsistencyProof {
  readonly first: number;
  readonly firstRoot: Buffer;
  readonly second: number;
  readonly secondRoot: Buffer;
  readonly path: readonly Buffer[];
}

/** Queries of auditors over the Merkle tree. @throws Unavailable(database), Refusal */
export interface TreeService {
  /** @throws Refusal TREE_HEAD_NOT_FOUND before the first is signed */
  newestHead(): Promise<SignedTreeHead>;
  /** Signs a tree head over every event at the time of the call, or as many as the tree has within a few seconds. */
  signNow(): Promise<SignedTreeHead>;
  /**
   * @param treeSize null: that of the newest head
   * @throws Refusal AUDIT_EVENT_NOT_FOUND when there is no such leaf in a tree of that size
   * @throws Refusal AUDIT_EVENT_ALTERED when the event as it is stored is not the one the tree was grown with
   * @throws Refusal INVALID_REQUEST when the tree is not that large
   */
  inclusion(of: LeafOf, treeSize: number | null): Promise<InclusionProof>;
  /** @param second null: the size of the newest head. @throws Refusal INVALID_REQUEST for a size the tree never had */
  consistency(first: number, second: number | null): Promise<ConsistencyProof>;
}

export interface TreeServiceOptions {
  readonly eventLog: Pick<EventLog, 'head'>;
  readonly store: Pick<AuditTreeStore, 'state' | 'newestHead' | 'placeOf'>;
  readonly proofs: TreeProofs;
  readonly heads: Pick<TreeHeads, 'sign'>;
  /** Time `signNow` waits for the tree, ms; default 5000. */
  readonly timeoutMs?: number;
}

const LOOK_EVERY_MS = 50;

/** Answers from the stored tree. */
export function createTreeService(options: TreeServiceOptions): TreeService {
  const { eventLog, store, proofs, heads, timeoutMs = 5000 } = options;

  async function newestHead(): Promise<SignedTreeHead> {
    const head = await store.newestHead();
    if (head === null) throw new Refusal('TREE_HEAD_NOT_FOUND');
    return head;
  }

  /** Resolves the requested size, and checks that the tree has reached it. */
  async function sizeOf(asked: number | null, name: string): Promise<number> {
    if (asked === null) return (await newestHead()).size;
    const { size } = await store.state();
    if (asked <= size) return asked;
    throw new Refusal('INVALID_REQUEST', {
      errors: [{ pointer: `#/query/${name}`, detail: `The tree has ${size} events.` }],
    });
  }

  async function placeOf(of: LeafOf, treeSize: number) {
    const place = 'index' in of ? { index: of.index, leaf: null } : await store.placeOf(of.eventId);
    if (place === null) throw new Refusal('AUDIT_EVENT_NOT_FOUND');
    if (place.index < treeSize) return place;
    throw new Refusal('AUDIT_EVENT_NOT_FOUND', {
      detail: `A tree of ${treeSize} events does not contain this one. Have a new head signed.`,
    });
  }

  return {
    newestHead,
    async signNow() {
      const position = await eventLog.head();
      const until = Date.now() + timeoutMs;
      const isCovered = async () =>
        position === null || ((await store.state()).position ?? -1n) >= position;
      while (!(await isCovered()) && Date.now() < until) {
        await pause(LOOK_EVERY_MS, new AbortController().signal);
      }
      return heads.sign();
    },
    async inclusion(of, asked) {
      const treeSize = await sizeOf(asked, 'treeSize');
      const { index, leaf: stored } = await placeOf(of, treeSize);
      const [leaf, root, path] = await Promise.all([
        proofs.leaf(index),
        proofs.root(treeSize),
        proofs.inclusion(index, treeSize),
      ]);
      if (stored?.equals(leaf) === false) throw new Refusal('AUDIT_EVENT_ALTERED');
      return { index, treeSize, leaf, root, path };
    },
    async consistency(first, asked) {
      const second = await sizeOf(asked, 'second');
      if (first > second) {
        throw new Refusal('INVALID_REQUEST', {
          errors: [{ pointer: '#/query/first', detail: `Must be at most ${second}.` }],
        });
      }
      const [firstRoot, secondRoot, path] = await Promise.all([
        proofs.root(first),
        proofs.root(second),
        proofs.consistency(first, second),
      ]);
      return { first, firstRoot, second, secondRoot, path };
    },
  };
}
