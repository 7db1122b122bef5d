// What the dashboard of operators shows: counts kept with the read models, asked of in whole hours.

/** Whole hours, UTC: `from` belongs to it, `to` does not. */
export interface StatisticsWindow {
  readonly from: Date;
  readonly to: Date;
}

/** Percentiles of times in milliseconds, a tenth off at most; null when nothing was measured. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** One hour. Sessions count in the hour in which they were started, whenever they ended. */
export interface HourlyStatistics {
  readonly hour: Date;
  readonly sessions: number;
  readonly succeeded: number;
  readonly running: number;
  readonly enrolments: number;
  readonly certificatesIssued: number;
  readonly certificatesRevoked: number;
  readonly seals: number;
  readonly sealsRefused: number;
  /** From the start of a session to the citizen's answer. */
  readonly latency: Percentiles;
}

export interface Statistics {
  readonly sessions: readonly {
    readonly kind: string;
    /** endResult, or RUNNING. */
    readonly outcome: string;
    readonly count: number;
  }[];
  /** Those with the most sessions first. */
  readonly relyingParties: readonly {
    readonly relyingPartyId: string;
    readonly name: string;
    readonly sessions: number;
    readonly succeeded: number;
  }[];
  readonly latency: Percentiles;
  readonly enrolments: readonly { readonly platform: string; readonly count: number }[];
  /** Now, whatever the window. */
  readonly devices: { readonly active: number; readonly deactivated: number };
  /** Now, whatever the window; to the day of their end. */
  readonly certificates: readonly {
    readonly type: string;
    readonly status: string;
    readonly count: number;
  }[];
  /** Every hour of the window. */
  readonly hours: readonly HourlyStatistics[];
}

export interface StatisticsView {
  /** How many certificates each CA has revoked or put on hold, those that have ended since included. */
  revokedCertificates(): Promise<ReadonlyMap<string, number>>;
  /** @param now decides which certificates have expired */
  statistics(window: StatisticsWindow, now: Date): Promise<Statistics>;
}
