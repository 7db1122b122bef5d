/** Leader lock: one of several processes is active, the others stand by and take over when it dies. */
export interface LeaderLock {
  /**
   * Calls `activity` whenever this process holds the lock of that name. Its signal aborts when the lock is lost or
   * `stop` is called; it must then resolve soon. After losing the lock, the process stands by again.
   */
  runWhileHolding(name: string, activity: (signal: AbortSignal) => Promise<void>): LeaderRun;
}

/** {@link LeaderLock} that also spreads activities over the processes which all run the same ones. */
export interface SpreadingLock extends LeaderLock {
  /**
   * Leader lock of a group of activities, divided among processes. Holding the lock of the group's own name excludes
   * all others.
   */
  spread(group: string): LeaderLock;
}

export interface LeaderRun {
  isActive(): boolean;
  /** Aborts the activity, waits for it and releases the lock. */
  stop(): Promise<void>;
}
