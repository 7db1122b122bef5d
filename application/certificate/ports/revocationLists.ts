import type { IssuingAuthority } from '../../../domain/certificate/events.ts';

/** A certificate on a revocation list. */
export interface RevokedCertificate {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** RFC 5280 CRLReason number. */
  readonly reason: number;
  /** ISO 8601, UTC. */
  readonly revokedAt: string;
  /** End of the certificate's validity, ISO 8601, UTC. */
  readonly notAfter: string;
}

/** State of a certificate with regard to its issuer's list. */
export interface RevocationState extends RevokedCertificate {
  readonly authority: IssuingAuthority;
  /** `clear`: not revoked, or reinstated. `held`: suspended, may be released from the list. */
  readonly state: 'clear' | 'held' | 'revoked';
  /** Held because events of it are parked. */
  readonly isParked?: true;
  /** Issued after the backup that was restored: its authority may be installed nowhere. */
  readonly isLost?: true;
}

/**
 * Query of revoked certificates. One with parked events is held unless it is revoked: a list without it would claim that
 * nothing happened to it. @throws Unavailable(database)
 */
export interface RevocationStates {
  /**
   * Passes, page by page, every certificate revoked or on hold that ends after `endingAfter`.
   *
   * @returns log position of the pages; null: the beginning
   */
  snapshot(
    endingAfter: Date,
    onPage: (page: readonly RevocationState[]) => Promise<void>,
  ): Promise<bigint | null>;
  /** Current state of the certificates of these serials. */
  of(serials: readonly string[]): Promise<readonly RevocationState[]>;
}

/** A signed list. */
export interface RevocationList {
  readonly authority: IssuingAuthority;
  /** Increases from list to list of an issuer, without repetition (RFC 5280 §5.2.3). */
  readonly number: bigint;
  /** Whole seconds, later from list to list: readers ask for changes by it (RFC 9110 §8.8.2.2). */
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  /** CertificateList, DER. */
  readonly der: Buffer;
}

/** Builds one issuer's list from encoded entries. */
export interface RevocationListBuilder {
  /** Adds a certificate's initial state; each only once. */
  load(state: RevocationState): void;
  /** Applies a certificate's new state. Idempotent. */
  apply(state: RevocationState): void;
  /** Drops the entries of certificates that expired before the day of `time`. */
  dropEndedBefore(time: Date): void;
  /** Number of entries. */
  readonly size: number;
  /**
   * Signs a list of the current entries. Yields to the event loop.
   *
   * @throws Unavailable(keyVault)
   */
  sign(heading: Pick<RevocationList, 'number' | 'thisUpdate' | 'nextUpdate'>): Promise<Buffer>;
}

/** Storage of the newest list of each issuer, shared by all processes. @throws Unavailable(database) */
export interface RevocationListStore {
  /** Times until which the newest lists are good, by authority; an authority without a list has none. */
  nextUpdates(): Promise<ReadonlyMap<IssuingAuthority, Date>>;
  newest(authority: IssuingAuthority): Promise<RevocationList | null>;
  /** Number and date of the newest list; null: none. */
  newestHead(
    authority: IssuingAuthority,
  ): Promise<Pick<RevocationList, 'number' | 'thisUpdate'> | null>;
  /**
   * Stores the list and notifies every process; false, without effect, when the stored one has the same or a higher
   * number.
   */
  keep(list: RevocationList): Promise<boolean>;
}
