/** An event as a client proposes it. */
export interface Proposal {
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly customMetadata: Uint8Array;
}

/** An event in the log: it stands at `position`, the next one was written at `next`. */
export interface StoredEvent extends Proposal {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly next: bigint;
  /** 100 ns since 1970. */
  readonly created: bigint;
}

export type EventFilter = (event: StoredEvent) => boolean;

export type Expectation = 'any' | 'noStream' | 'streamExists' | bigint;

export type AppendDecision =
  /** Stored now, or found stored before; `position` is that of the last event, `null`: the server does not know it. */
  | { kind: 'success'; revision: bigint; position: bigint | null }
  /** `current` is -1 when there is no stream. */
  | { kind: 'wrongExpectedVersion'; current: bigint }
  | { kind: 'streamDeleted' };

/** A place in $all: the pair the protocol speaks of. */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** Index of the first event that is not before what is sought. */
export function lowerBound(events: readonly StoredEvent[], isBefore: EventFilter): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const event = events[middle];
    if (event !== undefined && isBefore(event)) low = middle + 1;
    else high = middle;
  }
  return low;
}
