import { verifyConsistency } from '../../domain/merkle/hashTree.ts';
import {
  encodeTreeHead,
  type SignedTreeHead,
  type TreeHead,
} from '../../domain/merkle/treeHead.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import type { AuditTreeStore, NumberedTreeHead } from './ports/auditTree.ts';
import type { Clock } from '../ports/clock.ts';
import { isSignedHead } from './signedHead.ts';
import type { TreeKeys } from './treeKeys.ts';
import type { TreeProofs } from './treeProofs.ts';

/** The last signed head is no prefix of the current tree: nothing is signed until an operator has investigated. */
export class ForkedTree extends Error {
  override readonly name = 'ForkedTree';

  constructor(signed: number, size: number) {
    super(`The tree of ${size} events does not continue the signed head of ${signed} events.`);
  }
}

/** The last head is not signed by a certified key, so it may be forged: nothing is signed until an operator has investigated. */
export class UncertifiedHead extends Error {
  override readonly name = 'UncertifiedHead';

  constructor(size: number) {
    super(`No key that the Root CA certified signed the kept head of ${size} events.`);
  }
}

export interface TreeHeadsOptions {
  readonly store: Pick<AuditTreeStore, 'state' | 'newestHead' | 'keepHead'>;
  readonly proofs: Pick<TreeProofs, 'root' | 'consistency'>;
  readonly keys: TreeKeys;
  readonly clock: Clock;
  readonly onSigned?: (head: SignedTreeHead) => void;
}

/** @throws Unavailable(database, keyVault), Overloaded */
export interface TreeHeads {
  /**
   * Signs the current tree after checking that it extends the last signed one.
   *
   * @throws ForkedTree when it does not
   * @throws UncertifiedHead when that one is not signed by a certified key
   */
  sign(): Promise<SignedTreeHead>;
  /** Signs when the tree has grown and the last head is older than `ageMs`. @throws as {@link sign} */
  signIfDue(ageMs: number): Promise<void>;
}

/** A head is stored only after its predecessor, so several processes may sign. */
export function createTreeHeads(options: TreeHeadsOptions): TreeHeads {
  const { store, proofs, keys, clock, onSigned } = options;

  async function expectGenuine(head: NumberedTreeHead): Promise<void> {
    const certified = (await keys.all()).filter(({ certificate }) => certificate !== null);
    if (certified.some(({ publicKey }) => isSignedHead(head, publicKey))) return;
    throw new UncertifiedHead(head.size);
  }

  async function nextHead(previous: NumberedTreeHead | null): Promise<TreeHead> {
    const { size } = await store.state();
    const now = clock.now().getTime();
    if (previous === null) return { size, root: await proofs.root(size), timestamp: new Date(now) };
    await expectGenuine(previous);
    if (size < previous.size) throw new ForkedTree(previous.size, size);
    const root = await proofs.root(size);
    const path = previous.size === 0 ? [] : await proofs.consistency(previous.size, size);
    if (!verifyConsistency(previous, { size, root }, path)) {
      throw new ForkedTree(previous.size, size);
    }
    // RFC 9162 §4.10: later than the previous one, whatever the clock says.
    const timestamp = new Date(Math.max(now, previous.timestamp.getTime() + 1));
    return { size, root, timestamp };
  }

  /** @returns null when another process has kept the one after `previous` */
  async function signAfter(previous: NumberedTreeHead | null): Promise<SignedTreeHead | null> {
    const { publicKey } = await keys.current();
    const head = await nextHead(previous);
    const signature = await keys.sign(encodeTreeHead(head));
    const signed = { ...head, keyId: sha256Hex(publicKey), signature };
    const number = (previous?.number ?? 0) + 1;
    if (!(await store.keepHead({ ...signed, number }, publicKey))) return null;
    onSigned?.(signed);
    return signed;
  }

  return {
    async sign() {
      for (;;) {
        const signed = await signAfter(await store.newestHead());
        if (signed !== null) return signed;
      }
    },
    async signIfDue(ageMs) {
      const newest = await store.newestHead();
      const { size } = await store.state();
      if (size === (newest?.size ?? 0)) return;
      if (newest !== null && clock.now().getTime() < newest.timestamp.getTime() + ageMs) return;
      // A head of another process makes it not due any more, so this one is not tried again.
      await signAfter(newest);
    },
  };
}
