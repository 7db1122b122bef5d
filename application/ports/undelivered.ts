/**
 * Deliveries outward that are tried again: logout tokens to clients, pushes of notices to the push gateway, events to
 * relying parties.
 */
export const undeliveredKinds = ['LOGOUT', 'NOTICE', 'WEBHOOK'] as const;

export type UndeliveredKind = (typeof undeliveredKinds)[number];

/**
 * Time without an attempt after which the platform was away, ms: failures before count no longer, and the day begins
 * anew. Several times the longest delay, and half of what a recipient has.
 */
export const AWAY_MS = 43_200_000;

/** A delivery that its recipient did not take yet. */
export interface FailedDelivery {
  readonly id: string;
  readonly kind: UndeliveredKind;
  /** The client, or the relying party; null: the push gateway. */
  readonly clientId: string | null;
  /** Time of its beginning. */
  readonly since: Date;
  /** Failed attempts. */
  readonly attempts: number;
  /** Reason of the last failure; no personal data. */
  readonly reason: string;
  /** Time of the last one. */
  readonly triedAt: Date;
  /** No other attempt follows. */
  readonly isGivenUp: boolean;
}

/** List of what was not delivered, each until it is or for a week after its last attempt. */
export interface Undelivered {
  /** Adds one, or replaces the one with this id. @throws Unavailable(database) */
  put(delivery: FailedDelivery): Promise<void>;
  /** @throws Unavailable(database) */
  remove(id: string): Promise<void>;
}

/** Deliveries of a kind that one recipient did not take. */
export interface RecipientsUndelivered extends Pick<FailedDelivery, 'kind' | 'clientId'> {
  /** Deliveries that are tried again. */
  readonly waiting: number;
  readonly givenUp: number;
  /** Beginning of the oldest. */
  readonly since: Date;
  /** Failed attempts at the one that was tried most. */
  readonly attempts: number;
  /** Reason of the last failure. */
  readonly reason: string;
}

/** List for operators. */
export interface UndeliveredList extends Undelivered {
  /** By kind and recipient, the oldest first; a hundred at most. @throws Unavailable(database) */
  list(): Promise<readonly RecipientsUndelivered[]>;
}
