/** What the HTTP surface measures; names and labels of contract §13 are the adapter's business. */
export interface HttpMetrics {
  /**
   * One finished exchange.
   *
   * @param method as received; an unknown one is shown as `_OTHER`
   * @param route the path pattern, or `unmatched`
   * @param seconds from the request's head to the answer's end
   */
  requestServed(method: string, route: string, status: number, seconds: number): void;
  /** Requests being worked on; waiting polls are not. */
  inFlight(count: number): void;
  loadShed(): void;
}

/** The route label of requests no row matched. */
export const unmatched = 'unmatched';

/** The status in logs and metrics of a request whose caller went away before the answer. */
export const callerGone = 499;
