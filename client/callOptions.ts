/** What every call takes. */
export interface CallOptions {
  /** Aborting it ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}
