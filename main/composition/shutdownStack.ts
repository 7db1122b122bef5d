/** Stops started components in reverse order. */
export interface ShutdownStack {
  /** Registers a stop function; called before the start, so that a failed start is stopped too. */
  defer(stop: () => unknown): void;
  /**
   * Stops everything, the newest first, continuing after failures.
   *
   * @throws the first failure, once everything was tried
   */
  stop(): Promise<void>;
}

export function createShutdownStack(): ShutdownStack {
  const stops: (() => unknown)[] = [];
  return {
    defer: (stop) => stops.push(stop),
    async stop() {
      const failures: unknown[] = [];
      for (const stop of stops.splice(0).reverse()) {
        try {
          await stop();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
