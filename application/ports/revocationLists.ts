import type { IssuingAuthority } from '../../domain/certificate/events.ts';

/** A certificate as a revocation list shows it. */
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

/** Whether a certificate belongs on its issuer's list. */
export interface RevocationState extends RevokedCertificate {
  readonly authority: IssuingAuthority;
  /** `clear`: not revoked, or reinstated. `held`: suspended, it may come off the list again. */
  readonly state: 'clear' | 'held' | 'revoked';
}

/** What is revoked. @throws Unavailable(database) */
export interface RevocationStates {
  /**
   * Hands over, page by page, every certificate revoked or on hold that ends after `endingAfter`.
   *
   * @returns position in the log the pages show; null: the beginning
   */
  snapshot(
    endingAfter: Date,
    onPage: (page: readonly RevocationState[]) => Promise<void>,
  ): Promise<bigint | null>;
  /** The certificates of these serials as they are now. */
  of(serials: readonly string[]): Promise<readonly RevocationState[]>;
}

/** A signed list. */
export interface RevocationList {
  readonly authority: IssuingAuthority;
  /** Grows from list to list of an issuer, and never repeats (RFC 5280 §5.2.3). */
  readonly number: bigint;
  /** Whole seconds. */
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  /** CertificateList, DER. */
  readonly der: Buffer;
}

/** Builds one issuer's list from entries it keeps encoded. */
export interface RevocationListBuilder {
  /** Takes in what a certificate was at the beginning; each only once. */
  load(state: RevocationState): void;
  /** Takes in what a certificate has become. Telling it again changes nothing. */
  apply(state: RevocationState): void;
  /** Drops the entries of certificates that ended before the day of `time`. */
  dropEndedBefore(time: Date): void;
  /** Number of entries. */
  readonly size: number;
  /**
   * Signs a list of the entries as they are now. Yields to the event loop.
   *
   * @throws Unavailable(keyVault)
   */
  sign(heading: Pick<RevocationList, 'number' | 'thisUpdate' | 'nextUpdate'>): Promise<Buffer>;
}

/** Where the newest list of each issuer is kept for every process. @throws Unavailable(database) */
export interface RevocationListStore {
  newest(authority: IssuingAuthority): Promise<RevocationList | null>;
  /** The number of the newest list; null: there is none. */
  newestNumber(authority: IssuingAuthority): Promise<bigint | null>;
  /**
   * Keeps the list, and tells every process that it is there, unless one with a higher or the same number is; false then.
   */
  keep(list: RevocationList): Promise<boolean>;
}
