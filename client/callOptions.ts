/** Options of every call. */
export interface CallOptions {
  /** Abort signal: the call ends and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}
