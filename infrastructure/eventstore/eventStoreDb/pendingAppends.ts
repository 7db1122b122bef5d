import type {
  Appended,
  EncodedEvent,
  ExpectedRevision,
} from '../../../application/ports/eventLog.ts';
import { RevisionConflict, Unavailable } from '../../../application/ports/faults.ts';
import { type CallFailed, missingRight } from './outcomes.ts';

/** An append that waits for its acknowledgement. */
export interface PendingAppend {
  readonly stream: string;
  readonly events: readonly EncodedEvent[];
  readonly expected: ExpectedRevision;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
  /** Deadline, ms. */
  readonly until: number;
  /** Time of the first and the last send, ms; `null`: not yet sent. */
  firstSentAt: number | null;
  lastSentAt: number | null;
  lastFailure: CallFailed | null;
}

/** Appends that a check found unanswered. */
export interface Unanswered {
  /** Over their deadline. */
  readonly late: readonly PendingAppend[];
  /** To be sent again. */
  readonly again: readonly PendingAppend[];
  /** True when the connection answers nothing any more. */
  readonly isSilent: boolean;
}

/** Unacknowledged appends: enough to hide the round trip, few enough to resend quickly. */
const MAX_IN_FLIGHT = 512;
/** Silence after which answers count as lost, ms: the server itself gives up a write after 2 s. */
const SILENCE_MS = 3000;

/**
 * Appends between their acceptance and their acknowledgement: waiting, or in flight on the current connection. Sends
 * nothing itself.
 */
export class PendingAppends {
  #waiting: PendingAppend[] = [];
  /** By correlation id. */
  readonly #inFlight = new Map<string, PendingAppend>();
  #accepted = 0;
  #answeredAt = 0;
  /** Deadline of all, ms: of answers at shutdown. */
  deadline = Infinity;

  /** Appends without an answer, those that pause before they are sent again among them. */
  get accepted(): number {
    return this.#accepted;
  }

  accept(append: PendingAppend): void {
    this.#accepted += 1;
    this.#waiting.push(append);
  }

  /** Puts an append back, to be sent again. */
  again(append: PendingAppend): void {
    this.#waiting.push(append);
  }

  /** Takes the next append to be sent; undefined when none waits or too many are in flight. */
  next(): PendingAppend | undefined {
    return this.#inFlight.size < MAX_IN_FLIGHT ? this.#waiting.shift() : undefined;
  }

  sent(correlationId: string, append: PendingAppend, now: number): void {
    append.lastSentAt = now;
    append.firstSentAt ??= now;
    this.#inFlight.set(correlationId, append);
  }

  /** @returns the append; undefined for one that was given up or sent again */
  answered(correlationId: string, now: number): PendingAppend | undefined {
    const append = this.#inFlight.get(correlationId);
    if (append === undefined) return undefined;
    this.#inFlight.delete(correlationId);
    this.#answeredAt = now;
    return append;
  }

  /** Notes that an append has its answer. @returns true when none is left */
  settled(): boolean {
    this.#accepted -= 1;
    return this.#accepted === 0;
  }

  /** Begins on another connection: what was in flight waits again, in order, for its answers may have been lost. */
  reconnected(): void {
    this.#waiting.unshift(...this.#inFlight.values());
    this.#inFlight.clear();
    this.#answeredAt = 0;
  }

  /** Takes what is over its deadline, and what was not answered for too long. */
  unanswered(now: number): Unanswered {
    const isLate = (append: PendingAppend) => Math.min(append.until, this.deadline) <= now;
    const late = this.#waiting.filter(isLate);
    if (late.length > 0) this.#waiting = this.#waiting.filter((append) => !isLate(append));
    const again: PendingAppend[] = [];
    let isSilent = false;
    for (const [correlationId, append] of this.#inFlight) {
      const sentAt = append.lastSentAt ?? now;
      if (!isLate(append) && sentAt + SILENCE_MS > now) continue;
      this.#inFlight.delete(correlationId);
      (isLate(append) ? late : again).push(append);
      isSilent ||= sentAt > this.#answeredAt;
    }
    return { late, again, isSilent };
  }
}

/** Error that an append is given up with after a failure; null: it is sent again. */
export function refusalOf({ stream }: PendingAppend, failure: CallFailed): Error | null {
  switch (failure.action) {
    case 'conflict':
      return new RevisionConflict(stream);
    case 'refused':
    case 'invalidPosition':
      return new Error('The event log refused the events.', { cause: failure });
    case 'denied':
      return new Unavailable('eventStore', missingRight('write', stream, failure));
    case 'repeat':
    case 'reconnect':
      return null;
  }
}

/**
 * True when an append is looked for before it is sent again, for it may have been stored. With expected revision `any`
 * the server may not recognise it, least of all a new leader; any other expected revision guards itself.
 */
export function mayBeStored({ expected, firstSentAt }: PendingAppend): boolean {
  return expected === 'any' && firstSentAt !== null;
}

/** A message beyond 16 MiB would break the stream shared by all appends instead of being refused. */
const MAX_APPEND_BYTES = 15 * 1024 * 1024;

export function isLargerThanAnyServerTakes(events: readonly EncodedEvent[]): boolean {
  const units = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  if (units < MAX_APPEND_BYTES / 3) return false;
  const bytes = events.reduce(
    (sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );
  return bytes > MAX_APPEND_BYTES;
}
