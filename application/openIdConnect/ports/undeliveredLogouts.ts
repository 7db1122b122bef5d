/** A logout token that its client did not take yet. */
export interface FailedLogout {
  /** Of the delivery. */
  readonly id: string;
  readonly clientId: string;
  /** Time of the login's end. */
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

/** List of the logout tokens that were not delivered, each until it is or for a week after its last attempt. */
export interface UndeliveredLogouts {
  /** Adds one, or replaces the one with this id. @throws Unavailable(database) */
  put(logout: FailedLogout): Promise<void>;
  /** @throws Unavailable(database) */
  remove(id: string): Promise<void>;
}

/** Undelivered logout tokens of one client. */
export interface ClientsUndelivered {
  readonly clientId: string;
  /** Logout tokens that are sent again. */
  readonly waiting: number;
  readonly givenUp: number;
  /** Time of the end of the oldest of these logins. */
  readonly since: Date;
  /** Failed attempts at the one that was tried most. */
  readonly attempts: number;
  /** Reason of the last failure. */
  readonly reason: string;
}

/** Undelivered logout tokens for operators. */
export interface UndeliveredLogoutList extends UndeliveredLogouts {
  /** By client, the oldest first; a hundred clients at most. @throws Unavailable(database) */
  list(): Promise<readonly ClientsUndelivered[]>;
}
