/** A latch with one waiter and any number of signallers. A signal without a waiter is stored for the next wait. */
export interface Signal {
  raise(): void;
  /** Resolves on the next signal, at once if one is stored, or after `timeoutMs`. */
  wait(timeoutMs?: number): Promise<void>;
}

/** Creates the signal. Its timers do not keep the process alive. */
export function createSignal(): Signal {
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
