import type { SignedTreeHead } from '../../../domain/merkle/treeHead.ts';
import type { Tile, TileName } from '../../../domain/merkle/hashTree.ts';

/** Extent of the tree over the log. */
export interface AuditTreeState {
  /** Number of events. */
  readonly size: number;
  /** Position of the last event; `null`: the tree is empty. */
  readonly position: bigint | null;
}

/** One step of growth. */
export interface AuditTreeGrowth {
  /** State the step is based on: nothing is stored when it has changed. */
  readonly from: AuditTreeState;
  readonly to: AuditTreeState;
  readonly tiles: readonly Tile[];
  /** Ids of the added events, in order. */
  readonly eventIds: readonly string[];
}

/**
 * The tree over the event log, its tiles and its signed heads. A complete tile and a signed head never change.
 *
 * @throws Unavailable(database) from every method
 */
export interface AuditTreeStore {
  state(): Promise<AuditTreeState>;
  /** @returns false when another process has grown the tree meanwhile; nothing was stored then */
  grow(growth: AuditTreeGrowth): Promise<boolean>;
  /** In the requested order, up to their current length. @throws Error when one is missing */
  tiles(names: readonly TileName[]): Promise<readonly Buffer[]>;
  /** Index of an event in the tree, grown that far or not; null: not in the log. */
  placeOf(eventId: string): Promise<EventPlace | null>;
  newestHead(): Promise<NumberedTreeHead | null>;
  /** The newest head of each size, smallest first. */
  heads(): Promise<readonly SignedTreeHead[]>;
  /** @returns false when a head of that number exists; nothing was stored then */
  keepHead(head: NumberedTreeHead, publicKey: Buffer): Promise<boolean>;
  /** All signing keys of heads, current and former. SubjectPublicKeyInfo, DER. */
  publicKeys(): Promise<readonly Buffer[]>;
  /** Certificates of signing keys, DER; to be verified by whoever uses them. */
  keyCertificates(): Promise<readonly Buffer[]>;
  /** Stores the certificate of a key, in place of another. */
  keepKeyCertificate(keyId: string, certificate: Buffer): Promise<void>;
}

export interface EventPlace {
  readonly index: number;
  /** Leaf of the event as stored now; null: the log cannot look it up. */
  readonly leaf: Buffer | null;
}

/** Heads are numbered from 1 without gaps, so that only one of two successors is stored. */
export interface NumberedTreeHead extends SignedTreeHead {
  readonly number: number;
}
