/** One sleeper, any number of callers to wake it. A call while nobody sleeps is kept for the next sleep. */
export interface WakeSignal {
  raise(): void;
  /** Resolves on the next call, at once if one is kept, or after `timeoutMs`. */
  wait(timeoutMs?: number): Promise<void>;
}

/** Creates the signal. Its timers do not keep the process alive. */
export function createWake(): WakeSignal {
  let raised = false;
  let sleeper: (() => void) | undefined;

  return {
    raise() {
      raised = true;
      sleeper?.();
    },
    wait(timeoutMs) {
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const done = () => {
          clearTimeout(timer);
          sleeper = undefined;
          raised = false;
          resolve();
        };
        if (raised) {
          done();
          return;
        }
        if (timeoutMs !== undefined) timer = setTimeout(done, Math.max(timeoutMs, 0)).unref();
        sleeper = done;
      });
    },
  };
}
