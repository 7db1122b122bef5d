/** Lets one process among several do a thing: the others stand by and take over when it dies. */
export interface SingleActive {
  /**
   * Calls `activity` whenever this process holds the lock of that name. Its signal aborts when the lock is lost or
   * `stop` is called; it must resolve soon after. Having lost the lock, the process stands by again.
   */
  runWhileHolding(name: string, activity: (signal: AbortSignal) => Promise<void>): SingleActiveRun;
}

export interface SingleActiveRun {
  isActive(): boolean;
  /** Aborts the activity, waits for it and lets go of the lock. */
  stop(): Promise<void>;
}
