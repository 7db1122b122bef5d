import type { RefusalCode } from '../../../domain/shared/refusal.ts';

/** Days that requests are remembered. */
export const DAYS_KEPT = 7;
/** Refused requests remembered of each relying party, the newest. */
export const REFUSALS_KEPT = 100;

/** Place of a faulty field, and the rule it broke; never what stood there. */
export interface NotedFault {
  /** JSON Pointer. */
  readonly pointer: string;
  /** Null: none has a name. */
  readonly rule: string | null;
}

/** A refused request of a relying party; no personal data. */
export interface RefusedRequest {
  readonly at: Date;
  /** `X-Request-Id` of the answer. */
  readonly requestId: string;
  /** Method and path pattern: identifiers in the path are not in it. */
  readonly operation: string;
  readonly status: number;
  readonly code: RefusalCode;
  readonly faults: readonly NotedFault[];
}

/** Requests to one operation with one outcome. */
export interface CountedRequests {
  readonly operation: string;
  /** Null: accepted. */
  readonly code: RefusalCode | null;
  readonly requests: number;
  readonly lastAt: Date;
}

/** Batch of a write. */
export interface NotedRequests {
  readonly refused: readonly (RefusedRequest & { readonly relyingPartyId: string })[];
  /** Each combination of relying party, day, operation and code once. */
  readonly counted: readonly (CountedRequests & {
    readonly relyingPartyId: string;
    /** Day in UTC, ISO 8601. */
    readonly day: string;
  })[];
}

/** Requests of a relying party as far as they are remembered. */
export interface RememberedRequests {
  readonly counted: readonly CountedRequests[];
  /** The newest first. */
  readonly refused: readonly RefusedRequest[];
}

/** Requests of relying parties, for {@link DAYS_KEPT} days. */
export interface NotedRequestStore {
  /** Adds these, and forgets what is beyond the bounds. @throws Unavailable(database) */
  add(noted: NotedRequests): Promise<void>;
  /** @throws Unavailable(database) */
  of(relyingPartyId: string): Promise<RememberedRequests>;
}
