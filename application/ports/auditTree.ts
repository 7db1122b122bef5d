import type { SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import type { Tile, TileName } from '../../domain/merkle/tiles.ts';

/** How far the tree over the log has grown. */
export interface AuditTreeState {
  /** Events in it. */
  readonly size: number;
  /** Of the last event in it; `null`: none is. */
  readonly position: bigint | null;
}

/** What one step adds to the tree. */
export interface AuditTreeGrowth {
  /** What the tree is grown from: nothing is kept when it is no longer that. */
  readonly from: AuditTreeState;
  readonly to: AuditTreeState;
  readonly tiles: readonly Tile[];
  /** Ids of the events added, in order. */
  readonly eventIds: readonly string[];
}

/**
 * The tree over the event log, its tiles and its signed heads. A complete tile and a signed head never change.
 *
 * @throws Unavailable(database) from every method
 */
export interface AuditTreeStore {
  state(): Promise<AuditTreeState>;
  /** @returns false when another process has grown the tree meanwhile; nothing was kept then */
  grow(growth: AuditTreeGrowth): Promise<boolean>;
  /** In the order asked for, as far as they are filled. @throws Error when one is missing */
  tiles(names: readonly TileName[]): Promise<readonly Buffer[]>;
  /** Where an event stands in the tree, were it grown so far; null: no event of the log has this id. */
  placeOf(eventId: string): Promise<EventPlace | null>;
  newestHead(): Promise<NumberedTreeHead | null>;
  /** The newest head of exactly that size. */
  headOf(size: number): Promise<SignedTreeHead | null>;
  /** The newest head of each size, the smallest first. */
  heads(): Promise<readonly SignedTreeHead[]>;
  /** @returns false when there is a head of that number already; nothing was kept then */
  keepHead(head: NumberedTreeHead, publicKey: Buffer): Promise<boolean>;
  /** Every key heads were signed with. SubjectPublicKeyInfo, DER. */
  publicKeys(): Promise<readonly Buffer[]>;
}

export interface EventPlace {
  readonly index: number;
  /** Of the event as it is stored now; null: the log cannot look it up. */
  readonly leaf: Buffer | null;
}

/** Heads are numbered from 1 without gaps, so that of two that follow the same one only one is kept. */
export interface NumberedTreeHead extends SignedTreeHead {
  readonly number: number;
}
