// Statistics of the operators' dashboard: counts maintained with the read models, queried by whole hours.

/** Whole hours, UTC: `from` inclusive, `to` exclusive. */
export interface StatisticsWindow {
  readonly from: Date;
  readonly to: Date;
}

/** Percentiles of times in milliseconds, accurate to a tenth; null without measurements. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** One hour. Sessions count in the hour of their start, whenever they ended. */
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
  /** Current numbers, independent of the window. */
  readonly devices: { readonly active: number; readonly deactivated: number };
  /** Current numbers, independent of the window; expiry is by day. */
  readonly certificates: readonly {
    readonly type: string;
    readonly status: string;
    readonly count: number;
  }[];
  /** Every hour of the window. */
  readonly hours: readonly HourlyStatistics[];
}

export interface StatisticsView {
  /** Number of certificates each CA has revoked or put on hold, expired ones included. */
  revokedCertificates(): Promise<ReadonlyMap<string, number>>;
  /** @param now decides which certificates have expired */
  statistics(window: StatisticsWindow, now: Date): Promise<Statistics>;
}
