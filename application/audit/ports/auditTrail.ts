import type { AuditEventType } from '../../../domain/events.ts';
import type { Capability } from '../../../domain/operator/capabilities.ts';

export type AuditOutcome = 'OK' | 'DENIED';

/** Further facts, by event type; no personal data but civil ids. */
export type AuditDetails = Readonly<Record<string, unknown>>;

/** One line of the audit: actor, action, target, result. */
export interface AuditEntry {
  readonly eventId: string;
  /** Position in the log. */
  readonly position: bigint;
  readonly at: Date;
  readonly type: AuditEventType;
  readonly outcome: AuditOutcome;
  readonly actor: { readonly kind: string; readonly id: string };
  /** Capability required for this action; null: not an operator's. */
  readonly capability: Capability | null;
  /** Public identifier of the target; `-` without one. */
  readonly subject: string;
  /** ETSI identifier of the citizen concerned, whom the event or another of its stream names; null: nobody. */
  readonly person: string | null;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly details: AuditDetails;
}

/** Absent fields do not filter. */
export interface AuditFilter {
  readonly type?: AuditEventType | undefined;
  /** A public identifier; an ETSI identifier of a person finds every event concerning them. */
  readonly subject?: string | undefined;
  /** The actor's id. */
  readonly actor?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** False: without what operators read. */
  readonly reads?: boolean | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

export interface AuditPage {
  readonly items: readonly AuditEntry[];
  /** Number of matches, or the number there are at least while they are counted. */
  readonly total: number;
  /** False: there are more than `total`. */
  readonly isTotalExact: boolean;
  /** Position of the newest event of any filter; null: there is none. */
  readonly snapshot: bigint | null;
}

/** One line with its event's stream and revision. */
export interface PlacedAuditEntry extends AuditEntry {
  readonly stream: string;
  readonly revision: bigint;
}

export interface AuditTrail {
  /** The newest first unless wished otherwise. */
  auditEntries(
    filter: AuditFilter,
    page: {
      readonly limit: number;
      readonly offset: number;
      /** Leaves out later positions: the `snapshot` of the first page; omitted: this is the first one. */
      readonly upTo?: bigint | undefined;
      /** The oldest first. */
      readonly isAscending?: boolean;
    },
  ): Promise<AuditPage>;
  /** @returns null when there is no such event */
  auditEntry(eventId: string): Promise<PlacedAuditEntry | null>;
}

/** Fields changed by an event, before and after; null: did not exist, or no state is shown for its kind. */
export interface AuditChange {
  readonly before: AuditDetails | null;
  readonly after: AuditDetails | null;
}

/** Derives the change of a line's event from the log. */
export type AuditChanges = (
  entry: Pick<PlacedAuditEntry, 'stream' | 'revision' | 'subject'>,
) => Promise<AuditChange>;
