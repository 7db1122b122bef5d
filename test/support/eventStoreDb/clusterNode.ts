import type { StartedScavenge } from './scavenges.ts';
import type { AppendDecision, Expectation, Proposal } from './storedEvents.ts';
import type { StoredLog } from './storedLog.ts';

export type CallName =
  'gossip' | 'features' | 'read' | 'subscribe' | 'append' | 'batchAppend' | 'tombstone';

/** Operation of a request. */
export interface Access {
  readonly operation: 'gossip' | 'features' | 'read' | 'append' | 'delete' | 'scavenge';
  /** `$all` for reads of the whole log. */
  readonly stream?: string;
  /** `null`: sent without credentials. */
  readonly user: string | null;
}

/** A node as gossip describes it. */
export interface Member {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  /** Name in the protocol's `VNodeState`. */
  readonly state:
    | 'INITIALIZING'
    | 'UNKNOWN'
    | 'CATCHINGUP'
    | 'FOLLOWER'
    | 'PRELEADER'
    | 'LEADER'
    | 'RESIGNINGLEADER'
    | 'SHUTTINGDOWN';
  readonly isAlive: boolean;
}

/** Result of an append in the server. */
export type AppendOutcome =
  | AppendDecision
  | { kind: 'timeout'; why: string }
  | { kind: 'notLeader'; leader: Member }
  | {
      kind:
        | 'accessDenied'
        | 'badRequest'
        | 'maximumAppendSizeExceeded'
        | 'notReady'
        | 'tooBusy'
        | 'unknown'
        /** The connection breaks instead. */
        | 'disconnected'
        /** Nothing comes back, ever. */
        | 'silent';
    };

/** A node as its services see it. */
export interface ClusterNode {
  readonly log: StoredLog;
  readonly maxAppendSize: number;
  readonly maxAppendEventSize: number;
  /** Number of records of the log this node has. */
  visible(): number;
  /** @throws RpcError when the node serves no such read now */
  assertReadable(requiresLeader: boolean): void;
  append(
    stream: string,
    proposals: readonly Proposal[],
    expected: Expectation,
    requiresLeader: boolean,
  ): Promise<AppendOutcome>;
  /** Ends a stream with a tombstone, unless it is at another revision or has one. @throws RpcError when it does not lead */
  tombstone(stream: string, last: bigint, requiresLeader: boolean): AppendDecision;
  /** Starts a scavenge of the node's files. */
  scavenge(): StartedScavenge;
  /** Gossip of the node; `null`: none, and the call stays open. */
  gossip(): readonly Member[] | null;
  /** The user that an `authorization` header names, `null` without one. @throws RpcError */
  authenticate(header: string | undefined): string | null;
  /** @throws RpcError */
  authorize(user: string | null, access: Omit<Access, 'user'>): void;
  count(call: CallName): void;
  /** Ends the connection of a call. */
  disconnect(peer: string): void;
  /** Tells whether the connection breaks after this number of further messages. */
  isCutAt(call: object, sent: 0 | 1): boolean;
  /** Calls back whenever more records are visible. @returns how to end that */
  onVisible(listener: () => void): () => void;
}
