/** Measurements of the HTTP surface; the adapter chooses names and labels (contract §13). */
export interface HttpMetrics {
  /**
   * Records a finished exchange.
   *
   * @param method as received; an unknown one is shown as `_OTHER`
   * @param route the path pattern, or `unmatched`
   * @param seconds from the request's head to the end of the response
   */
  requestServed(method: string, route: string, status: number, seconds: number): void;
  /** Requests in progress, without waiting polls. */
  inFlight(count: number): void;
  loadShed(): void;
}

/** Route label of unmatched requests. */
export const unmatched = 'unmatched';

/** Status in logs and metrics of a request whose caller disconnected before the response. */
export const callerGone = 499;
